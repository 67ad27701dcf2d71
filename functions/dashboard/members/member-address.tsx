import type { Context } from 'hono'
import type { WorkspaceEnv } from '../../../lib/auth/access.ts'
import { newToken } from '../../../lib/db/ids.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { NO_EMAIL } from '../../../lib/http/fields.ts'
import { form } from '../../../lib/http/validate.ts'
import * as m from '../../../lib/languages/messages.ts'
import {
  cancelMemberAddress,
  confirmMemberAddress,
  findMemberAddress,
  requestMemberAddress,
} from '../../../lib/overview/member-address.queries.ts'
import { renderPage } from '../../../lib/pages/layout/render.tsx'
import { textsOf } from '../../../lib/pages/layout/text.ts'
import { sha256 } from '../../../lib/platform/sha256.ts'
import { freshMembersOnly } from '../../../lib/sign-in/fresh-sign-in.tsx'
import { readEmail } from '../../../lib/values/emails.ts'
import {
  AddressPage,
  CanceledPage,
  ChangedPage,
  ConfirmAddressPage,
  LinksSentPage,
  WaitingPage,
} from './member-address-pages.tsx'

const LINK_HOURS = 24

const PATH = '/app/:workspace/address'

type PageContext = Context<WorkspaceEnv>

const baseOf = (c: PageContext): string => `/app/${c.var.workspace.slug}/address`

const show = (
  c: PageContext,
  children: Parameters<typeof renderPage>[1]['children'],
  status: 200 | 400 = 200,
) => renderPage(c, { title: m.email_address, children }, status)

const showForm = (c: PageContext, problem?: string, email?: string) => {
  const children = (
    <AddressPage base={baseOf(c)} current={c.var.user.email} email={email} problem={problem} />
  )
  return show(c, children, problem ? 400 : 200)
}

/** A token for a link, and what is stored of it. */
const newLink = async (c: PageContext) => {
  const token = newToken()
  return {
    tokenHash: await sha256(token),
    url: new URL(`${baseOf(c)}/confirm?token=${token}`, c.req.url).href,
  }
}

/** /app/:workspace/address: changes a member's email address, in all workspaces. */
export default createRoutes<WorkspaceEnv>()
  .get(PATH, (c) => showForm(c))
  .post(PATH, freshMembersOnly(), form(), async (c) => {
    const { db, now, user, workspace } = c.var
    const t = textsOf(c)
    const typed = c.req.valid('form').email
    const to = readEmail(typed)
    if (!to) return showForm(c, NO_EMAIL, typed)
    if (to === user.email) return showForm(c, t(m.address_is_yours), typed)
    const isSaved = await requestMemberAddress(db, {
      from: user.email,
      to,
      workspaceId: workspace.id,
      old: await newLink(c),
      new: await newLink(c),
      now,
      expiresAt: new Date(now.getTime() + LINK_HOURS * 3_600_000),
    })
    if (!isSaved) return showForm(c, t(m.members_no_link_sent), typed)
    return show(c, <LinksSentPage from={user.email} to={to} hours={LINK_HOURS} />)
  })
  .get(`${PATH}/confirm`, async (c) => {
    const { db, now, user } = c.var
    const token = c.req.query('token') ?? ''
    const request = await findMemberAddress(db, user.email, await sha256(token), now)
    if (!request) return showForm(c, textsOf(c)(m.members_link_used_expired))
    if (request.isConfirmed)
      return show(c, <WaitingPage isNew={request.isNew} to={request.to} from={user.email} />)
    return show(
      c,
      <ConfirmAddressPage base={baseOf(c)} from={user.email} to={request.to} token={token} />,
    )
  })
  .post(`${PATH}/confirm`, form(), async (c) => {
    const { db, now, user } = c.var
    const t = textsOf(c)
    const tokenHash = await sha256(c.req.valid('form').token ?? '')
    const request = await findMemberAddress(db, user.email, tokenHash, now)
    if (!request) return showForm(c, t(m.members_link_used_expired))
    const { to, isNew } = request
    const outcome = await confirmMemberAddress(db, { from: user.email, to, tokenHash, now })
    if (outcome === 'taken') return showForm(c, t(m.members_new_address_belongs))
    if (outcome === 'expired') return showForm(c, t(m.members_link_used_expired))
    if (outcome === 'waits') return show(c, <WaitingPage isNew={isNew} to={to} from={user.email} />)
    return show(c, <ChangedPage to={to} />)
  })
  .post(`${PATH}/cancel`, form(), async (c) => {
    const { db, now, user } = c.var
    await cancelMemberAddress(db, user.email, await sha256(c.req.valid('form').token ?? ''), now)
    return show(c, <CanceledPage base={baseOf(c)} current={user.email} />)
  })
