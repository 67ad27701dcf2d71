/** The pages about Connect: Stripe's own form, and what the overview's buttons do. */
import { type Context, Hono } from 'hono'
import type { SecureHeadersVariables } from 'hono/secure-headers'
import type { Links } from './account-links.ts'
import type { Step } from './accounts.ts'
import type { Connect } from './connect.ts'
import { Refusal } from './errors.ts'
import { readFailures, type StripeFailure } from './failures.ts'
import { noVisitPage, onboardingPage } from './pages/connect.ts'
import { STRIPE_PATH } from './pages/layout.ts'
import type { Platform } from './platforms.ts'

type Page = { Variables: SecureHeadersVariables }

const STEPS: Readonly<Record<string, Step>> = {
  onboard: 'onboard',
  leave: 'leave',
  restrict: 'restrict',
  reject: 'reject',
  restore: 'restore',
  close: 'close',
}

/**
 * The form that an account link leads to. The link is used up by the first visit, whose own address can be loaded
 * again; who comes too late, or a second time, is sent to where there is a new one.
 */
export const onboarding = (connect: Connect, links: Links) => {
  const gone = (c: Context<Page>, text: string) =>
    c.html(noVisitPage('There is nothing here', text, c.get('secureHeadersNonce')), 410)

  /** Ends a visit by a step, and sends its visitor back. */
  const leave = (c: Context<Page>, step: Step) => {
    const visit = links.visit(c.req.param('visit'))
    if (!visit) return gone(c, 'This visit is over.')
    try {
      connect.step(visit.account, step)
    } catch (error) {
      if (error instanceof Refusal) return gone(c, error.message)
      throw error
    }
    return visit.returnUrl
      ? c.redirect(visit.returnUrl, 303)
      : gone(c, 'All is saved. You may close this page.')
  }

  return new Hono<Page>()
    .get(`${STRIPE_PATH}/connect/:link{alu_.+}`, (c) => {
      const token = c.req.param('link')
      const link = links.find(token)
      if (!link) return c.text('There is no such link.', 404)
      const { account } = connect.platforms.owning(link.account)
      const visit = account.standing === 'closed' ? null : links.use(token)
      return c.redirect(visit ? `${STRIPE_PATH}/connect/${visit}` : link.refreshUrl, 303)
    })
    .get(`${STRIPE_PATH}/connect/:visit`, (c) => {
      const id = c.req.param('visit')
      const visit = links.visit(id)
      if (!visit) return gone(c, 'This visit is over.')
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
  /** Does what a button says, and shows what came of it. */
  press: Press
}

/**
 * What the overview's buttons do, and what only programs ask for. Whose it is, a form says by the account's id in
 * `platform` or by its `key`; by neither, it is everybody's.
 */
export const connectControls = ({ connect, planTransfers, press }: Controls) => {
  const { platforms } = connect
  const whose = ({ platform, key }: Record<string, unknown>): Platform | undefined => {
    if (typeof key === 'string' && key) return platforms.of(key)
    if (typeof platform !== 'string' || !platform) return undefined
    const found = platforms.find(platform)
    if (found) return found
    throw new Refusal(404, { message: `No such account: '${platform}'` })
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
    .post(`${STRIPE_PATH}/balance`, async (c) => {
      const { form, field } = await read(c)
      return press(c, () => {
        const [amount] = /^\d{1,15}$/.exec(field('amount')) ?? []
        const [currency] = /^[a-z]{3}$/i.exec(field('currency')) ?? []
        if (!amount || !currency)
          throw new Refusal(400, { message: 'A balance is a currency and an amount.' })
        platforms.setBalance(currency, Number(amount), whose(form))
      })
    })
    .post(`${STRIPE_PATH}/failures`, async (c) => {
      const { form, field } = await read(c)
      return press(c, () => planTransfers(readFailures(field('transfers')), whose(form)))
    })
    .post(`${STRIPE_PATH}/keys/revoke`, async (c) => {
      const { field } = await read(c)
      return press(c, () => platforms.revoke(field('key')))
    })
}
