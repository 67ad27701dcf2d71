import type { Context } from 'hono'
import { InvitationForm } from '../../../lib/applications/applications.schemas.ts'
import { MAX_INVITED } from '../../../lib/applications/applications.ts'
import { countInvitees, type Invited } from '../../../lib/applications/invitations.ts'
import { invitePeople } from '../../../lib/applications/invite.service.ts'
import type { WorkspaceEnv } from '../../../lib/auth/access.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { checked, form } from '../../../lib/http/validate.ts'
import * as m from '../../../lib/languages/messages.ts'
import { controls, type FormState, TextArea } from '../../../lib/pages/forms/fields.tsx'
import { Done, LinkLine, Problem } from '../../../lib/pages/layout/parts.tsx'
import { renderSection } from '../../../lib/pages/layout/render.tsx'
import { t, textsOf } from '../../../lib/pages/layout/text.ts'
import { programsAndGroupsQuery } from '../../../lib/partners/lists/partners.queries.ts'
import { freshMembersOnly } from '../../../lib/sign-in/fresh-sign-in.tsx'
import { GroupField, groupOptions, type ProgramAndGroup, ProgramField } from '../fields/choices.tsx'

const LABELS = {
  programId: m.program,
  groupId: m.layout_group,
  emails: m.applications_email_addresses,
}

/** The results of invitations, in words. */
const resultWords = ({ invited, invitedBefore, partners, applied, blocked }: Invited): string =>
  [
    t(m.applications_count_invited, { invited }),
    invitedBefore > 0 && t(m.applications_count_invited_before, { invitedBefore }),
    partners > 0 && t(m.applications_count_partners, { partners }),
    applied > 0 && t(m.applications_count_applied, { applied }),
    blocked > 0 && t(m.applications_count_blocked, { blocked }),
  ]
    .filter(Boolean)
    .join(' ')

type Props = FormState & { base: string; choices: ProgramAndGroup[]; result?: Invited | undefined }

const InvitePage = ({ base, choices, fields, errors, result }: Props) => {
  const control = controls(LABELS, { fields, errors })
  return (
    <>
      <LinkLine href={`${base}/applications`}>{t(m.layout_applications)}</LinkLine>
      <h1>{t(m.applications_invite_people)}</h1>
      <Done message={result && resultWords(result)} />
      <Problem errors={errors} labels={LABELS} />
      <p>{t(m.applications_invite_intro)}</p>
      <form method="post">
        <ProgramField {...control('programId')} choices={choices} />
        <GroupField {...control('groupId')} groups={groupOptions(choices)} />
        <TextArea
          {...control('emails')}
          hint={t(m.applications_emails_hint, { max: String(MAX_INVITED) })}
          rows={8}
          required
          autocomplete="off"
          spellcheck="false"
        />
        <button type="submit">{t(m.applications_send_invitations)}</button>
      </form>
    </>
  )
}

const PATH = '/app/:workspace/applications/invite'

const show = async (
  c: Context<WorkspaceEnv>,
  state: Omit<Props, 'base' | 'choices'>,
  status: 200 | 400 = 200,
) => {
  const { db, workspace } = c.var
  const base = `/app/${workspace.slug}`
  const choices = await programsAndGroupsQuery(db, workspace.id).execute()
  if (choices.length === 0) return c.redirect(`${base}/programs/new`, 303)
  const children = <InvitePage base={base} choices={choices} {...state} />
  return renderSection(c, '/applications', m.applications_invite_people, children, status)
}

/** /app/:workspace/applications/invite: invites people by email. */
export default createRoutes<WorkspaceEnv>()
  .get(PATH, (c) => show(c, { fields: {} }))
  .post(PATH, freshMembersOnly(), form(), async (c) => {
    const fields = c.req.valid('form')
    const { programId = '', groupId = null, emails = '' } = fields
    const { data, errors } = checked(InvitationForm, { programId, groupId, emails })
    if (errors) return show(c, { fields, errors }, 400)
    const invitees = await invitePeople(c, data)
    if (typeof invitees === 'string') {
      const unknown = [{ path: 'groupId', message: textsOf(c)(m.layout_unknown_group) }]
      return show(c, { fields, errors: unknown }, 400)
    }
    return show(c, { fields: {}, result: countInvitees(invitees) })
  })
