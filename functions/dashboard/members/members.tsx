import type { Context } from 'hono'
import { actOf, type WorkspaceEnv } from '../../../lib/auth/access.ts'
import { changeById, readById } from '../../../lib/auth/rows.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import type { ErrorDetail } from '../../../lib/http/errors.ts'
import { notFound } from '../../../lib/http/found-or-404.ts'
import { Page, page } from '../../../lib/http/lists.ts'
import { checked, type Fields, form, query } from '../../../lib/http/validate.ts'
import type { Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { holdsMails } from '../../../lib/mail/outbox/held-mails.queries.ts'
import { noticeFor } from '../../../lib/pages/layout/parts.tsx'
import { renderSection } from '../../../lib/pages/layout/render.tsx'
import { confirmedByPasskey, freshMembersOnly } from '../../../lib/sign-in/fresh-sign-in.tsx'
import {
  cancelPasskey,
  listWaitingPasskeys,
} from '../../../lib/tenancy/members/member-passkeys.queries.ts'
import {
  changeMember,
  findMember,
  inviteMember,
  listMembers,
  type Member,
  removeMember,
} from '../../../lib/tenancy/members/members.queries.ts'
import { MemberChange, NewMember } from '../../../lib/tenancy/members/members.schemas.ts'
import { alreadyMember, invitation, LAST_MANAGER } from '../../../lib/tenancy/members/members.ts'
import { MemberPage, MembersPage, RemovePage } from './member-pages.tsx'

const DONE = {
  invited: m.members_invited_receive_email,
  invited_held: m.members_invited_held,
  changed: m.members_updated,
  removed: m.members_removed_no_longer,
  passkey_removed: m.members_passkey_removed,
}

const findOne = (c: Context<WorkspaceEnv, '/:id'>): Promise<Member> =>
  readById(c, 'member', findMember)

const showMembers = async (
  c: Context<WorkspaceEnv>,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
  state: { fields?: Fields; errors?: ErrorDetail[]; done?: Message | undefined },
  status: 200 | 400 | 409 = 200,
) => {
  const { db, now, workspace } = c.var
  const [members, waiting] = await Promise.all([
    listMembers(db, workspace.id, { cursor, limit: limit + 1 }),
    workspace.payoutsRequirePasskey ? listWaitingPasskeys(db, workspace.id, now) : [],
  ])
  const shown = page(members, limit)
  const children = (
    <MembersPage
      base={`/app/${workspace.slug}/members`}
      members={shown}
      {...{ waiting }}
      url={c.req.url}
      {...state}
    />
  )
  return renderSection(c, '/members', m.layout_members, children, status)
}

/** The path after a change. A user who lost access to the page goes to one that they may see. */
const nextPath = (
  c: Context<WorkspaceEnv>,
  member: Member,
  done: 'changed' | 'removed',
): string => {
  const base = `/app/${c.var.workspace.slug}`
  if (member.email !== c.var.user.email) return `${base}/members?done=${done}`
  return done === 'removed' ? '/app?done=left' : base
}

const MEMBERS = '/app/:workspace/members'

/** /app/:workspace/members: members and their roles. Managers only. */
export default createRoutes<WorkspaceEnv>()
  .get(MEMBERS, query(Page), (c) =>
    showMembers(c, c.req.valid('query'), { done: noticeFor(DONE, c.req.query('done')) }),
  )
  .post(MEMBERS, freshMembersOnly(), confirmedByPasskey(), form(), async (c) => {
    const { db, user, workspace } = c.var
    const fields = c.req.valid('form')
    const again = (errors: ErrorDetail[], status: 400 | 409) =>
      showMembers(c, Page.parse({}), { fields, errors }, status)
    const { data, errors } = checked(NewMember, { email: fields.email ?? '', role: fields.role })
    if (errors) return again(errors, 400)

    const { email, role } = data
    const details = invitation({ workspace, role, invitedBy: user.email, baseUrl: c.req.url })
    const member = await inviteMember(db, actOf(c), { email, details })
    if (!member) return again([{ path: 'email', message: alreadyMember(email) }], 409)
    const done = (await holdsMails(db, workspace.id, email)) ? 'invited_held' : 'invited'
    return c.redirect(`/app/${workspace.slug}/members?done=${done}`, 303)
  })
  .post(`${MEMBERS}/passkeys/:id/remove`, freshMembersOnly(), async (c) => {
    const { workspace } = c.var
    const url = new URL('/auth/passkeys', c.req.url).href
    const isRemoved = await changeById(c, 'passkey', cancelPasskey, url)
    if (!isRemoved) throw notFound('passkey')
    return c.redirect(`/app/${workspace.slug}/members?done=passkey_removed`, 303)
  })
  .get(`${MEMBERS}/:id`, async (c) => {
    const member = await findOne(c)
    const children = <MemberPage base={`/app/${c.var.workspace.slug}/members`} member={member} />
    return renderSection(c, '/members', member.email, children)
  })
  .post(`${MEMBERS}/:id`, freshMembersOnly(), confirmedByPasskey(), form(), async (c) => {
    const { workspace } = c.var
    const { role, payoutMails } = c.req.valid('form')
    const { data, errors } = checked(MemberChange, {
      role: role ?? '',
      payoutMails: payoutMails !== undefined,
    })
    const update = data ? await changeById(c, 'member', changeMember, data) : null
    if (update?.outcome === 'done') return c.redirect(nextPath(c, update.member, 'changed'), 303)

    const before = await findOne(c)
    const children = (
      <MemberPage
        base={`/app/${workspace.slug}/members`}
        member={before}
        problem={errors ? undefined : LAST_MANAGER}
        errors={errors}
      />
    )
    return renderSection(c, '/members', before.email, children, errors ? 400 : 409)
  })
  .get(`${MEMBERS}/:id/remove`, async (c) => {
    const member = await findOne(c)
    const children = <RemovePage base={`/app/${c.var.workspace.slug}/members`} member={member} />
    return renderSection(c, '/members', m.members_remove_a_member, children)
  })
  .post(`${MEMBERS}/:id/remove`, freshMembersOnly(), confirmedByPasskey(), async (c) => {
    const { workspace } = c.var
    const update = await changeById(c, 'member', removeMember)
    if (update.outcome === 'done') return c.redirect(nextPath(c, update.member, 'removed'), 303)

    const base = `/app/${workspace.slug}/members`
    const children = <RemovePage base={base} member={await findOne(c)} problem={LAST_MANAGER} />
    return renderSection(c, '/members', m.members_remove_a_member, children, 409)
  })
