import { MAX_TEXT_LENGTH } from '../../../lib/applications/applications.ts'
import type { PublicJoinPage } from '../../../lib/applications/join-pages.queries.ts'
import * as m from '../../../lib/languages/messages.ts'
import {
  Checkbox,
  controls,
  Field,
  type FormState,
  TextArea,
} from '../../../lib/pages/forms/fields.tsx'
import { Terms } from '../../../lib/pages/forms/terms.tsx'
import { Problem } from '../../../lib/pages/layout/parts.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { strong } from '../../../lib/pages/parts/tags.tsx'
import { MAX_ID_LENGTH } from '../../../lib/values/external-ids.ts'

const labels = () => ({
  name: t(m.your_name),
  siteUrl: t(m.your_site),
  promotion: t(m.your_promotion),
})

/** The questions for a person who was not invited. */
const Questions = ({ page, fields, errors }: FormState & { page: PublicJoinPage }) => {
  const control = controls(labels(), { fields, errors })
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

/** An invited person enters a name only, and accepts the terms. */
export const ApplyForm = ({ page, email, isInvited, fields, errors }: FormProps) => {
  const control = controls(labels(), { fields, errors })
  const answers = Object.fromEntries(
    page.questions.map((question, index) => [`answer${index}`, question]),
  )
  return (
    <>
      <Problem errors={errors} labels={{ ...labels(), ...answers, accepts: t(m.terms) }} />
      <p>{t(m.apply_as, { email, strong })}</p>
      <form method="post">
        <Field {...control('name')} required maxlength={MAX_ID_LENGTH} autocomplete="name" />
        {!isInvited && <Questions page={page} fields={fields} errors={errors} />}
        {page.agreement && (
          <>
            <Terms agreement={page.agreement} />
            <input type="hidden" name="version" value={page.agreement.version} />
            <Checkbox
              label={t(m.accept_these_terms)}
              name="accepts"
              checked={fields.accepts !== undefined}
            />
          </>
        )}
        <button type="submit">{t(isInvited ? m.become_partner : m.send_application)}</button>
      </form>
    </>
  )
}
