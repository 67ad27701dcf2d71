import type { Context } from 'hono'
import type { SessionEnv } from '../../../lib/auth/session.ts'
import { readContacts } from '../../../lib/brand/brands.queries.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { type NudgeEnv, nudge } from '../../../lib/http/rpc/nudge.service.ts'
import { rpc } from '../../../lib/http/rpc/rpc.ts'
import { checked, form } from '../../../lib/http/validate.ts'
import * as m from '../../../lib/languages/messages.ts'
import { Support } from '../../../lib/pages/layout/brand.tsx'
import {
  type CONNECT_NOTICES,
  ConfirmAccountPage,
  ContinuePage,
  DisconnectPage,
} from '../../../lib/pages/layout/connect.tsx'
import { LinkLine, Problem } from '../../../lib/pages/layout/parts.tsx'
import { renderPortal } from '../../../lib/pages/layout/portal.tsx'
import { noSuchPage } from '../../../lib/pages/layout/render.tsx'
import { textsOf } from '../../../lib/pages/layout/text.ts'
import {
  isHeldFor,
  listPayoutAccounts,
  type PayoutAccount,
} from '../../../lib/payouts/accounts/accounts.queries.ts'
import {
  Confirmation,
  NewConnection,
  OfWorkspace,
} from '../../../lib/payouts/accounts/accounts.schemas.ts'
import type { PayoutsService } from '../../../lib/payouts/payouts.rpc.ts'
import { sha256 } from '../../../lib/platform/sha256.ts'
import { freshPartnersOnly } from '../../../lib/sign-in/fresh-partner.tsx'

type ConnectEnv = SessionEnv & {
  Bindings: NudgeEnv<'OUTBOX'>['Bindings'] & {
    PAYOUTS: Pick<
      PayoutsService,
      'startOnboarding' | 'refreshAccount' | 'openDashboard' | 'confirmAccount' | 'disconnect'
    >
  }
}

/** Redirects to the portal with a notice about the account. */
const back = (c: Context<ConnectEnv>, notice: keyof typeof CONNECT_NOTICES) =>
  c.redirect(`/portal?connect=${notice}`, 303)

/** Renders the reason for a refusal, with the workspace's contacts if it is known. */
const refuse = async (c: Context<ConnectEnv>, message: string, workspaceId?: string) => {
  const contacts = workspaceId ? await readContacts(c.var.db, c.var.user.email, workspaceId) : []
  const t = textsOf(c)
  const children = (
    <>
      <h1>{t(m.went_wrong)}</h1>
      <Problem message={message} />
      {contacts.map((address) => (
        <Support supportEmail={address} />
      ))}
      <LinkLine href="/portal">{t(m.back_to_programs)}</LinkLine>
    </>
  )
  return renderPortal(c, { title: m.went_wrong, children }, 400)
}

/** The workspace in the URL. */
const workspaceIn = (c: Context<ConnectEnv>): string => {
  const { data } = checked(OfWorkspace, c.req.query())
  if (!data) throw noSuchPage()
  return data.workspace
}

/** The signed-in partner's account in a workspace. */
const ownAccount = async (
  c: Context<ConnectEnv>,
  workspaceId: string,
): Promise<PayoutAccount | undefined> => {
  const accounts = await listPayoutAccounts(c.var.db, c.var.user.email)
  return accounts.find((account) => account.workspaceId === workspaceId)
}

/** Starts or continues onboarding, after which Stripe redirects to our URLs. */
const onboard = async (c: Context<ConnectEnv>, workspaceId: string, country: string) => {
  const at = (page: 'return' | 'refresh') =>
    new URL(`/portal/connect/${page}?workspace=${workspaceId}`, c.req.url).href
  const request = { workspaceId, email: c.var.user.email, country }
  try {
    return await rpc(
      'payouts',
      c.env.PAYOUTS.startOnboarding({
        ...request,
        returnUrl: at('return'),
        refreshUrl: at('refresh'),
      }),
    )
  } finally {
    // Also after a GET or a refused call, which may have changed an account: its holder is mailed.
    nudge(c, 'OUTBOX')
  }
}

/**
 * /portal/connect and /portal/disconnect: a partner's Stripe account for all programs of one
 * workspace.
 */
export default createRoutes<ConnectEnv>()
  .post('/portal/connect', freshPartnersOnly(), form(), async (c) => {
    const { data, errors } = checked(NewConnection, c.req.valid('form'))
    if (errors) return refuse(c, errors.map(({ message }) => message).join(' '))
    const result = await onboard(c, data.workspace, data.country)
    if ('refused' in result) return refuse(c, result.refused, data.workspace)
    c.header('Refresh', `0; url=${result.url}`)
    return renderPortal(c, {
      title: m.continue_to_stripe,
      children: <ContinuePage url={result.url} />,
    })
  })
  .get('/portal/connect/return', async (c) => {
    const workspaceId = workspaceIn(c)
    const before = await ownAccount(c, workspaceId)
    if (!before?.stripeAccountId) return c.redirect('/portal', 303)
    const isKnown = await c.env.PAYOUTS.refreshAccount(workspaceId, before.stripeAccountId).then(
      () => true,
      () => false,
    )
    if (!isKnown) return back(c, 'unknown')
    const after = await ownAccount(c, workspaceId)
    const isHeld = after?.status === 'enabled' && (after.effectiveAt ?? c.var.now) > c.var.now
    return back(c, isHeld ? 'held' : (after?.status ?? 'disconnected'))
  })
  .get('/portal/connect/refresh', freshPartnersOnly(), async (c) => {
    const workspaceId = workspaceIn(c)
    const account = await ownAccount(c, workspaceId)
    if (!account) return c.redirect('/portal', 303)
    // Only the form replaces a closed account, because a link must not change anything.
    if (account.status === 'closed') return back(c, 'closed')
    const result = await onboard(c, workspaceId, account.country)
    return 'refused' in result
      ? refuse(c, result.refused, workspaceId)
      : c.redirect(result.url, 303)
  })
  .get('/portal/connect/dashboard', freshPartnersOnly(), async (c) => {
    const workspaceId = workspaceIn(c)
    const url = await rpc(
      'payouts',
      c.env.PAYOUTS.openDashboard({ workspaceId, email: c.var.user.email }),
    )
    return c.redirect(url ?? '/portal', 303)
  })
  .get('/portal/connect/confirm', async (c) => {
    const { data } = checked(Confirmation, c.req.query())
    const { db, now, user } = c.var
    const holder = { workspaceId: data?.workspace ?? '', email: user.email }
    if (!data || !(await isHeldFor(db, holder, await sha256(data.token), now)))
      return refuse(c, textsOf(c)(m.not_held), data?.workspace)
    const support = await readContacts(db, user.email, data.workspace)
    return renderPortal(c, {
      title: m.confirm_account_title,
      children: (
        <ConfirmAccountPage workspaceId={data.workspace} token={data.token} support={support} />
      ),
    })
  })
  .post('/portal/connect/confirm', form(), async (c) => {
    const { data } = checked(Confirmation, c.req.valid('form'))
    if (!data) return refuse(c, textsOf(c)(m.not_held))
    const holder = { workspaceId: data.workspace, email: c.var.user.email }
    const isConfirmed = await rpc('payouts', c.env.PAYOUTS.confirmAccount(holder, data.token))
    return isConfirmed ? back(c, 'confirmed') : refuse(c, textsOf(c)(m.not_held), data.workspace)
  })
  .get('/portal/disconnect', async (c) => {
    const workspaceId = workspaceIn(c)
    if (!(await ownAccount(c, workspaceId))) return c.redirect('/portal', 303)
    const children = <DisconnectPage workspaceId={workspaceId} />
    return renderPortal(c, { title: m.disconnect_title, children })
  })
  .post('/portal/disconnect', freshPartnersOnly(), form(), async (c) => {
    const { data, errors } = checked(OfWorkspace, c.req.valid('form'))
    if (errors) return refuse(c, errors.map(({ message }) => message).join(' '))
    const done = await rpc('payouts', c.env.PAYOUTS.disconnect(data.workspace, c.var.user.email))
    return 'refused' in done ? refuse(c, done.refused, data.workspace) : back(c, 'disconnected')
  })
