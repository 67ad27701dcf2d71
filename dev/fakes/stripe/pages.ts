/** The pages of the Stripe fake: the buyer's checkout, the merchant's overview, and who is connected. */
import { type Context, Hono } from 'hono'
import { csrf } from 'hono/csrf'
import { NONCE, type SecureHeadersVariables, secureHeaders } from 'hono/secure-headers'
import type { Links } from './account-links.ts'
import { applyCode, openSession, pay } from './buyer.ts'
import type { Connect } from './connect.ts'
import { connectControls, onboarding } from './connect-pages.ts'
import { closeDispute, dispute } from './disputes.ts'
import { Refusal } from './errors.ts'
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
  /** Plans what goes wrong with the next transfers: a platform's, or any. */
  planTransfers: (next: (StripeFailure | null)[], platform?: Platform) => void
}

/** A whole amount, as the overview's own buttons send it. */
const AMOUNT = /^\d{1,12}$/

const headers = (store: Store, links: Links) =>
  secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      styleSrc: [NONCE],
      // Whoever is done is sent back to where they came from, and a browser counts that as the form's way too.
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
    // The shop's address must be told to no other, but a form says where it comes from.
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
    if (!session) return c.text('There is no such checkout.', 404)
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
        if (!(error instanceof Refusal)) throw error
        return show(c, { code, problem: { field: 'code', text: error.message } })
      }
      return c.redirect(`${STRIPE_PATH}/pay/${c.req.param('id')}`, 303)
    })
    .post(`${STRIPE_PATH}/pay/:id`, async (c) => {
      const known = store.sessions.find(c.req.param('id'))
      // Pressed twice: it is paid, and the buyer is on the way back.
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

/** Where a buyer goes who has paid. */
const backToShop = ({ id, success_url }: { id: string; success_url: string | null }): string =>
  (success_url ?? STRIPE_PATH).replaceAll('{CHECKOUT_SESSION_ID}', id)

const overview = ({ store, webhooks, connect, planTransfers }: PageParts) => {
  const show = (c: Context<Visit>, problem?: string) =>
    c.html(
      overviewPage(store, connect.platforms, webhooks.deliveries(), c.get('secureHeadersNonce'), problem),
      problem ? 400 : 200,
    )
  /** Does what a button says, and shows what came of it. */
  const press = (c: Context<Visit>, act: () => unknown) => {
    try {
      act()
    } catch (error) {
      if (error instanceof Refusal) return show(c, error.message)
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
      return press(c, () => refund(store, webhooks, { payment, amount: amount ? Number(amount) : undefined }))
    })
    .post(`${STRIPE_PATH}/charges/:id/dispute`, (c) =>
      press(c, () => dispute(store, webhooks, c.req.param('id'))),
    )
    .post(`${STRIPE_PATH}/disputes/:id/close`, async (c) => {
      const status = (await readField(c, 'status')) === 'won' ? 'won' : 'lost'
      return press(c, () => closeDispute(store, webhooks, c.req.param('id'), status))
    })
    .post(`${STRIPE_PATH}/events/:id/resend`, (c) => press(c, () => webhooks.resend(c.req.param('id'))))
    .route('/', connectControls({ connect, planTransfers, press }))
}

/** All pages. They change things by forms only, sent from themselves. */
export const createPages = (parts: PageParts) => {
  const { store, webhooks, connect, links } = parts
  return new Hono<Visit>()
    .use(headers(store, links))
    .use(csrf())
    .route('/', checkout(store, webhooks))
    .route('/', onboarding(connect, links))
    .route('/', overview(parts))
    .notFound((c) => c.text('There is no such page.', 404))
}
