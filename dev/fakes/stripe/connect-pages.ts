/** The pages for Connect: the onboarding form, and the overview's actions. */
import { type Context, Hono } from 'hono'
import type { SecureHeadersVariables } from 'hono/secure-headers'
import type { Links } from './account-links.ts'
import type { Step } from './accounts.ts'
import type { Connect } from './connect.ts'
import { StripeError } from './errors.ts'
import { readFailures, type StripeFailure } from './failures.ts'
import { noVisitPage, onboardingPage } from './pages/connect.ts'
import { STRIPE_PATH } from './pages/layout.ts'
import type { Platform } from './platforms.ts'

type Page = { Variables: SecureHeadersVariables }

const STEPS: Readonly<Record<string, Step>> = {
  onboard: 'onboard',
  leave: 'leave',
  review: 'review',
  restrict: 'restrict',
  reject: 'reject',
  restore: 'restore',
  close: 'close',
  change_bank: 'change_bank',
}

/**
 * The onboarding form behind an account link. The first visit uses the link up; the visit's own URL
 * can be reloaded. A used or expired link redirects to the refresh URL.
 */
export const onboarding = (connect: Connect, links: Links) => {
  const gone = (c: Context<Page>, text: string) =>
    c.html(noVisitPage('This link does not work', text, c.get('secureHeadersNonce')), 410)

  /** Ends a visit by applying a step, and redirects to the return URL. */
  const leave = (c: Context<Page>, step: Step) => {
    const visit = links.visit(c.req.param('visit'))
    if (!visit) return gone(c, 'This session has ended.')
    try {
      connect.step(visit.account, step)
    } catch (error) {
      if (error instanceof StripeError) return gone(c, error.message)
      throw error
    }
    return visit.returnUrl
      ? c.redirect(visit.returnUrl, 303)
      : gone(c, 'Your answers were saved. You can close this page.')
  }

  return new Hono<Page>()
    .get(`${STRIPE_PATH}/connect/:link{alu_.+}`, (c) => {
      const token = c.req.param('link')
      const link = links.find(token)
      if (!link) return c.text('No such link.', 404)
      const { account } = connect.platforms.owning(link.account)
      const visit = account.standing === 'closed' ? null : links.use(token)
      return c.redirect(visit ? `${STRIPE_PATH}/connect/${visit}` : link.refreshUrl, 303)
    })
    .get(`${STRIPE_PATH}/connect/:visit`, (c) => {
      const id = c.req.param('visit')
      const visit = links.visit(id)
      if (!visit) return gone(c, 'This session has ended.')
      const { account } = connect.platforms.owning(visit.account)
      if (account.standing === 'closed') return gone(c, `The account ${account.id} is closed.`)
      return c.html(onboardingPage(id, account, c.get('secureHeadersNonce')))
    })
    .post(`${STRIPE_PATH}/connect/:visit/finish`, (c) => leave(c, 'onboard'))
    .post(`${STRIPE_PATH}/connect/:visit/leave`, (c) => leave(c, 'leave'))
}

type Press = (c: Context<Page>, act: () => unknown) => Response | Promise<Response>
type Controls = {
  connect: Connect
  planTransfers: (next: (StripeFailure | null)[], platform?: Platform) => void
  /** Runs an action and shows its result. */
  press: Press
}

/**
 * The actions of the overview's buttons, and some for programs only. A form names its platform by
 * account id in `platform`, or by `key`; with neither, it applies to all platforms.
 */
export const connectControls = ({ connect, planTransfers, press }: Controls) => {
  const { platforms } = connect
  const platformOf = ({ platform, key }: Record<string, unknown>): Platform | undefined => {
    if (typeof key === 'string' && key) return platforms.of(key)
    if (typeof platform !== 'string' || !platform) return undefined
    const found = platforms.find(platform)
    if (found) return found
    throw new StripeError(404, { message: `No such account: '${platform}'` })
  }
  const read = async (c: Context<Page>) => {
    const form: Record<string, unknown> = await c.req.parseBody()
    return { form, field: (name: string) => String(form[name] ?? '').trim() }
  }

  return new Hono<Page>()
    .post(`${STRIPE_PATH}/accounts/:id/:step`, (c) => {
      const step = STEPS[c.req.param('step')]
      return step ? press(c, () => connect.step(c.req.param('id'), step)) : c.notFound()
    })
    .post(`${STRIPE_PATH}/transfers/:id/reverse`, (c) =>
      press(c, () => connect.reverse(c.req.param('id'))),
    )
    .post(`${STRIPE_PATH}/accounts/:id/payouts/paid`, (c) =>
      press(c, () => connect.payOut(c.req.param('id'))),
    )
    .post(`${STRIPE_PATH}/accounts/:id/payouts/refused`, (c) =>
      press(c, () => connect.refusePayout(connect.payOut(c.req.param('id')).id)),
    )
    .post(`${STRIPE_PATH}/balance`, async (c) => {
      const { form, field } = await read(c)
      return press(c, () => {
        const [amount] = /^\d{1,15}$/.exec(field('amount')) ?? []
        const [currency] = /^[a-z]{3}$/i.exec(field('currency')) ?? []
        if (!amount || !currency)
          throw new StripeError(400, { message: 'Enter a currency and an amount.' })
        platforms.setBalance(currency, Number(amount), platformOf(form))
      })
    })
    .post(`${STRIPE_PATH}/failures`, async (c) => {
      const { form, field } = await read(c)
      return press(c, () => planTransfers(readFailures(field('transfers')), platformOf(form)))
    })
    .post(`${STRIPE_PATH}/keys/revoke`, async (c) => {
      const { field } = await read(c)
      return press(c, () => platforms.revoke(field('key')))
    })
}
