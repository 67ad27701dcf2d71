/** The step that maps the file's columns to fields. */

import { counted } from '../../lib/plural.ts'
import { announce, button, h, showStep, table } from './dom.ts'
import type { CsvFile } from './file.ts'
import { unitIn } from './rules/balances.ts'
import { cellText } from './rules/cells.ts'
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
} from './rules/columns.ts'
import { lacksZone } from './rules/dates.ts'
import type { Field, RowKind } from './rules/fields.ts'

/** Longer examples make the table hard to read. */
const EXAMPLE_CHARACTERS = 60

/** Asks for the mapping. @returns null to choose another file */
export const askColumns = (file: CsvFile, chosen: Mapping | null): Promise<Mapping | null> =>
  new Promise((resolve) => {
    const { platform, ...recognised } = recognise(file.headers)
    let { rows, columns, inCents, zone } = chosen ?? { ...recognised, inCents: null, zone: 'UTC' }
    // What the file says, or was chosen before.
    const unitNow = () => unitIn(file.headers, columns, file.records) ?? inCents

    const kinds = choice('Each row describes', rowNames(file.headers), rows, (kind) => {
      rows = kind
      columns = recognise(file.headers, kind).columns
      show()
      announce(feeds.textContent ?? '')
    })
    const units = choice(
      'Amounts are in',
      UNITS,
      inCents === null ? null : inCents ? 'cents' : 'major',
      (unit) => {
        inCents = unit === 'cents'
        show()
      },
    )

    const zones = zoneChoice(zone, (name) => {
      zone = name
    })

    const selects = file.headers.map((header, column) => {
      const select = h(
        'select',
        { 'aria-label': `Field for “${header}”` },
        h('option', { value: '' }, 'Ignored'),
        ...Object.entries(FIELD_NAMES).map(([field, name]) => h('option', { value: field }, name)),
      )
      select.disabled = headerKey(header) === headerKey(ERROR_HEADER)
      select.addEventListener('change', () => {
        columns = remap(columns, column, (select.value || null) as Field | null)
        show()
        announce(feeds.textContent ?? '')
      })
      return select
    })
    const feeds = h('p', {})
    const notes = h('div', {})
    const next = button('Preview import', () => resolve({ rows, columns, inCents: unitNow(), zone }))

    const show = () => {
      for (const [column, select] of selects.entries()) {
        select.value = columns[column] ?? ''
        select.closest('tr')?.classList.toggle('ignored', columns[column] === null)
      }
      const { partners, customers } = imports(columns)
      const what = [partners && 'partners', customers && 'customers'].filter(Boolean).join(' and ')
      const coupons = columns.includes('couponId')
      const ignored = file.headers.filter(
        (_, column) => !columns[column] || (columns[column] === 'couponLabel' && !coupons),
      )
      feeds.textContent = `${what ? `This file imports ${what}.` : 'Nothing will be imported yet.'} ${
        ignored.length > 0 ? `Ignored: ${ignored.join(', ')}.` : 'No columns are ignored.'
      }`
      units.hidden =
        !(columns.includes('openingBalance') || columns.includes('priorAmount')) ||
        unitIn(file.headers, columns, file.records) !== null
      zones.hidden = !hasTimesWithoutZone(file, columns)
      const { blocking, advice } = warnings(file.headers, { rows, columns, inCents: unitNow() })
      const all = [file.warning, blocking, ...advice].filter((text) => text !== null)
      notes.replaceChildren(...all.map((text) => h('p', { class: 'note' }, text)))
      next.disabled = blocking !== null
    }

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
            ...examples(file, column).map((text) => h('span', { class: 'example' }, text)),
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
      kinds,
      feeds,
      notes,
      units,
      zones,
      choices,
      h(
        'p',
        { class: 'actions' },
        next,
        button('Choose another file', () => resolve(null), 'quiet'),
      ),
    )
    show()
  })

/** The answers to what the rows describe. An address may be the customer's or the partner's. */
const rowNames = (headers: string[]): Record<RowKind, string> => {
  const email = headers.find((header) => /^e?mail(address)?$/.test(headerKey(header))) ?? 'email'
  return {
    partners: 'A partner',
    customers: `A customer. “${email}” is the customer’s address.`,
    both: `A customer. “${email}” is the address of their partner, who is imported too.`,
  }
}

const UNITS = { major: 'Dollars: 1234 is 1,234.00 USD', cents: 'Cents: 1234 is 12.34 USD' }

/** A question with one answer. */
const choice = <Answer extends string>(
  legend: string,
  answers: Record<Answer, string>,
  chosen: Answer | null,
  onChoice: (answer: Answer) => void,
): HTMLFieldSetElement => {
  const name = `import-${legend.toLowerCase().replaceAll(' ', '-')}`
  return h(
    'fieldset',
    {},
    h('legend', {}, legend),
    ...(Object.entries(answers) as [Answer, string][]).map(([answer, label]) => {
      const id = `${name}-${answer}`
      const radio = h('input', { type: 'radio', name, id, checked: answer === chosen })
      radio.addEventListener('change', () => onChoice(answer))
      return h('p', { class: 'option' }, radio, h('label', { for: id }, label))
    }),
  )
}

/** A menu of the zones of times that name none. */
const zoneChoice = (zone: string, onChoice: (zone: string) => void): HTMLElement => {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  const names = new Set(['UTC', own, ...Intl.supportedValuesOf('timeZone')])
  const id = 'import-zone'
  const select = h('select', { id }, ...[...names].map((name) => h('option', { value: name }, name)))
  select.value = zone
  select.addEventListener('change', () => onChoice(select.value))
  return h('div', { class: 'field' }, h('label', { for: id }, 'Time zone of dates that name none'), select)
}

const hasTimesWithoutZone = ({ records }: CsvFile, columns: Columns): boolean => {
  const column = columns.indexOf('startedAt')
  return column >= 0 && records.some(({ cells }) => lacksZone(cellText(cells[column])))
}

/** Values that show what a column holds. */
const MAX_EXAMPLES = 3

/** The first values of a column. */
const examples = ({ records }: CsvFile, column: number): string[] => {
  const found: string[] = []
  for (const { cells } of records) {
    const text = cellText(cells[column])
    if (text) found.push(text.length > EXAMPLE_CHARACTERS ? `${text.slice(0, EXAMPLE_CHARACTERS)}…` : text)
    if (found.length === MAX_EXAMPLES) break
  }
  return found
}
