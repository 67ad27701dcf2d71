import type { Context } from 'hono'
import { managersOnly, type WorkspaceEnv } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { MAX_ID_LENGTH } from '../../lib/http/fields.ts'
import { checked, form } from '../../lib/http/validate.ts'
import { Checkbox, controls, Field, type FormState } from '../../lib/pages/fields.tsx'
import { Problem } from '../../lib/pages/parts.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import { MAX_SLUG_LENGTH } from '../../lib/slugs.ts'
import { addPartner, creationError } from '../../lib/workspace/new-partner.service.ts'
import { programsAndGroupsQuery } from '../../lib/workspace/partners.queries.ts'
import { NewPartner } from '../../lib/workspace/partners.schemas.ts'
import { GroupField, groupOptions, type ProgramAndGroup, ProgramField } from './choices.tsx'

const LABELS = {
  programId: 'Program',
  email: 'Email address',
  name: 'Name (optional)',
  slug: 'Slug (optional)',
  groupId: 'Group',
  couponId: 'Coupon (optional)',
}

type Props = FormState & { base: string; choices: ProgramAndGroup[]; message?: string | undefined }

const NewPartnerPage = ({ base, choices, fields, errors, message }: Props) => {
  const control = controls(LABELS, { fields, errors })
  return (
    <>
      <p>
        <a href={`${base}/partners`}>Partners</a>
      </p>
      <h1>Add a partner</h1>
      <Problem message={message} errors={errors} labels={LABELS} />
      <p>
        The partner’s link works at once. To add many, or to keep their links,{' '}
        <a href={`${base}/import`}>import a file</a>.
      </p>
      <form method="post">
        <ProgramField {...control('programId')} choices={choices} />
        <Field {...control('email')} type="email" required autocomplete="off" />
        <Field {...control('name')} maxlength={MAX_ID_LENGTH} autocomplete="off" />
        <Field
          {...control('slug')}
          hint="The end of the link, after ?via=. Made from the name if you leave it blank."
          maxlength={MAX_SLUG_LENGTH}
          autocomplete="off"
          autocapitalize="none"
          spellcheck="false"
        />
        <GroupField {...control('groupId')} groups={groupOptions(choices)} />
        <Field
          {...control('couponId')}
          hint="The ID of a coupon or promotion code in your payment processor. Its sales are credited to the partner."
          maxlength={MAX_ID_LENGTH}
          autocomplete="off"
          autocapitalize="none"
          spellcheck="false"
        />
        <Checkbox
          label="Send a welcome email"
          name="sendWelcomeEmail"
          hint="With the link, and how to sign in to the partner portal."
          checked={fields.sendWelcomeEmail !== undefined}
        />
        <button type="submit">Add partner</button>
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
  return renderPage(c, { title: 'Add a partner', section: '/partners', children }, status)
}

/** The field that a refusal is about. */
const WRONG = {
  slug_taken: 'slug',
  coupon_taken: 'couponId',
  group_not_found: 'groupId',
  program_not_found: 'programId',
}

const PATH = '/app/:workspace/partners/new'

/** /app/:workspace/partners/new: adds one partner, as POST /partners does. */
export default createRoutes<WorkspaceEnv>()
  .get(PATH, managersOnly(), (c) => showForm(c, { fields: { sendWelcomeEmail: 'on' } }, 200))
  .post(PATH, managersOnly(), form(), async (c) => {
    const fields = c.req.valid('form')
    const { email = '', sendWelcomeEmail, ...others } = fields
    const input = { ...others, email, sendWelcomeEmail: sendWelcomeEmail !== undefined }
    const { data, errors } = checked(NewPartner, input)
    if (errors) return showForm(c, { fields, errors }, 400)
    const created = await addPartner(c, data)
    if ('partner' in created) {
      const done = created.outcome === 'created' ? 'created' : 'exists'
      return c.redirect(`/app/${c.var.workspace.slug}/partners/${created.partner.id}?done=${done}`, 303)
    }
    const { message } = creationError(created, data)
    return showForm(c, { fields, errors: [{ path: WRONG[created.outcome], message }] }, 409)
  })
