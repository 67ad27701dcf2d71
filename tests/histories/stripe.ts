/** What happens at Stripe, whose events may arrive late and twice. */
import fc from 'fast-check'
import {
  cardCharge,
  charge,
  checkoutSession,
  creditNote,
  dispute,
  invoice,
  invoicePayment,
  oldInvoice,
  paymentIntent,
  refund,
  type StripeObject,
  seconds,
} from '../support/stripe.ts'
import { basilLine, formerLine, pageOf } from '../support/stripe-lines.ts'
import { addressOf, anyOf, clickOf, currency, maybe, person, step, which } from './steps.ts'
import { COUPONS, type Delivery, emailOf, type History, type Payment } from './world.ts'

export const delivery: { [K in keyof Delivery]: fc.Arbitrary<Delivery[K]> } = {
  late: fc.constantFrom(0, 0, 0, 1, 3, 9),
  isRepeated: fc.constantFrom(false, false, true),
}
const coupon = fc.constantFrom(null, null, null, ...COUPONS)
const discounts = (code: string | null) => (code ? [{ coupon: code, promotion_code: null }] : [])

/** A new payment. No two cost the same, so that none is taken for another. */
const pay = (
  history: History,
  currency: string,
  hasInvoice: boolean,
  capturedOf = (cents: number) => cents,
): Payment & { number: number } => {
  const number = history.payments.length
  const cents = 4_900 + number * 10
  const payment = {
    id: history.idOf(`pi_${number}`),
    charge: history.idOf(`ch_${number}`),
    invoice: hasInvoice ? history.idOf(`in_${number}`) : null,
    cents,
    capturedCents: capturedOf(cents),
    currency,
  }
  history.payments.push(payment)
  return { ...payment, number }
}

/** The payments that were captured. */
export const paymentsOf = ({ payments }: History): Payment[] =>
  payments.filter(({ capturedCents }) => capturedCents > 0)

/**
 * How a checkout without an invoice is paid: at once, when its payment is captured, in part, or
 * never.
 */
const CAPTURES: Record<string, (cents: number) => number> = {
  'at once': (cents) => cents,
  later: (cents) => cents,
  'in part': (cents) => cents - 1_900,
  never: () => 0,
}

/** A payment that succeeded, as Stripe reports it by itself. */
const succeeded = (
  { id, charge: latest_charge, cents: amount, capturedCents: amount_received, currency }: Payment,
  fields: StripeObject = {},
) =>
  paymentIntent({
    ...{ id, latest_charge, created: seconds(), amount, amount_received },
    currency: currency.toLowerCase(),
    ...fields,
  })

/** Reports the card of a payment. Two people share one, and one of them pays as a partner. */
const charged = (history: History, who: string, { id, charge: its }: Payment, arrives: Delivery) =>
  history.happen(
    'charge.succeeded',
    cardCharge(history.idOf(`fp_${Number(who.slice(1)) % 2}`), {
      ...{ id: its, payment_intent: id, created: seconds() },
      billing_details: { email: who === 'u3' ? emailOf('maya') : addressOf(who) },
    }),
    { ...arrives, late: (arrives.late * 5) % 7 },
  )

/** What was refunded of a payment so far, with what was released of it. */
const refundedCharge = (
  { id, charge: its, cents, capturedCents, currency }: Payment,
  amount: number,
) =>
  charge({
    ...{ id: its, payment_intent: id, created: seconds(), currency: currency.toLowerCase() },
    ...{
      amount: cents,
      amount_captured: capturedCents,
      amount_refunded: cents - capturedCents + amount,
    },
  })

export const subscriptionOf = (history: History, who: string, isNew: boolean): string => {
  const number = (history.subscriptions.get(who) ?? 0) + Number(isNew)
  history.subscriptions.set(who, number)
  return history.idOf(`sub_${who}_${number}`)
}

/**
 * The discounts that an invoice names, whose coupons other events say: by their own ids, by those
 * of copies, or another one whose coupon nothing says. Notes what the invoice was made with.
 */
const discountsOf = (
  history: History,
  who: string,
  subscription: string | null,
  invoice: string | null,
) => {
  const inForce = (history.discounts.get(who) ?? []).filter(
    (discount) => discount.subscription === null || discount.subscription === subscription,
  )
  const kind = history.payments.length % 3
  if (invoice)
    history.coupons.set(
      invoice,
      inForce.map(({ coupon }) => coupon.id),
    )
  return [
    ...inForce.map(({ id }) => (kind === 1 ? `${id}copy` : id)),
    ...(kind === 0 ? [] : ['di_unknown']),
  ]
}

/** The lines of every second invoice: two books and a mug, by the ids of its payment. */
const linesOf = ({ invoice, cents, currency }: Payment, isOld: boolean) => {
  const line = isOld ? formerLine : basilLine
  const of = { currency: currency.toLowerCase() }
  const mug = { ...of, id: `${invoice}_mug`, amount: 700, amount_excluding_tax: 700 }
  const books = { ...of, id: `${invoice}_book`, amount: cents - 700, quantity: 2 }
  return hasLines(cents) && invoice
    ? {
        lines: pageOf([
          line('book', { ...books, amount_excluding_tax: cents - 700 }),
          line('mug', mug),
        ]),
      }
    : {}
}

/** A note is about the books, as far as the invoice has lines. */
const notedLines = ({ invoice, cents }: Payment, amount: number) =>
  hasLines(cents) && invoice
    ? {
        lines: pageOf([
          {
            ...{ id: `cnli_${invoice}`, type: 'invoice_line_item', amount, discount_amount: 0 },
            ...{ invoice_line_item: `${invoice}_book`, taxes: [] },
          },
        ]),
      }
    : {}

const hasLines = (cents: number): boolean => cents % 20 === 0

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

/**
 * The id under which the merchant has reported a sale of the customer that no payment names yet.
 */
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
  /** A coupon that is redeemed with the invoice. */
  coupon: string | null
  /** Whether the buyer pays the invoice twice. */
  isPaidTwice: boolean
  /** Whether the endpoint sends the payment, and never says that it has paid the invoice. */
  isUntied: boolean
} & Delivery

/** A second payment of an invoice. */
const payAgain = async (history: History, payment: Payment, arrives: Delivery): Promise<void> => {
  const second = { ...payment, id: `${payment.id}b`, charge: `${payment.charge}b` }
  history.payments.push(second)
  const fields = { payment_details: null, customer: null }
  await history.happen('payment_intent.succeeded', succeeded(payment, fields), arrives)
  await history.happen('payment_intent.succeeded', succeeded(second, fields), arrives)
  await history.happen(
    'invoice_payment.paid',
    invoicePayment(payment.invoice ?? '', second.id),
    arrives,
  )
}

/** A later invoice of a subscription is paid. */
export const renew = async (
  history: History,
  { who, isOld, isProration, isTied, currency, coupon, isPaidTwice, isUntied, ...arrives }: Renewal,
): Promise<void> => {
  const payment = pay(history, currency, true)
  const subscription = subscriptionOf(history, who, false)
  const paid = invoiceOf(history, who, payment, subscription)
  const fields = {
    ...paid,
    ...(coupon && { discounts: [...paid.discounts, redeemed(history, who, payment, coupon)] }),
    billing_reason: isProration ? 'subscription_update' : 'subscription_cycle',
  }
  const { id: payment_intent, charge } = payment
  const object = isOld
    ? oldInvoice({ ...fields, ...linesOf(payment, true), payment_intent, charge, subscription })
    : invoice({
        ...fields,
        ...linesOf(payment, false),
        ...parent(subscription, isTied ? { customerExternalId: who } : {}),
      })
  await charged(history, who, payment, arrives)
  await history.happen('invoice.paid', object, arrives)
  if (!isOld && isUntied) {
    const of = { payment_details: null, customer: history.customerOf(who) }
    return history.happen('payment_intent.succeeded', succeeded(payment, of), arrives)
  }
  if (!isOld && payment.invoice)
    await history.happen(
      'invoice_payment.paid',
      invoicePayment(payment.invoice, payment.id),
      arrives,
    )
  if (isPaidTwice) await payAgain(history, payment, arrives)
}

/** The discount of a coupon that is redeemed with one invoice. */
const redeemed = (history: History, who: string, { invoice }: Payment, coupon: string) => {
  const id = invoice ?? ''
  history.coupons.set(id, [...(history.coupons.get(id) ?? []), coupon])
  const of = { customer: history.customerOf(who), subscription: null, invoice: id }
  return {
    id: `di_${id}`,
    object: 'discount',
    source: { coupon },
    start: seconds(),
    end: null,
    ...of,
  }
}

type Bought = {
  who: string
  kind: string
  click: number | null
  coupon: string | null
  /** The merchant's id of the order, which the checkout names. */
  order: { externalId?: string }
  currency: string
  tax: number
  captured: string
} & Delivery

/** A checkout completes, and its payment is received as it says. */
const buy = async (
  history: History,
  { who, kind, click, coupon, order, currency, tax, captured, ...arrives }: Bought,
): Promise<Payment> => {
  const isSubscribed = kind === 'subscription'
  const { number, ...payment } = pay(history, currency, isSubscribed, CAPTURES[captured])
  const { id, invoice: invoiceId, cents } = payment
  const subscription = invoiceId && subscriptionOf(history, who, true)
  const sessionId = history.idOf(`cs_test_${number}`)
  history.coupons.set(sessionId, coupon ? [coupon] : [])
  const named = history.named(who, clickOf(history, click))
  const session = checkoutSession({
    ...named,
    ...{
      id: sessionId,
      created: seconds() - 1,
      currency: currency.toLowerCase(),
    },
    ...{
      amount_subtotal: cents,
      amount_total: cents,
      mode: subscription ? 'subscription' : 'payment',
    },
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: tax },
    payment_status: captured === 'at once' ? 'paid' : 'unpaid',
    ...{ payment_intent: invoiceId ? null : id, invoice: invoiceId, subscription },
    customer: kind === 'guest' ? null : history.customerOf(who),
    customer_details: { email: addressOf(who), name: who },
    metadata: { ...named.metadata, ...order },
    discounts: discounts(coupon),
  })
  if (captured !== 'never') await charged(history, who, payment, arrives)
  await history.happen('checkout.session.completed', session, arrives)
  if (captured === 'later' || captured === 'in part') {
    const of = { payment_details: null, customer: session.customer }
    await history.happen('payment_intent.succeeded', succeeded(payment, of), {
      ...arrives,
      late: (arrives.late * 7) % 5,
    })
  }
  if (captured === 'in part')
    await history.happen('charge.refunded', refundedCharge(payment, 0), arrives)
  if (!invoiceId || !subscription) return payment
  const paid = {
    ...invoiceOf(history, who, payment, subscription),
    total_excluding_tax: cents - tax,
  }
  const first = invoice({
    ...paid,
    ...linesOf(payment, false),
    billing_reason: 'subscription_create',
    ...parent(subscription),
  })
  await history.happen('invoice.paid', first, { ...arrives, late: (arrives.late * 7) % 5 })
  await history.happen('invoice_payment.paid', invoicePayment(invoiceId, id), arrives)
  return payment
}

const tax = fc.constantFrom(0, 400)
const captured = fc.constantFrom('at once', 'at once', ...Object.keys(CAPTURES))

/** One of the checkouts of an order. */
type Attempt = { kind: string; click: number | null; coupon: string | null } & {
  currency: string
  tax: number
  captured: string
} & Delivery

const attempt = fc.record<Attempt>({
  ...{ kind: fc.constantFrom('guest', 'once'), click: maybe(which), coupon, currency },
  ...{ tax, captured, ...delivery },
})

export const stripeSteps = {
  bought: step<Omit<Bought, 'order'> & { ties: number | null }>(
    'a checkout is paid',
    {
      ...{
        who: person,
        kind: fc.constantFrom('guest', 'once', 'subscription'),
        click: maybe(which),
        coupon,
      },
      ...{ ties: maybe(which), currency, tax, ...delivery },
      captured,
    },
    (history, { ties, captured: how, ...bought }) => {
      const captured = bought.kind === 'subscription' ? 'at once' : how
      const order = captured === 'never' ? {} : reportedId(history, bought.who, ties)
      return buy(history, { ...bought, captured, order })
    },
  ),
  ordered: step<{
    who: string
    ties: number | null
    attempts: Attempt[]
    gap: number
    reported: number | null
  }>(
    'an order has two checkouts',
    {
      ...{ who: person, ties: maybe(which), attempts: fc.tuple(attempt, attempt) },
      gap: fc.constantFrom(3, 1_800, 90_000),
      /** Which of them the merchant reports, if the order was not reported before. */
      reported: fc.constantFrom(null, null, 0, 1),
    },
    async (history, { who, ties, attempts, gap, reported }) => {
      const known = attempts.some(({ captured }) => captured !== 'never')
        ? reportedId(history, who, ties).externalId
        : undefined
      const externalId = known ?? history.idOf(`basket_${history.payments.length}`)
      for (const [place, attempt] of attempts.entries()) {
        if (place > 0) await history.pass(gap)
        const paid = await buy(history, { ...attempt, who, order: { externalId } })
        if (known || place !== reported || paid.capturedCents === 0) continue
        await history.report('sale', {
          ...{ externalId, customerExternalId: who, currency: paid.currency },
          amountCents: paid.capturedCents,
        })
      }
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
        ...{
          customer: history.customerOf(who),
          customer_details: { email: addressOf(who), name: who },
        },
        ...{ client_reference_id: clickOf(history, click), discounts: discounts(coupon) },
      })
      return history.happen('checkout.session.completed', session, arrives)
    },
  ),
  renewed: step<Renewal>(
    'a subscription is renewed',
    {
      ...{ who: person, isOld: fc.boolean(), isProration: fc.constantFrom(false, false, true) },
      ...{
        isTied: fc.boolean(),
        currency,
        coupon,
        isPaidTwice: fc.constantFrom(false, false, true),
      },
      isUntied: fc.constantFrom(false, false, false, true),
      ...delivery,
    },
    renew,
  ),
  paid: step<
    {
      who: string
      isGuest: boolean
      click: number | null
      ties: number | null
      currency: string
    } & Delivery
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
    async (history, { who, isGuest, click, ties, currency, ...arrives }) => {
      const clickId = clickOf(history, click)
      const payment = pay(history, currency, false)
      await charged(history, who, payment, arrives)
      const object = succeeded(payment, {
        customer: isGuest ? null : history.customerOf(who),
        receipt_email: addressOf(who),
        metadata: { ...(clickId && { clickId }), ...reportedId(history, who, ties) },
      })
      return history.happen('payment_intent.succeeded', object, arrives)
    },
  ),
  refunded: step<{ which: number; cents: number; by: string; net: number | null } & Delivery>(
    'Stripe refunds a payment',
    {
      ...{
        which,
        cents: fc.constantFrom(1_000, 4_900, 2_000),
        by: fc.constantFrom('refund', 'charge', 'note'),
        // What a note says is without tax, in per cent.
        net: fc.constantFrom(null, 0, 80, 100),
      },
      ...delivery,
    },
    async (history, { which, cents, by, net, ...arrives }) => {
      const payment = anyOf(paymentsOf(history), which)
      if (!payment) return
      const { id: payment_intent, charge: its, invoice } = payment
      const of = { currency: payment.currency.toLowerCase(), created: seconds() }
      const amount = Math.min(cents, payment.capturedCents)
      const id = history.idOf(`re_${which}_${seconds()}`)
      if (by === 'refund') {
        await history.happen(
          'refund.created',
          refund({ id, payment_intent, charge: its, amount, ...of }),
          arrives,
        )
      } else if (by === 'note' && invoice) {
        const stated = net === null ? {} : { total_excluding_tax: (amount * net) / 100 }
        await history.happen(
          'credit_note.created',
          creditNote({ id, invoice, amount, ...of, ...stated, ...notedLines(payment, amount) }),
          arrives,
        )
      } else await history.happen('charge.refunded', refundedCharge(payment, amount), arrives)
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
