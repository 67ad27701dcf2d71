import type { Context } from 'hono'
import type { WorkspaceEnv } from '../../../lib/auth/access.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { checked, form } from '../../../lib/http/validate.ts'
import * as m from '../../../lib/languages/messages.ts'
import {
  Checkbox,
  controls,
  Field,
  type FormState,
  IDENTIFIER,
} from '../../../lib/pages/forms/fields.tsx'
import { LinkLine, Problem } from '../../../lib/pages/layout/parts.tsx'
import { renderSection } from '../../../lib/pages/layout/render.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { linkTo } from '../../../lib/pages/parts/tags.tsx'
import { addPartner, creationError } from '../../../lib/partners/changes/new-partner.service.ts'
import { programsAndGroupsQuery } from '../../../lib/partners/lists/partners.queries.ts'
import { NewPartner } from '../../../lib/partners/lists/partners.schemas.ts'
import { freshMembersOnly } from '../../../lib/sign-in/fresh-sign-in.tsx'
import { MAX_ID_LENGTH } from '../../../lib/values/external-ids.ts'
import { MAX_SLUG_LENGTH } from '../../../lib/values/slugs.ts'
import { GroupField, groupOptions, type ProgramAndGroup, ProgramField } from '../fields/choices.tsx'

const LABELS = {
  programId: m.program,
  email: m.email_address,
  name: m.partners_name_optional,
  slug: m.layout_slug_optional,
  groupId: m.layout_group,
  couponId: m.partners_coupon_optional,
}

type Props = FormState & { base: string; choices: ProgramAndGroup[]; message?: string | undefined }

const NewPartnerPage = ({ base, choices, fields, errors, message }: Props) => {
  const control = controls(LABELS, { fields, errors })
  return (
    <>
      <LinkLine href={`${base}/partners`}>{t(m.layout_partners)}</LinkLine>
      <h1>{t(m.partners_add_a_partner)}</h1>
      <Problem message={message} errors={errors} labels={LABELS} />
      <p>{t(m.partners_link_works_once, { link: linkTo(`${base}/import`) })}</p>
      <form method="post">
        <ProgramField {...control('programId')} choices={choices} />
        <Field {...control('email')} type="email" required autocomplete="off" />
        <Field {...control('name')} maxlength={MAX_ID_LENGTH} autocomplete="off" />
        <Field
          {...control('slug')}
          hint={t(m.partners_end_link_after)}
          maxlength={MAX_SLUG_LENGTH}
          {...IDENTIFIER}
        />
        <GroupField {...control('groupId')} groups={groupOptions(choices)} />
        <Field
          {...control('couponId')}
          hint={t(m.partners_id_coupon_promotion)}
          maxlength={MAX_ID_LENGTH}
          {...IDENTIFIER}
        />
        <Checkbox
          label={t(m.partners_send_welcome_email)}
          name="sendWelcomeEmail"
          hint={t(m.partners_link_how_sign)}
          checked={fields.sendWelcomeEmail !== undefined}
        />
        <button type="submit">{t(m.partners_add_partner)}</button>
      </form>
    </>
  )
}

const showForm = async (
  c: Context<WorkspaceEnv>,
  state: Omit<Props, 'base' | 'choices'>,
  status: 200 | 400 | 409,
) => {
  const { db, workspace } = c.var
  const base = `/app/${workspace.slug}`
  const choices = await programsAndGroupsQuery(db, workspace.id).execute()
  if (choices.length === 0) return c.redirect(`${base}/programs/new`, 303)
  const children = <NewPartnerPage base={base} choices={choices} {...state} />
  return renderSection(c, '/partners', m.partners_add_a_partner, children, status)
}

/** The field that caused a refusal. */
const WRONG = {
  slug_taken: 'slug',
  coupon_taken: 'couponId',
  group_not_found: 'groupId',
  program_not_found: 'programId',
}

const PATH = '/app/:workspace/partners/new'

/** /app/:workspace/partners/new: adds one partner, as POST /partners does. */
export default createRoutes<WorkspaceEnv>()
  .get(PATH, (c) => showForm(c, { fields: { sendWelcomeEmail: 'on' } }, 200))
  .post(PATH, freshMembersOnly(), form(), async (c) => {
    const fields = c.req.valid('form')
    const { email = '', sendWelcomeEmail, ...others } = fields
    const input = { ...others, email, sendWelcomeEmail: sendWelcomeEmail !== undefined }
    const { data, errors } = checked(NewPartner, input)
    if (errors) return showForm(c, { fields, errors }, 400)
    const created = await addPartner(c, data)
    if ('partner' in created) {
      const done = created.outcome === 'created' ? 'created' : 'exists'
      return c.redirect(
        `/app/${c.var.workspace.slug}/partners/${created.partner.id}?done=${done}`,
        303,
      )
    }
    const { message } = creationError(created, data)
    return showForm(c, { fields, errors: [{ path: WRONG[created.outcome], message }] }, 409)
  })
