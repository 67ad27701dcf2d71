/** The step that maps the file's columns to fields. */

import * as m from '../../../lib/languages/messages.ts'
import { t } from '../../text.ts'
import { actions, announce, button, h, showStep } from '../dom.ts'
import type { CsvFile } from '../file.ts'
import { unitIn } from '../rules/balances.ts'
import { cellText } from '../rules/reading/cells.ts'
import {
  type Columns,
  ERROR_HEADER,
  FIELD_NAMES,
  headerKey,
  imports,
  type Mapping,
  recognise,
  remap,
  warnings,
} from '../rules/reading/columns.ts'
import { lacksZone } from '../rules/reading/dates.ts'
import type { RowKind } from '../rules/reading/fields.ts'
import { columnTable, fileText, zoneMenu } from './column-table.ts'

/** Asks for the mapping. @returns null to choose another file */
export const askColumns = (file: CsvFile, chosen: Mapping | null): Promise<Mapping | null> =>
  new Promise((resolve) => {
    const { platform, ...recognised } = recognise(file.headers)
    let { rows, columns, inCents, zone } = chosen ?? { ...recognised, inCents: null, zone: 'UTC' }
    // The unit in the file, or the one chosen before.
    const unitNow = () => unitIn(file.headers, columns, file.records) ?? inCents

    const kinds = choice(
      'rows',
      t(m.import_rows_describe),
      rowNames(file.headers),
      rows,
      (kind) => {
        rows = kind
        columns = recognise(file.headers, kind).columns
        show()
        announce(feeds.textContent ?? '')
      },
    )
    const units = choice(
      'unit',
      t(m.import_amounts_in),
      { major: t(m.import_in_dollars), cents: t(m.import_in_cents) },
      inCents === null ? null : inCents ? 'cents' : 'major',
      (unit) => {
        inCents = unit === 'cents'
        show()
      },
    )

    const zones = zoneMenu('import-zone', zone, (name) => {
      zone = name
    })

    const { part: choices, selects } = columnTable(file, FIELD_NAMES, (column, field) => {
      columns = remap(columns, column, field)
      show()
      announce(feeds.textContent ?? '')
    })
    const feeds = h('p', {})
    const notes = h('div', {})
    const next = button(t(m.import_preview_import), () =>
      resolve({ rows, columns, inCents: unitNow(), zone }),
    )

    const show = () => {
      for (const [column, select] of selects.entries()) {
        select.value = columns[column] ?? ''
        select.disabled = headerKey(file.headers[column] ?? '') === headerKey(ERROR_HEADER)
        select.closest('tr')?.classList.toggle('ignored', columns[column] === null)
      }
      feeds.textContent = feedsText(file.headers, columns)
      units.hidden =
        !(columns.includes('openingBalance') || columns.includes('priorAmount')) ||
        unitIn(file.headers, columns, file.records) !== null
      zones.hidden = !hasTimesWithoutZone(file, columns)
      const { blocking, advice } = warnings(file.headers, { rows, columns, inCents: unitNow() })
      const all = [file.warning, blocking, ...advice].filter((text) => text !== null)
      notes.replaceChildren(...all.map((text) => h('p', { class: 'note' }, text)))
      next.disabled = blocking !== null
    }

    showStep(
      t(m.import_columns),
      h('p', {}, fileText(file, platform)),
      kinds,
      feeds,
      notes,
      units,
      zones,
      choices,
      actions(
        next,
        button(t(m.import_choose_another), () => resolve(null), 'quiet'),
      ),
    )
    show()
  })

/** Which rows the file imports, and which it does not. */
const feedsText = (headers: string[], columns: Columns): string => {
  const { partners, customers } = imports(columns)
  const what =
    partners && customers ? 'both' : partners ? 'partners' : customers ? 'customers' : 'nothing'
  const hasCoupons = columns.includes('couponId')
  const ignored = headers.filter(
    (_, column) => !columns[column] || (columns[column] === 'couponLabel' && !hasCoupons),
  )
  return [
    t(m.import_file_imports, { what }),
    ignored.length > 0
      ? t(m.import_ignored, { columns: ignored.join(', ') })
      : t(m.import_none_ignored),
  ].join(' ')
}

/** The answers to what the rows describe. An address may be the customer's or the partner's. */
const rowNames = (headers: string[]): Record<RowKind, string> => {
  const email = headers.find((header) => /^e?mail(address)?$/.test(headerKey(header))) ?? 'email'
  return {
    partners: t(m.import_row_partner),
    customers: t(m.import_row_customer, { email }),
    both: t(m.import_row_both, { email }),
  }
}

/** A question with one answer. */
const choice = <Answer extends string>(
  id: string,
  legend: string,
  answers: Record<Answer, string>,
  chosen: Answer | null,
  onChoice: (answer: Answer) => void,
): HTMLFieldSetElement => {
  const name = `import-${id}`
  return h(
    'fieldset',
    {},
    h('legend', {}, legend),
    ...(Object.entries(answers) as [Answer, string][]).map(([answer, label]) => {
      const radio = h('input', {
        type: 'radio',
        name,
        id: `${name}-${answer}`,
        checked: answer === chosen,
      })
      radio.addEventListener('change', () => onChoice(answer))
      return h('p', { class: 'option' }, radio, h('label', { for: radio.id }, label))
    }),
  )
}

const hasTimesWithoutZone = ({ records }: CsvFile, columns: Columns): boolean => {
  const column = columns.indexOf('startedAt')
  return column >= 0 && records.some(({ cells }) => lacksZone(cellText(cells[column])))
}
