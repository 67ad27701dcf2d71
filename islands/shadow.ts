/**
 * The script of the page that uploads the other platform's commissions. It reads a CSV file, maps
 * its columns, sends the rows in calls, and has the server compare them.
 * functions/dashboard/shadow/shadow-pages.tsx renders the page.
 */
import * as m from '../lib/languages/messages.ts'
import { Stopped, send } from './import/api.ts'
import { actions, announce, button, byId, h, showStep } from './import/dom.ts'
import { type CsvFile, readFile, UnreadableFile } from './import/file.ts'
import { columnTable, fileText, menu, zoneMenu } from './import/questions/column-table.ts'
import { cellText } from './import/rules/reading/cells.ts'
import { lacksZone } from './import/rules/reading/dates.ts'
import {
  COLUMN_NAMES,
  type CommissionMapping,
  callsOf,
  readCommissions,
  recogniseCommissions,
  type UnreadRow,
  unitOfAmounts,
} from './shadow/commissions.ts'
import { compare, viewComparison } from './shadow/compare.ts'
import { readByApi } from './shadow/source.ts'
import { t } from './text.ts'

const page = byId('shadow-upload', HTMLElement)
const url = page.dataset.url ?? ''

/**
 * Asks for the columns, the unit and the zone, unless the file has them.
 * @returns null to choose another file
 */
const askMapping = (file: CsvFile): Promise<CommissionMapping | null> =>
  new Promise((resolve) => {
    const { platform, columns } = recogniseCommissions(file.headers)
    const mapping: CommissionMapping = {
      columns,
      inCents: unitOfAmounts(file, columns),
      zone: 'UTC',
      currency: 'USD',
    }
    const next = button(t(m.shadow_upload_commissions), () => resolve(mapping))
    const notes = h('div', {})
    const show = () => {
      const { problems, rows } = readCommissions(file, mapping)
      const missing = [
        ...(mapping.columns.includes('amount') ? [] : [t(m.shadow_choose_amount)]),
        ...(mapping.columns.includes('soldAt') ? [] : [t(m.shadow_choose_date)]),
        ...(mapping.inCents === null ? [t(m.shadow_choose_unit)] : []),
      ]
      const said = missing.length > 0 ? missing : problems.slice(0, 5).map(problemText)
      notes.replaceChildren(
        ...said.map((text) => h('p', { class: 'note' }, text)),
        ...(missing.length === 0
          ? [h('p', {}, t(m.shadow_can_be_read, { read: rows.length, unread: problems.length }))]
          : []),
      )
      next.disabled = missing.length > 0 || rows.length === 0
      zones.hidden = !file.records.some(({ cells }) =>
        lacksZone(cellText(cells[mapping.columns.indexOf('soldAt')])),
      )
    }
    const units = menu(
      'shadow-unit',
      t(m.import_amounts_in),
      [
        ['', t(m.shadow_no_unit)],
        ['major', t(m.shadow_whole_units)],
        ['cents', t(m.shadow_minor_units)],
      ],
      mapping.inCents === null ? '' : mapping.inCents ? 'cents' : 'major',
      (value) => {
        mapping.inCents = value === '' ? null : value === 'cents'
        show()
      },
    )
    const zones = zoneMenu('shadow-zone', mapping.zone, (zone) => {
      mapping.zone = zone
      show()
    })
    const currency = h('input', { id: 'shadow-currency', maxlength: 3, value: mapping.currency })
    currency.addEventListener('change', () => {
      mapping.currency = currency.value.trim().toUpperCase()
      show()
    })
    const { part: choices, selects } = columnTable(file, COLUMN_NAMES, (column, field) => {
      mapping.columns[column] = field
      show()
    })
    for (const [column, select] of selects.entries()) select.value = columns[column] ?? ''
    showStep(
      t(m.import_columns),
      h('p', {}, fileText(file, platform)),
      file.warning ? h('p', { class: 'note' }, file.warning) : null,
      units,
      zones,
      h(
        'div',
        { class: 'field' },
        h('label', { for: 'shadow-currency' }, t(m.shadow_currency_of_rows)),
        currency,
      ),
      choices,
      notes,
      actions(
        next,
        button(t(m.import_choose_another), () => resolve(null), 'quiet'),
      ),
    )
    show()
  })

const problemText = ({ line, message }: UnreadRow): string =>
  t(m.shadow_unread_row, { row: line, message })

type Uploaded = { summary: { created: number; updated: number; unchanged: number; errors: number } }

/** Sends the rows, and has the server compare them. */
const upload = async (file: CsvFile, mapping: CommissionMapping): Promise<void> => {
  const { rows, problems } = readCommissions(file, mapping)
  const bar = h('progress', { max: rows.length, value: 0, 'aria-label': t(m.payouts_progress) })
  const said = h('p', {})
  showStep(t(m.shadow_upload), bar, said)
  const { signal } = new AbortController()
  const say = (text: string) => {
    said.textContent = text
  }
  const total = { created: 0, updated: 0, unchanged: 0, errors: problems.length }
  for (const call of callsOf(rows)) {
    const { summary } = await send<Uploaded>(
      'POST',
      `${url}/commissions`,
      { rows: call },
      signal,
      say,
    )
    for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += summary[key]
    bar.value += call.length
    say(t(m.shadow_uploaded_so_far, { done: bar.value, total: rows.length }))
  }
  await compare(url, said)
  showStep(
    t(m.shadow_compared),
    h('p', {}, t(m.shadow_upload_result, total)),
    ...problems.slice(0, 20).map((problem) => h('p', { class: 'note' }, problemText(problem))),
    viewComparison(page.dataset.back ?? ''),
  )
  announce(t(m.shadow_are_compared))
}

const fail = (message: string): void =>
  showStep(t(m.shadow_upload_stopped), h('p', { class: 'problem', role: 'alert' }, message))

const showChoice = (): void => {
  byId('import-stage', HTMLElement).replaceChildren()
  byId('import-choose', HTMLElement).hidden = false
}

const choose = byId('shadow-file', HTMLInputElement)

const read = async (): Promise<void> => {
  const chosen = choose.files?.[0]
  if (!chosen) return
  try {
    const file = await readFile(chosen, () => {})
    const mapping = await askMapping(file)
    choose.value = ''
    if (mapping) await upload(file, mapping)
    else showChoice()
  } catch (error) {
    if (!(error instanceof UnreadableFile || error instanceof Stopped)) throw error
    choose.value = ''
    fail(error.message)
    byId('import-choose', HTMLElement).hidden = false
  }
}

void readByApi(page, fail)
choose.addEventListener('change', read)
// A file may have been chosen before this script was loaded.
void read()
