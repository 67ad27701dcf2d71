/** Shared by the steps that map columns. */
import type { Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { t } from '../../text.ts'
import { h, select, table } from '../dom.ts'
import type { CsvFile } from '../file.ts'
import { cellText } from '../rules/reading/cells.ts'

/** Names the file, its rows, and the platform that exported it. */
export const fileText = ({ name, records }: CsvFile, platform: string | null): string =>
  [
    t(m.import_file_rows, { file: name, count: records.length }),
    platform ? t(m.import_recognized, { platform }) : t(m.import_not_recognized),
  ].join(' ')

/** A menu with its label. */
export const menu = (
  id: string,
  label: string,
  options: [value: string, text: string][],
  chosen: string,
  onChoice: (value: string) => void,
): HTMLElement => {
  const choice = select({ id }, options)
  choice.value = chosen
  choice.addEventListener('change', () => onChoice(choice.value))
  return h('div', { class: 'field' }, h('label', { for: id }, label), choice)
}

/** A menu of time zones, for times without one. */
export const zoneMenu = (
  id: string,
  chosen: string,
  onChoice: (zone: string) => void,
): HTMLElement => {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  const names = new Set(['UTC', own, ...Intl.supportedValuesOf('timeZone')])
  return menu(
    id,
    t(m.import_zone),
    [...names].map((name) => [name, name]),
    chosen,
    onChoice,
  )
}

/**
 * The columns with their first values, each with a menu of fields.
 * @returns also the menus, in the order of the columns
 */
export const columnTable = <Field extends string>(
  file: CsvFile,
  names: Record<Field, Message>,
  onChoice: (column: number, field: Field | null) => void,
): { part: HTMLElement; selects: HTMLSelectElement[] } => {
  const fields = Object.entries<Message>(names)
  const selects = file.headers.map((header, column) => {
    const choice = select({ 'aria-label': t(m.import_field_for, { header }) }, [
      ['', t(m.import_ignored_field)],
      ...fields.map(([field, name]): [string, string] => [field, t(name)]),
    ])
    choice.addEventListener('change', () =>
      onChoice(column, (choice.value || null) as Field | null),
    )
    return choice
  })
  const part = table(
    t(m.import_column_mapping),
    [t(m.import_column_and_values), t(m.import_field)],
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
  part.classList.add('columns')
  return { part, selects }
}

/** Enough to recognise a column. */
const MAX_EXAMPLES = 3

/** Longer examples make the table hard to read. */
const EXAMPLE_CHARACTERS = 60

/** The first values of a column. */
const examples = ({ records }: CsvFile, column: number): string[] => {
  const found: string[] = []
  for (const { cells } of records) {
    const text = cellText(cells[column])
    if (text)
      found.push(text.length > EXAMPLE_CHARACTERS ? `${text.slice(0, EXAMPLE_CHARACTERS)}…` : text)
    if (found.length === MAX_EXAMPLES) break
  }
  return found
}
