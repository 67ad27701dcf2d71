import type { Context } from 'hono'
import { actOf, type WorkspaceEnv } from '../../../lib/auth/access.ts'
import { mayOpen } from '../../../lib/auth/roles/roles.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import type { ErrorDetail } from '../../../lib/http/errors.ts'
import { checked, type Fields, form } from '../../../lib/http/validate.ts'
import * as m from '../../../lib/languages/messages.ts'
import { renderPage, renderSection } from '../../../lib/pages/layout/render.tsx'
import { textsOf } from '../../../lib/pages/layout/text.ts'
import { confirmedByPasskey, freshMembersOnly } from '../../../lib/sign-in/fresh-sign-in.tsx'
import {
  changeRole,
  findMemberByEmail,
  handOver,
  type MemberUpdate,
  removeMember,
} from '../../../lib/tenancy/members/members.queries.ts'
import { HandOver } from '../../../lib/tenancy/members/members.schemas.ts'
import { invitation, LAST_MANAGER } from '../../../lib/tenancy/members/members.ts'
import { HandedOverPage, HandOverPage, LeavePage } from './membership-pages.tsx'

const showHandOver = (
  c: Context<WorkspaceEnv>,
  state: { fields?: Fields; errors?: ErrorDetail[] } = {},
  status: 200 | 400 = 200,
) => {
  const children = <HandOverPage base={`/app/${c.var.workspace.slug}`} {...state} />
  return renderSection(c, '/members', m.members_hand_over_title, children, status)
}

const showLeave = (c: Context<WorkspaceEnv>, problem?: string) => {
  const { workspace } = c.var
  const { slug, name } = workspace
  const children = (
    <LeavePage
      base={`/app/${slug}`}
      name={name}
      mayHandOver={mayOpen(workspace, 'GET /members/hand-over')}
      {...{ problem }}
    />
  )
  return renderPage(c, { title: m.members_leave_the_workspace, children }, problem ? 409 : 200)
}

/** Ends the caller's membership, or changes the caller's role to member. */
const stepBack = async (
  c: Context<WorkspaceEnv>,
  stays: boolean,
): Promise<MemberUpdate | undefined> => {
  const { db, workspace, user } = c.var
  const own = await findMemberByEmail(db, workspace.id, user.email)
  if (!own) return undefined
  return stays ? changeRole(db, actOf(c), own.id, 'member') : removeMember(db, actOf(c), own.id)
}

const MEMBERS = '/app/:workspace/members'

/** Handing over a workspace, for managers, and leaving it, for every member. */
export default createRoutes<WorkspaceEnv>()
  .get(`${MEMBERS}/hand-over`, (c) => showHandOver(c))
  .post(`${MEMBERS}/hand-over`, freshMembersOnly(), confirmedByPasskey(), form(), async (c) => {
    const { db, user, workspace } = c.var
    const fields = c.req.valid('form')
    const { data, errors } = checked(HandOver, {
      email: fields.email ?? '',
      stay: fields.stay !== undefined,
    })
    if (errors) return showHandOver(c, { fields, errors }, 400)
    const { email, stay } = data
    if (email === user.email) {
      const own = [{ path: 'email', message: textsOf(c)(m.members_own_address) }]
      return showHandOver(c, { fields, errors: own }, 400)
    }
    const details = invitation({
      workspace,
      role: 'manager',
      invitedBy: user.email,
      baseUrl: c.req.url,
    })
    await handOver(db, actOf(c), { email, details })
    const update = await stepBack(c, stay)
    if (update?.outcome === 'last_manager') {
      const children = <HandedOverPage base={`/app/${workspace.slug}`} email={email} />
      return renderSection(c, '/members', m.members_hand_over_title, children)
    }
    return c.redirect(stay ? `/app/${workspace.slug}` : '/app?done=left', 303)
  })
  .get('/app/:workspace/leave', (c) => showLeave(c))
  .post('/app/:workspace/leave', freshMembersOnly(), async (c) => {
    const update = await stepBack(c, false)
    return update?.outcome === 'last_manager'
      ? showLeave(c, LAST_MANAGER)
      : c.redirect('/app?done=left', 303)
  })
