/** What happens at Stripe, whose events may arrive late and twice. */
import fc from 'fast-check'
import {
  charge,
  checkoutSession,
  creditNote,
  dispute,
  invoice,
  invoicePayment,
  oldInvoice,
  paymentIntent,
  refund,
  seconds,
} from '../support/stripe.ts'
import { addressOf, anyOf, clickOf, currency, maybe, person, step, which } from './steps.ts'
import { COUPONS, type Delivery, type History, type Payment } from './world.ts'

export const delivery: { [K in keyof Delivery]: fc.Arbitrary<Delivery[K]> } = {
  late: fc.constantFrom(0, 0, 0, 1, 3, 9),
  isRepeated: fc.constantFrom(false, false, true),
}
const coupon = fc.constantFrom(null, null, null, ...COUPONS)
const discounts = (code: string | null) => (code ? [{ coupon: code, promotion_code: null }] : [])

/** A new payment. No two cost the same, so that none is taken for another. */
const pay = (history: History, currency: string, hasInvoice: boolean): Payment & { number: number } => {
  const number = history.payments.length
  const payment = {
    id: history.idOf(`pi_${number}`),
    charge: history.idOf(`ch_${number}`),
    invoice: hasInvoice ? history.idOf(`in_${number}`) : null,
    cents: 4_900 + number * 10,
    currency,
  }
  history.payments.push(payment)
  return { ...payment, number }
}

export const subscriptionOf = (history: History, who: string, isNew: boolean): string => {
  const number = (history.subscriptions.get(who) ?? 0) + Number(isNew)
  history.subscriptions.set(who, number)
  return history.idOf(`sub_${who}_${number}`)
}

/**
 * The discounts that an invoice names, whose coupons other events say: by their own ids, by those of copies, or another one whose
 * coupon nothing says. Notes what the invoice was made with.
 */
const discountsOf = (history: History, who: string, subscription: string | null, invoice: string | null) => {
  const inForce = (history.discounts.get(who) ?? []).filter(
    (discount) => discount.subscription === null || discount.subscription === subscription,
  )
  const kind = history.payments.length % 3
  if (invoice)
    history.coupons.set(
      invoice,
      inForce.map(({ coupon }) => coupon.id),
    )
  return [...inForce.map(({ id }) => (kind === 1 ? `${id}copy` : id)), ...(kind === 0 ? [] : ['di_unknown'])]
}

/** An invoice of a subscription, paid now. */
const invoiceOf = (
  history: History,
  who: string,
  { invoice: id, cents, currency }: Payment,
  subscription: string | null,
) => ({
  ...{
    id,
    customer: history.customerOf(who),
    customer_email: addressOf(who),
    currency: currency.toLowerCase(),
  },
  ...{ created: seconds(), amount_due: cents, amount_paid: cents, subtotal: cents, total: cents },
  ...{ total_excluding_tax: cents, status_transitions: { paid_at: seconds() } },
  discounts: discountsOf(history, who, subscription, id),
})

const parent = (subscription: string, metadata = {}) => ({
  parent: { type: 'subscription_details', subscription_details: { subscription, metadata } },
})

/** A payment is made within a day of the report of its sale. */
const DAY_MS = 86_400_000

/** The id under which the merchant has reported a sale of the customer that no payment names yet. */
const reportedId = (history: History, who: string, ties: number | null) => {
  const own = history.untied.filter((sale) => sale.who === who && sale.at > Date.now() - DAY_MS)
  const sale = ties === null ? undefined : anyOf(own, ties)
  history.untied = history.untied.filter((other) => other !== sale)
  return sale ? { externalId: sale.id } : {}
}

type Renewal = {
  who: string
  isOld: boolean
  isProration: boolean
  isTied: boolean
  currency: string
} & Delivery

/** A later invoice of a subscription is paid. */
export const renew = async (
  history: History,
  { who, isOld, isProration, isTied, currency, ...arrives }: Renewal,
): Promise<void> => {
  const payment = pay(history, currency, true)
  const subscription = subscriptionOf(history, who, false)
  const fields = {
    ...invoiceOf(history, who, payment, subscription),
    billing_reason: isProration ? 'subscription_update' : 'subscription_cycle',
  }
  const { id: payment_intent, charge } = payment
  const object = isOld
    ? oldInvoice({ ...fields, payment_intent, charge, subscription })
    : invoice({ ...fields, ...parent(subscription, isTied ? { customerExternalId: who } : {}) })
  await history.happen('invoice.paid', object, arrives)
  if (!isOld && payment.invoice)
    await history.happen('invoice_payment.paid', invoicePayment(payment.invoice, payment.id), arrives)
}

export const stripeSteps = {
  bought: step<
    { who: string; kind: string; click: number | null; coupon: string | null; ties: number | null } & {
      currency: string
      tax: number
    } & Delivery
  >(
    'a checkout is paid',
    {
      ...{
        who: person,
        kind: fc.constantFrom('guest', 'once', 'subscription'),
        click: maybe(which),
        coupon,
      },
      ...{ ties: maybe(which), currency, tax: fc.constantFrom(0, 400), ...delivery },
    },
    async (history, { who, kind, click, coupon, ties, currency, tax, ...arrives }) => {
      const { number, ...payment } = pay(history, currency, kind === 'subscription')
      const { id, invoice: invoiceId, cents } = payment
      const subscription = invoiceId && subscriptionOf(history, who, true)
      const sessionId = history.idOf(`cs_test_${number}`)
      history.coupons.set(sessionId, coupon ? [coupon] : [])
      const session = checkoutSession({
        ...{
          id: sessionId,
          created: seconds() - 1,
          currency: currency.toLowerCase(),
        },
        ...{ amount_subtotal: cents, amount_total: cents, mode: subscription ? 'subscription' : 'payment' },
        total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: tax },
        ...{ payment_intent: invoiceId ? null : id, invoice: invoiceId, subscription },
        customer: kind === 'guest' ? null : history.customerOf(who),
        customer_details: { email: addressOf(who), name: who },
        client_reference_id: clickOf(history, click) ?? who,
        ...{ metadata: reportedId(history, who, ties), discounts: discounts(coupon) },
      })
      await history.happen('checkout.session.completed', session, arrives)
      if (!invoiceId || !subscription) return
      const paid = { ...invoiceOf(history, who, payment, subscription), total_excluding_tax: cents - tax }
      const first = invoice({ ...paid, billing_reason: 'subscription_create', ...parent(subscription) })
      await history.happen('invoice.paid', first, { ...arrives, late: (arrives.late * 7) % 5 })
      await history.happen('invoice_payment.paid', invoicePayment(invoiceId, id), arrives)
    },
  ),
  tried: step<{ who: string; click: number | null; coupon: string | null } & Delivery>(
    'a trial begins',
    { who: person, click: maybe(which), coupon, ...delivery },
    (history, { who, click, coupon, ...arrives }) => {
      const subscription = subscriptionOf(history, who, true)
      history.coupons.set(subscription, coupon ? [coupon] : [])
      const session = checkoutSession({
        ...{
          id: subscription.replace('sub', 'cs_test'),
          created: seconds() - 1,
          amount_subtotal: 0,
          amount_total: 0,
        },
        ...{
          payment_status: 'no_payment_required',
          payment_intent: null,
          mode: 'subscription',
          subscription,
        },
        ...{ customer: history.customerOf(who), customer_details: { email: addressOf(who), name: who } },
        ...{ client_reference_id: clickOf(history, click), discounts: discounts(coupon) },
      })
      return history.happen('checkout.session.completed', session, arrives)
    },
  ),
  renewed: step<Renewal>(
    'a subscription is renewed',
    {
      ...{ who: person, isOld: fc.boolean(), isProration: fc.constantFrom(false, false, true) },
      ...{ isTied: fc.boolean(), currency, ...delivery },
    },
    renew,
  ),
  paid: step<
    { who: string; isGuest: boolean; click: number | null; ties: number | null; currency: string } & Delivery
  >(
    'a payment succeeds',
    {
      ...{
        who: person,
        isGuest: fc.boolean(),
        click: maybe(which),
        ties: maybe(which),
        currency,
      },
      ...delivery,
    },
    (history, { who, isGuest, click, ties, currency, ...arrives }) => {
      const { id, charge, cents } = pay(history, currency, false)
      const clickId = clickOf(history, click)
      const object = paymentIntent({
        ...{ id, latest_charge: charge, created: seconds(), amount: cents, amount_received: cents },
        ...{ currency: currency.toLowerCase(), customer: isGuest ? null : history.customerOf(who) },
        ...{
          receipt_email: addressOf(who),
          metadata: { ...(clickId && { clickId }), ...reportedId(history, who, ties) },
        },
      })
      return history.happen('payment_intent.succeeded', object, arrives)
    },
  ),
  refunded: step<{ which: number; cents: number; by: string } & Delivery>(
    'Stripe refunds a payment',
    {
      ...{
        which,
        cents: fc.constantFrom(1_000, 4_900, 2_000),
        by: fc.constantFrom('refund', 'charge', 'note'),
      },
      ...delivery,
    },
    async (history, { which, cents, by, ...arrives }) => {
      const payment = anyOf(history.payments, which)
      if (!payment) return
      const { id: payment_intent, charge: its, invoice } = payment
      const of = { currency: payment.currency.toLowerCase(), created: seconds() }
      const amount = Math.min(cents, payment.cents)
      const id = history.idOf(`re_${which}_${seconds()}`)
      if (by === 'refund') {
        await history.happen(
          'refund.created',
          refund({ id, payment_intent, charge: its, amount, ...of }),
          arrives,
        )
      } else if (by === 'note' && invoice) {
        await history.happen('credit_note.created', creditNote({ id, invoice, amount, ...of }), arrives)
      } else {
        const refunded = { amount: payment.cents, amount_refunded: amount }
        await history.happen(
          'charge.refunded',
          charge({ id: its, payment_intent, ...refunded, ...of }),
          arrives,
        )
      }
    },
  ),
  disputed: step<{ which: number; status: string } & Delivery>(
    'a payment is disputed, or its dispute ends',
    { which, status: fc.constantFrom('needs_response', 'lost', 'won'), ...delivery },
    async (history, { which, status, ...arrives }) => {
      const payment = anyOf(history.payments, which)
      if (!payment) return
      const { id: payment_intent, charge, cents: amount, currency } = payment
      const object = dispute({
        ...{ id: payment_intent.replace('pi', 'dp'), payment_intent, charge, status, amount },
        ...{ currency: currency.toLowerCase(), created: seconds() },
      })
      const type = status === 'needs_response' ? 'created' : 'closed'
      await history.happen(`charge.dispute.${type}`, object, arrives)
    },
  ),
}
