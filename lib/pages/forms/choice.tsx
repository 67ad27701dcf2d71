/** Selects rows of a list, for a form below the list that changes them. */
import type { Fields } from '../../http/validate.ts'
import * as m from '../../languages/messages.ts'
import { t } from '../layout/text.ts'

/** The prefix of a checkbox's name, before the row's id. */
const PREFIX = 'choice-'

/** The ids of the selected rows. */
export const chosenIn = (fields: Fields): string[] =>
  Object.keys(fields)
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => name.slice(PREFIX.length))

/** Keeps the selection in another form. */
export const Chosen = ({ ids }: { ids: string[] }) => (
  <>
    {ids.map((id) => (
      <input type="hidden" name={`${PREFIX}${id}`} value="on" />
    ))}
  </>
)

/**
 * The cell with a row's checkbox. @param formId the form below the list @param what names the row
 */
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
