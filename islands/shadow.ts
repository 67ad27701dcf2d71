/**
 * The script of the page that uploads the other platform's commissions. It reads a CSV file, asks what its columns are, and sends
 * the rows in calls; then it lets the server compare them. functions/dashboard/shadow-pages.tsx renders the page.
 */
import { counted } from '../lib/plural.ts'
import { Stopped, send, type Waiting } from './import/api.ts'
import { announce, button, byId, h, showStep, table } from './import/dom.ts'
import { type CsvFile, readFile, UnreadableFile } from './import/file.ts'
import { cellText } from './import/rules/cells.ts'
import { lacksZone } from './import/rules/dates.ts'
import {
  COLUMN_NAMES,
  type CommissionColumn,
  type CommissionMapping,
  callsOf,
  readCommissions,
  recogniseCommissions,
  unitOfAmounts,
} from './shadow/commissions.ts'
import { compare, viewComparison } from './shadow/compare.ts'
import { readByApi } from './shadow/source.ts'

const page = byId('shadow-upload', HTMLElement)
const url = page.dataset.url ?? ''

/** A menu with its label. */
const menu = (
  id: string,
  label: string,
  options: [string, string][],
  value: string,
  change: (value: string) => void,
) => {
  const select = h('select', { id }, ...options.map(([key, text]) => h('option', { value: key }, text)))
  select.value = value
  select.addEventListener('change', () => change(select.value))
  return h('div', { class: 'field' }, h('label', { for: id }, label), select)
}

const UNITS: [string, string][] = [
  ['', 'Choose a unit'],
  ['major', 'Whole units: 12 is 12.00'],
  ['cents', 'Minor units, such as cents: 1200 is 12.00'],
]

const zonesOf = (): [string, string][] => {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  return [...new Set(['UTC', own, ...Intl.supportedValuesOf('timeZone')])].map((name) => [name, name])
}

/** Asks for the columns, the unit and the zone, as far as the file does not say. @returns null to choose another file */
const askMapping = (file: CsvFile): Promise<CommissionMapping | null> =>
  new Promise((resolve) => {
    const { platform, columns } = recogniseCommissions(file.headers)
    const mapping: CommissionMapping = {
      columns,
      inCents: unitOfAmounts(file, columns),
      zone: 'UTC',
      currency: 'USD',
    }
    const next = button('Upload commissions', () => resolve(mapping))
    const notes = h('div', {})
    const show = () => {
      const { problems, rows } = readCommissions(file, mapping)
      const missing = [
        ...(mapping.columns.includes('amount') ? [] : ['Choose the column of the commission’s amount.']),
        ...(mapping.columns.includes('soldAt') ? [] : ['Choose the column of the sale’s date.']),
        ...(mapping.inCents === null ? ['Choose the unit of the amounts.'] : []),
      ]
      const said =
        missing.length > 0
          ? missing
          : problems.slice(0, 5).map(({ line, message }) => `Row ${line}: ${message}`)
      notes.replaceChildren(
        ...said.map((text) => h('p', { class: 'note' }, text)),
        ...(missing.length === 0
          ? [
              h(
                'p',
                {},
                `${counted(rows.length, 'commission')} can be read, ${counted(problems.length, 'row')} cannot.`,
              ),
            ]
          : []),
      )
      next.disabled = missing.length > 0 || rows.length === 0
      zones.hidden = !file.records.some(({ cells }) =>
        lacksZone(cellText(cells[mapping.columns.indexOf('soldAt')])),
      )
    }
    const units = menu(
      'shadow-unit',
      'Amounts are in',
      UNITS,
      mapping.inCents === null ? '' : mapping.inCents ? 'cents' : 'major',
      (value) => {
        mapping.inCents = value === '' ? null : value === 'cents'
        show()
      },
    )
    const zones = menu(
      'shadow-zone',
      'Time zone of dates that name none',
      zonesOf(),
      mapping.zone,
      (zone) => {
        mapping.zone = zone
        show()
      },
    )
    const currency = h('input', { id: 'shadow-currency', maxlength: 3, value: mapping.currency })
    currency.addEventListener('change', () => {
      mapping.currency = currency.value.trim().toUpperCase()
      show()
    })
    const selects = file.headers.map((header, column) => {
      const select = h(
        'select',
        { 'aria-label': `Field for “${header}”` },
        h('option', { value: '' }, 'Ignored'),
        ...Object.entries(COLUMN_NAMES).map(([field, name]) => h('option', { value: field }, name)),
      )
      select.value = columns[column] ?? ''
      select.addEventListener('change', () => {
        mapping.columns[column] = (select.value || null) as CommissionColumn | null
        show()
      })
      return select
    })
    const choices = table(
      'Column mapping',
      ['Column and first values', 'Field'],
      file.headers.map((header, column) =>
        h(
          'tr',
          {},
          h(
            'th',
            { scope: 'row' },
            header,
            ...file.records
              .slice(0, 2)
              .map(({ cells }) => h('span', { class: 'example' }, cellText(cells[column]).slice(0, 60))),
          ),
          h('td', {}, selects[column]),
        ),
      ),
    )
    choices.classList.add('columns')
    showStep(
      'Columns',
      h(
        'p',
        {},
        `${file.name}: ${counted(file.records.length, 'row')}. `,
        platform
          ? `Recognized as an export from ${platform}.`
          : 'The columns do not match a known export. Check the mapping below.',
      ),
      file.warning ? h('p', { class: 'note' }, file.warning) : null,
      units,
      zones,
      h(
        'div',
        { class: 'field' },
        h('label', { for: 'shadow-currency' }, 'Currency of rows that name none'),
        currency,
      ),
      choices,
      notes,
      h(
        'p',
        { class: 'actions' },
        next,
        button('Choose another file', () => resolve(null), 'quiet'),
      ),
    )
    show()
  })

type Uploaded = { summary: { created: number; updated: number; unchanged: number; errors: number } }

/** Sends the rows, then has them compared. */
const upload = async (file: CsvFile, mapping: CommissionMapping): Promise<void> => {
  const { rows, problems } = readCommissions(file, mapping)
  const bar = h('progress', { max: rows.length, value: 0, 'aria-label': 'Progress' })
  const said = h('p', {})
  showStep('Upload', bar, said)
  const { signal } = new AbortController()
  const waits = ({ why, seconds }: Waiting) => {
    said.textContent = `${why} Trying again in ${counted(seconds, 'second')}.`
  }
  const total = { created: 0, updated: 0, unchanged: 0, errors: problems.length }
  for (const call of callsOf(rows)) {
    const { summary } = await send<Uploaded>('POST', `${url}/commissions`, { rows: call }, signal, waits)
    for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += summary[key]
    bar.value += call.length
    said.textContent = `${bar.value.toLocaleString('en')} of ${counted(rows.length, 'commission')} uploaded.`
  }
  await compare(url, said)
  showStep(
    'Commissions compared',
    h(
      'p',
      {},
      `${total.created.toLocaleString('en')} new, ${total.updated.toLocaleString('en')} changed, ${total.unchanged.toLocaleString('en')} as before, ${total.errors.toLocaleString('en')} with errors.`,
    ),
    ...problems.slice(0, 20).map(({ line, message }) => h('p', { class: 'note' }, `Row ${line}: ${message}`)),
    viewComparison(page.dataset.back ?? ''),
  )
  announce('Commissions compared.')
}

const fail = (message: string): void =>
  showStep('Upload stopped', h('p', { class: 'problem', role: 'alert' }, message))

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
