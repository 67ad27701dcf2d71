/** The demo shop: a merchant's site with a backend that reports to Tributary. */
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { csrf } from 'hono/csrf'
import { HTTPException } from 'hono/http-exception'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { accountPage } from './account.ts'
import { checkoutPage } from './checkout.ts'
import type { ShopConfig } from './config.ts'
import { homePage } from './home.ts'
import { file, forCustomer, readFields, type Visit } from './http.ts'
import { layout, messagePage, type Page } from './layout.ts'
import { createMerchant } from './merchant.ts'
import { DEFAULT_PLAN, findPlan, type Plan } from './plans.ts'
import { pricingPage } from './pricing.ts'
import { receiptPage } from './receipt.ts'
import { reportPanel } from './report-panel.ts'
import { security } from './security.ts'
import { readClickId, readSignUp, signUpPage } from './sign-up.ts'
import { type Customer, createSessions, type Invoice, newInvoiceId } from './store.ts'
import { createStripe } from './stripe.ts'
import { stripePanel } from './stripe-panel.ts'
import { createTributary } from './tributary.ts'

const SESSION_COOKIE = 'pine_session'
/** Written by the snippet. */
const CLICK_COOKIE = 'tributary_click'
/** Far more than the shop's largest form. */
const MAX_FORM_BYTES = 16 * 1024

const findInvoice = ({ invoices }: Customer, id: string | undefined): Invoice | undefined =>
  invoices.find((invoice) => invoice.id === id)

/** The shop's app. */
export const createShop = (config: ShopConfig) => {
  const merchant = createMerchant(
    createTributary({ url: config.tributaryUrl, apiKey: config.apiKey }),
  )
  const stripe = createStripe(config)
  const sessions = createSessions()
  /** The customer of each completed checkout session. */
  const claimed = new Map<string, Customer>()

  const signIn = (c: Context<Visit>, customer: Customer): void => {
    // No `Secure`: the demo is plain http. A real shop sets it.
    setCookie(c, SESSION_COOKIE, sessions.open(customer), {
      httpOnly: true,
      sameSite: 'Lax',
      path: '/',
    })
  }

  const show = (c: Context<Visit>, page: Page, status: ContentfulStatusCode = 200) => {
    const { secureHeadersNonce: nonce, customer } = c.var
    return c.html(layout(page, { config, path: c.req.path, nonce, customer }), status)
  }

  /**
   * One payment per form: submitting it again, or going back and resubmitting, shows the first
   * receipt.
   */
  const pay = async (
    c: Context<Visit>,
    customer: Customer,
    plan: Plan,
    eventName: Invoice['eventName'],
  ) => {
    const { invoice: id } = await readFields(c)
    if (id === customer.nextInvoiceId) merchant.charge(customer, plan, eventName)
    else if (!findInvoice(customer, id)) {
      return show(c, checkoutPage(customer, plan, 'This form has expired. Please pay again.'), 400)
    }
    return c.redirect(`/receipts/${id}`, 303)
  }

  /** The same at Stripe, which takes the payment and reports it to Tributary. */
  const renewAtStripe = async (
    c: Context<Visit>,
    customer: Customer,
    plan: Plan,
    subscription: string,
  ) => {
    const { invoice: form } = await readFields(c)
    if (form !== customer.nextInvoiceId || !customer.stripe) return c.redirect('/account', 303)
    customer.nextInvoiceId = newInvoiceId()
    const invoice = await stripe.renew(subscription, plan, customer.stripe)
    merchant.receive(customer, invoice, subscription)
    return c.redirect(`/receipts/${invoice.id}`, 303)
  }

  const panelOf = (customer: Customer, { reported, ...invoice }: Invoice) =>
    reported.by === 'stripe'
      ? stripePanel(config, stripe, customer, { ...invoice, reported })
      : reportPanel(config, reported.delivery, {
          action: `/receipts/${invoice.id}/again`,
          repeat: reported.repeat,
        })

  return new Hono<Visit>()
    .get('/shop.css', file('shop.css', 'text/css; charset=utf-8'))
    .get('/demo.css', file('demo.css', 'text/css; charset=utf-8'))
    .get('/icon.svg', file('icon.svg', 'image/svg+xml'))
    .use(security(config.tributaryUrl))
    .use(csrf())
    .use(bodyLimit({ maxSize: MAX_FORM_BYTES }))
    .use(async function openSession(c, next) {
      c.set('customer', sessions.find(getCookie(c, SESSION_COOKIE)))
      c.header('Cache-Control', 'no-store')
      await next()
    })

    .get('/', (c) => show(c, homePage(config)))
    .get('/pricing', (c) => show(c, pricingPage(config.promotionCode)))

    .get('/sign-up', (c) =>
      c.var.customer
        ? c.redirect('/account', 303)
        : show(c, signUpPage({ plan: c.req.query('plan') ?? '' })),
    )
    .post('/sign-up', async (c) => {
      const fields = await readFields(c)
      const read = readSignUp(fields)
      if ('problems' in read) return show(c, signUpPage(fields, read.problems), 400)

      signIn(c, merchant.signUp(read.signUp))
      const { planId } = read.signUp
      return c.redirect(planId ? `/account?plan=${planId}` : '/account', 303)
    })
    .post('/start-over', (c) => {
      sessions.close(deleteCookie(c, SESSION_COOKIE))
      deleteCookie(c, CLICK_COOKIE)
      return c.redirect('/', 303)
    })

    .get(
      '/account',
      forCustomer(async (c, customer) => {
        const story = customer.lead && (await reportPanel(config, customer.lead))
        return show(c, accountPage(customer, findPlan(c.req.query('plan')), story))
      }),
    )
    .get(
      '/checkout',
      forCustomer((c, customer) =>
        show(c, checkoutPage(customer, findPlan(c.req.query('plan')) ?? DEFAULT_PLAN)),
      ),
    )
    .post(
      '/checkout',
      forCustomer(async (c, customer) => {
        const plan = findPlan((await readFields(c)).plan)
        return plan
          ? pay(c, customer, plan, 'subscription')
          : show(c, checkoutPage(customer, DEFAULT_PLAN, 'Please choose a plan.'), 400)
      }),
    )
    .post(
      '/renew',
      forCustomer((c, customer) => {
        const { plan, subscription } = customer
        if (!plan) return c.redirect('/checkout', 303)
        return subscription
          ? renewAtStripe(c, customer, plan, subscription)
          : pay(c, customer, plan, 'renewal')
      }),
    )

    .post('/stripe/checkout', async (c) => {
      const fields = await readFields(c)
      const { customer } = c.var
      const visitor = { customer, clickId: readClickId(fields) }
      const plan = findPlan(fields.plan) ?? DEFAULT_PLAN
      const order = { plan, hasSetup: fields.setup === 'yes' }
      return c.redirect(await stripe.openCheckout(order, visitor, new URL(c.req.url).origin), 303)
    })
    .get('/stripe/thanks', async (c) => {
      const session = c.req.query('session') ?? ''
      const purchase = await stripe.findPurchase(session)
      if (!purchase) return c.redirect('/pricing', 303)
      const { invoice, email, subscription } = purchase
      const owner = claimed.get(session)
      // Another customer's session id gives no access to the purchase.
      if (owner)
        return owner === c.var.customer ? c.redirect(`/receipts/${invoice.id}`, 303) : c.notFound()

      const customer = c.var.customer ?? merchant.welcome(email)
      claimed.set(session, customer)
      merchant.receive(customer, invoice, subscription)
      if (customer !== c.var.customer) signIn(c, customer)
      return c.redirect(`/receipts/${invoice.id}`, 303)
    })

    .get(
      '/receipts/:id',
      forCustomer(async (c, customer) => {
        const invoice = findInvoice(customer, c.req.param('id'))
        if (!invoice) return c.notFound()
        return show(c, receiptPage(customer, invoice, await panelOf(customer, invoice)))
      }),
    )
    .post(
      '/receipts/:id/again',
      forCustomer((c, customer) => {
        const invoice = findInvoice(customer, c.req.param('id'))
        if (!invoice) return c.notFound()
        merchant.reportAgain(invoice)
        return c.redirect(`/receipts/${invoice.id}#again`, 303)
      }),
    )

    .notFound((c) =>
      show(
        c,
        messagePage('Page not found', 'The address may be wrong, or the page was moved.'),
        404,
      ),
    )
    .onError((error, c) => {
      if (error instanceof HTTPException)
        return show(
          c,
          messagePage('The request failed', 'Go back, reload the page, and try again.'),
          error.status,
        )
      console.error(error)
      return show(
        c,
        messagePage('Something went wrong', 'The error was logged. Please try again.'),
        500,
      )
    })
}
