/** The form with which people apply to a program. */

import { MAX_TEXT_LENGTH } from '../../lib/applications/applications.ts'
import type { PublicJoinPage } from '../../lib/applications/join-pages.queries.ts'
import { MAX_ID_LENGTH } from '../../lib/http/fields.ts'
import { Checkbox, controls, Field, type FormState, TextArea } from '../../lib/pages/fields.tsx'
import { Problem } from '../../lib/pages/parts.tsx'
import { Terms } from '../../lib/pages/terms.tsx'

const LABELS = {
  name: 'Your name',
  siteUrl: 'Your site or channel (optional)',
  promotion: 'How will you promote us?',
}

/** What an application says of the person, who was not invited. */
const Questions = ({ page, fields, errors }: FormState & { page: PublicJoinPage }) => {
  const control = controls(LABELS, { fields, errors })
  return (
    <>
      <Field {...control('siteUrl')} type="url" maxlength={MAX_TEXT_LENGTH} autocomplete="url" />
      <TextArea {...control('promotion')} required maxlength={MAX_TEXT_LENGTH} />
      {page.questions.map((question, index) => (
        <TextArea
          label={question}
          name={`answer${index}`}
          value={fields[`answer${index}`]}
          errors={errors}
          rows={2}
          required
          maxlength={MAX_TEXT_LENGTH}
        />
      ))}
    </>
  )
}

type FormProps = FormState & { page: PublicJoinPage; email: string; isInvited: boolean }

/** Who was invited says a name only, and accepts the terms. */
export const ApplyForm = ({ page, email, isInvited, fields, errors }: FormProps) => {
  const control = controls(LABELS, { fields, errors })
  const labels = Object.fromEntries(page.questions.map((question, index) => [`answer${index}`, question]))
  return (
    <>
      <Problem errors={errors} labels={{ ...LABELS, ...labels, accepts: 'Terms' }} />
      <p>
        You apply as <strong>{email}</strong>.
      </p>
      <form method="post">
        <Field {...control('name')} required maxlength={MAX_ID_LENGTH} autocomplete="name" />
        {!isInvited && <Questions page={page} fields={fields} errors={errors} />}
        {page.agreement && (
          <>
            <Terms agreement={page.agreement} />
            <input type="hidden" name="version" value={page.agreement.version} />
            <Checkbox label="I accept these terms" name="accepts" checked={fields.accepts !== undefined} />
          </>
        )}
        <button type="submit">{isInvited ? 'Become a partner' : 'Send application'}</button>
      </form>
    </>
  )
}
