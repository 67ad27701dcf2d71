/** Rows of a list that a manager chooses, for a form below the list that changes all of them. */
import type { Fields } from '../../http/validate.ts'
import * as m from '../../languages/messages.ts'
import { t } from '../layout/text.ts'

/** Before the id in the name of a row's checkbox. */
const PREFIX = 'choice-'

/** The ids that a form chooses. */
export const chosenIn = (fields: Fields): string[] =>
  Object.keys(fields)
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => name.slice(PREFIX.length))

/** Keeps a choice in another form. */
export const Chosen = ({ ids }: { ids: string[] }) => (
  <>
    {ids.map((id) => (
      <input type="hidden" name={`${PREFIX}${id}`} value="on" />
    ))}
  </>
)

/** The cell that chooses a row. @param formId the form below the list @param what names the row */
export const ChoiceCell = ({ formId, id, what }: { formId: string; id: string; what: string }) => (
  <td class="choice">
    <input
      type="checkbox"
      form={formId}
      name={`${PREFIX}${id}`}
      aria-label={t(m.commissions_choose_what, { what })}
    />
  </td>
)
