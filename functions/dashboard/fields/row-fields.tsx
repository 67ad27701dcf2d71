/** Rows of a form, each with the button that removes it, and the button that adds one. */
import type { Child } from 'hono/jsx'
import type { ErrorDetail } from '../../../lib/http/errors.ts'
import type { Fields } from '../../../lib/http/validate.ts'
import type { Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { t } from '../../../lib/pages/layout/text.ts'
import { hidden } from '../../../lib/pages/parts/tags.tsx'
import { EditButton, type EditedForm } from './edit-button.tsx'
import { ROW } from './rows.ts'

type RowsProps = {
  form: EditedForm
  /** The start of the names of their fields. */
  list: string
  rows: Fields[]
  most: number
  words: {
    heading: Message
    number: Message<{ number: string }>
    none: Message
    add: Message
    tooMany: Message<{ count: string }>
  }
  /** The fields of a row. @param at the start of their names */
  fieldsOf: (row: Fields, at: string, isFocused: boolean) => Child
}

export const Rows = ({ form, list, rows, most, words, fieldsOf }: RowsProps) => {
  const error = form.errors.find(({ path }) => path === list)
  return (
    <section id={list}>
      <h2>{t(words.heading)}</h2>
      {error && <p class="error">{error.message}</p>}
      {rows.length === 0 && <p class="empty">{t(words.none)}</p>}
      {rows.map((row, i) => {
        const at = `${list}.${i}`
        const label = t(words.number, { number: String(i + 1) })
        const own = form.errors.find(({ path }) => path === at)
        return (
          <fieldset class="row" id={at}>
            <legend>{label}</legend>
            <input type="hidden" name={`${at}.${ROW}`} value="1" />
            <div class="fields">
              {own && <p class="error">{own.message}</p>}
              {fieldsOf(row, at, form.focus === at)}
            </div>
            <p class="actions">
              <EditButton form={form} does={`${at}.remove`}>
                {t(m.layout_remove_what, { what: label, hidden })}
              </EditButton>
            </p>
          </fieldset>
        )
      })}
      {rows.length < most ? (
        <p>
          <EditButton form={form} does={`${list}.add`}>
            {t(words.add)}
          </EditButton>
        </p>
      ) : (
        <p class="hint">{t(words.tooMany, { count: String(most) })}</p>
      )}
    </section>
  )
}

/** Which row each error is of, such as "Tier 2". */
export const rowLabels = (
  errors: ErrorDetail[],
  list: string,
  number: Message<{ number: string }>,
): Record<string, string> =>
  Object.fromEntries(
    errors.flatMap(({ path }) => {
      const [first, row] = path.split('.')
      return first !== list || row === undefined
        ? []
        : [[path, t(number, { number: String(Number(row) + 1) })]]
    }),
  )
