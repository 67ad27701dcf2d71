/** The step that maps the file's columns to fields. */

import { counted } from '../../lib/plural.ts'
import { announce, button, h, showStep, table } from './dom.ts'
import type { CsvFile } from './file.ts'
import { cellText } from './rules/cells.ts'
import {
  type Columns,
  ERROR_HEADER,
  FIELD_NAMES,
  headerKey,
  imports,
  recognise,
  remap,
  warnings,
} from './rules/columns.ts'
import type { Field } from './rules/fields.ts'

/** Longer examples make the table hard to read. */
const EXAMPLE_CHARACTERS = 60

/** Asks for the mapping. @returns null to choose another file */
export const askColumns = (file: CsvFile, chosen: Columns | null): Promise<Columns | null> =>
  new Promise((resolve) => {
    const { platform, columns: recognised } = recognise(file.headers)
    let columns = chosen ?? recognised

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
    const next = button('Preview import', () => resolve(columns))

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
      const { blocking, advice } = warnings(file.headers, columns)
      const all = [file.warning, blocking, ...advice].filter((text) => text !== null)
      notes.replaceChildren(...all.map((text) => h('p', { class: 'note' }, text)))
      next.disabled = blocking !== null
    }

    const choices = table(
      'Column mapping',
      ['Column and first value', 'Field'],
      file.headers.map((header, column) =>
        h(
          'tr',
          {},
          h('th', { scope: 'row' }, header, h('span', { class: 'example' }, example(file, column))),
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
      feeds,
      notes,
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

/** The first value of a column. */
const example = ({ records }: CsvFile, column: number): string => {
  const found = records.find(({ cells }) => cellText(cells[column]) !== '')
  const text = cellText(found?.cells[column])
  return text.length > EXAMPLE_CHARACTERS ? `${text.slice(0, EXAMPLE_CHARACTERS)}…` : text
}
