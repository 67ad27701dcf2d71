/** The fake's pages: checkout, onboarding of connected accounts, and the merchant's overview. */
import { type Context, Hono } from 'hono'
import { csrf } from 'hono/csrf'
import { NONCE, type SecureHeadersVariables, secureHeaders } from 'hono/secure-headers'
import type { Links } from './account-links.ts'
import { applyCode, openSession, pay } from './buyer.ts'
import type { Connect } from './connect.ts'
import { connectControls, onboarding } from './connect-pages.ts'
import { closeDispute, dispute } from './disputes.ts'
import { StripeError } from './errors.ts'
import type { StripeFailure } from './failures.ts'
import { STRIPE_PATH } from './pages/layout.ts'
import { overviewPage } from './pages/overview.ts'
import { closedPage, knownEmail, payPage, type Typed } from './pages/pay.ts'
import { email as emailSchema } from './params.ts'
import type { Platform } from './platforms.ts'
import { refund } from './refunds.ts'
import type { Store } from './store.ts'
import { renew } from './subscriptions.ts'
import type { Webhooks } from './webhooks.ts'

type Visit = { Variables: SecureHeadersVariables }

type PageParts = {
  store: Store
  webhooks: Webhooks
  connect: Connect
  links: Links
  /** Plans failures of the next transfers, of one platform or of all. */
  planTransfers: (next: (StripeFailure | null)[], platform?: Platform) => void
}

/** An amount in minor units, as the overview's buttons send it. */
const AMOUNT = /^\d{1,12}$/

const headers = (store: Store, links: Links) =>
  secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      styleSrc: [NONCE],
      // form-action applies to redirects too: a submitted form redirects to the merchant's or
      // Tributary's site.
      formAction: [
        "'self'",
        (c: Context) => {
          const id = c.req.path.split('/')[4]
          const back = store.sessions.find(id)?.success_url ?? links.visit(id)?.returnUrl
          return back ? new URL(back).origin : "'self'"
        },
      ],
      baseUri: ["'none'"],
      frameAncestors: ["'none'"],
    },
    // Sends an Origin for the CSRF check, and no path to other sites.
    referrerPolicy: 'strict-origin-when-cross-origin',
    strictTransportSecurity: false,
  })

const readField = async (c: Context, name: string): Promise<string> => {
  const value = (await c.req.parseBody())[name]
  return typeof value === 'string' ? value.trim() : ''
}

const checkout = (store: Store, webhooks: Webhooks) => {
  const show = (c: Context<Visit>, typed: Typed = {}) => {
    const session = store.sessions.find(c.req.param('id'))
    const nonce = c.get('secureHeadersNonce')
    if (!session) return c.text('No such checkout.', 404)
    if (session.status !== 'open') return c.html(closedPage(nonce), 410)
    return c.html(payPage(store, session, nonce, typed), typed.problem ? 400 : 200)
  }

  return new Hono<Visit>()
    .get(`${STRIPE_PATH}/pay/:id`, (c) => show(c))
    .post(`${STRIPE_PATH}/pay/:id/code`, async (c) => {
      const code = await readField(c, 'code')
      try {
        applyCode(store, c.req.param('id'), code || null)
      } catch (error) {
        if (!(error instanceof StripeError)) throw error
        return show(c, { code, problem: { field: 'code', text: error.message } })
      }
      return c.redirect(`${STRIPE_PATH}/pay/${c.req.param('id')}`, 303)
    })
    .post(`${STRIPE_PATH}/pay/:id`, async (c) => {
      const known = store.sessions.find(c.req.param('id'))
      // Submitted twice: already paid.
      if (known?.status === 'complete') return c.redirect(backToShop(known), 303)
      if (known?.status !== 'open') return show(c)
      const session = openSession(store, known.id)
      const email = knownEmail(store, session) ?? (await readField(c, 'email'))
      if (!emailSchema.safeParse(email).success) {
        const text = 'Enter an address like ada@example.com.'
        return show(c, { email, problem: { field: 'email', text } })
      }
      return c.redirect(backToShop(pay(store, webhooks, session.id, { email })), 303)
    })
}

/** The URL to return to after a payment. */
const backToShop = ({ id, success_url }: { id: string; success_url: string | null }): string =>
  (success_url ?? STRIPE_PATH).replaceAll('{CHECKOUT_SESSION_ID}', id)

const overview = ({ store, webhooks, connect, planTransfers }: PageParts) => {
  const show = (c: Context<Visit>, problem?: string) =>
    c.html(
      overviewPage(
        store,
        connect.platforms,
        webhooks.deliveries(),
        c.get('secureHeadersNonce'),
        problem,
      ),
      problem ? 400 : 200,
    )
  /** Runs an action and shows its result. */
  const press = (c: Context<Visit>, act: () => unknown) => {
    try {
      act()
    } catch (error) {
      if (error instanceof StripeError) return show(c, error.message)
      throw error
    }
    return c.redirect(STRIPE_PATH, 303)
  }

  return new Hono<Visit>()
    .get(STRIPE_PATH, (c) => show(c))
    .post(`${STRIPE_PATH}/subscriptions/:id/renew`, (c) =>
      press(c, () => renew(store, webhooks, c.req.param('id'))),
    )
    .post(`${STRIPE_PATH}/charges/:id/refund`, async (c) => {
      const [amount] = AMOUNT.exec(await readField(c, 'amount')) ?? []
      const payment = c.req.param('id')
      return press(c, () =>
        refund(store, webhooks, { payment, amount: amount ? Number(amount) : undefined }),
      )
    })
    .post(`${STRIPE_PATH}/charges/:id/dispute`, (c) =>
      press(c, () => dispute(store, webhooks, c.req.param('id'))),
    )
    .post(`${STRIPE_PATH}/disputes/:id/close`, async (c) => {
      const status = (await readField(c, 'status')) === 'won' ? 'won' : 'lost'
      return press(c, () => closeDispute(store, webhooks, c.req.param('id'), status))
    })
    .post(`${STRIPE_PATH}/events/:id/resend`, (c) =>
      press(c, () => webhooks.resend(c.req.param('id'))),
    )
    .route('/', connectControls({ connect, planTransfers, press }))
}

/** All pages. Changes are made by same-origin forms only. */
export const createPages = (parts: PageParts) => {
  const { store, webhooks, connect, links } = parts
  return new Hono<Visit>()
    .use(headers(store, links))
    .use(csrf())
    .route('/', checkout(store, webhooks))
    .route('/', onboarding(connect, links))
    .route('/', overview(parts))
    .notFound((c) => c.text('Page not found.', 404))
}
