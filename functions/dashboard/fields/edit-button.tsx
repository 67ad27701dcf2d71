import type { Child } from 'hono/jsx'
import type { ErrorDetail } from '../../../lib/http/errors.ts'

/** A form that buttons change before it is saved. */
export type EditedForm = {
  /** The path that buttons post to, which answers with the changed form. */
  edit: string
  errors: ErrorDetail[]
  /** The name of the part that gets the focus. */
  focus: string | null
}

type EditButtonProps = { form: EditedForm; does: string; children: Child; isDisabled?: boolean }

/** A button that answers with the changed form, and saves nothing. */
export const EditButton = ({ form, does, children, isDisabled }: EditButtonProps) => (
  <button
    type="submit"
    class="quiet small"
    formaction={form.edit}
    formnovalidate
    name="do"
    value={does}
    id={does}
    disabled={isDisabled}
    autofocus={form.focus === does}
  >
    {children}
  </button>
)
