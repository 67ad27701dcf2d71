/** Lists purchases by Stripe's API, as the events that would have reported them. */
import type Stripe from 'stripe'
import type { ListedPurchase, ProcessorEvent } from '../../rules/purchases/facts.ts'
import { readLines } from '../../stripe/lines.service.ts'
import { withAllLines } from './all-lines.service.ts'
import { readEvent } from './objects/events.schemas.ts'
import type { Reading } from './objects/objects.ts'

export type Listed = {
  /** Oldest first, with what was refunded, disputed or credited of them. */
  purchases: ListedPurchase[]
  /** What was refunded, disputed or credited of purchases that are not listed. */
  returns: ListedPurchase[]
  /** The ids of objects in an unknown form. */
  unread: string[]
}

/** Stripe's maximum. */
const PAGE = 100
/** A checkout stays open for at most a day, so the checkout of an invoice began no earlier. */
const OPEN_SECONDS = 24 * 60 * 60

/** The event that would have reported an object. Its id, the same at each run, is not Stripe's. */
const eventOf = (
  type: string,
  { id, livemode }: { id: string; livemode: boolean },
  at: number,
  object: object,
  reading: Reading = { backendCreatesCheckouts: false },
): ProcessorEvent | null => {
  const event = readEvent(
    { id: `reconcile_${id}`, type, created: at, livemode, data: { object } },
    reading,
  )
  return event?.refusal ? null : event
}

const invoiceEvent = (invoice: Stripe.Invoice & { id: string }) =>
  eventOf('invoice.paid', invoice, invoice.status_transitions.paid_at ?? invoice.created, invoice)

/** A checkout has no time of payment, so its creation counts. */
const checkoutEvent = (session: Stripe.Checkout.Session, reading: Reading) =>
  eventOf('checkout.session.completed', session, session.created, session, reading)

const idOf = (reference: string | { id?: string } | null | undefined): string | null =>
  typeof reference === 'string' ? reference : (reference?.id ?? null)

/** Its status changes, so each status is an event of its own, which occurs when it is read. */
const refundEvent = (refund: Stripe.Refund, livemode: boolean) =>
  eventOf(
    'refund.updated',
    { id: `${refund.id}_${refund.status}`, livemode },
    Math.floor(Date.now() / 1000),
    refund,
  )

/** Likewise. */
const disputeEvent = (dispute: Stripe.Dispute) =>
  eventOf(
    'charge.dispute.updated',
    { id: `${dispute.id}_${dispute.status}`, livemode: dispute.livemode },
    Math.floor(Date.now() / 1000),
    dispute,
  )

/** An intent has no time of payment, but its charge has. */
const intentEvent = (intent: Stripe.PaymentIntent) => {
  const { latest_charge: charge } = intent
  const paidAt = typeof charge === 'object' && charge ? charge.created : intent.created
  return eventOf('payment_intent.succeeded', intent, paidAt, intent)
}

const noteEvent = (note: Stripe.CreditNote) =>
  eventOf(
    note.status === 'void' ? 'credit_note.voided' : 'credit_note.created',
    { id: `${note.id}_${note.status}`, livemode: note.livemode },
    note.created,
    note,
  )

/**
 * Adds what a checkout's payment received: to the checkout if it is listed as paid and less was
 * captured, or with a checkout that is listed as unpaid.
 */
const addCapture = (
  purchases: ListedPurchase[],
  checkout: ProcessorEvent,
  capture: ProcessorEvent,
): void => {
  const isPart = capture.facts.some(
    (fact) => fact.kind === 'intent' && fact.authorizedCents !== undefined,
  )
  const listed = purchases.find(({ events }) => events.includes(checkout))
  if (!listed) purchases.push({ paidAt: capture.occurredAt, events: [checkout, capture] })
  else if (isPart) listed.events.push(capture)
}

/**
 * Lists the paid invoices created since a date, each with its checkout, the paid checkouts since
 * then without an invoice, and the payments since then with neither; then the refunds, disputes and
 * credit notes since then, also of earlier purchases.
 *
 * Invoices are listed first, so that one that is paid in between is not listed without its
 * checkout.
 *
 * @param livemode whether the key is of live mode, and what the workspace says now
 * @param onRead called with the number of objects read so far
 */
export const listPurchases = async (
  stripe: Stripe,
  { since, livemode, ...reading }: { since: Date; livemode: boolean } & Reading,
  onRead: (count: number) => void,
): Promise<Listed> => {
  const from = Math.max(0, Math.floor(since.getTime() / 1000))
  const byInvoice = new Map<string, ListedPurchase>()
  const others: ListedPurchase[] = []
  /** The keys of invoices and checkouts, also of earlier ones: their payments are no sales. */
  const claimed = new Set<string>()
  /** By payment: checkouts without an invoice, which may be captured later or in part. */
  const captured = new Map<string, ProcessorEvent>()
  const unread: string[] = []
  const complete = <T extends object>(object: T) =>
    withAllLines(object, (of) => readLines(stripe, of))
  let count = 0

  const opened = { gte: Math.max(0, from - OPEN_SECONDS) }
  for await (const invoice of stripe.invoices.list({
    status: 'paid',
    created: opened,
    limit: PAGE,
    expand: ['data.payments', 'data.discounts'],
  })) {
    onRead(++count)
    const isListed = invoice.created >= from
    const event = invoiceEvent(isListed ? await complete(invoice) : invoice)
    for (const key of event?.keys ?? []) claimed.add(key)
    if (!isListed) continue
    if (event) byInvoice.set(invoice.id, { paidAt: event.occurredAt, events: [event] })
    else unread.push(invoice.id)
  }

  for await (const session of stripe.checkout.sessions.list({
    status: 'complete',
    created: opened,
    limit: PAGE,
    expand: ['data.line_items'],
  })) {
    onRead(++count)
    const payment = idOf(session.payment_intent)
    if (payment !== null) claimed.add(payment)
    const invoice = idOf(session.invoice)
    const purchase = invoice === null ? null : byInvoice.get(invoice)
    const isSale = session.mode === 'payment' && session.created >= from
    if (!purchase && (invoice !== null || !isSale)) continue
    const event = checkoutEvent(await complete(session), reading)
    if (!event) unread.push(session.id)
    else if (purchase) purchase.events.push(event)
    else {
      if (payment !== null) captured.set(payment, event)
      if (session.payment_status !== 'unpaid')
        others.push({ paidAt: event.occurredAt, events: [event] })
    }
  }

  const created = { gte: from }
  const expand = ['data.latest_charge']
  for await (const intent of stripe.paymentIntents.list({ created, limit: PAGE, expand })) {
    onRead(++count)
    const checkout = captured.get(intent.id)
    if (intent.status !== 'succeeded' || (claimed.has(intent.id) && !checkout)) continue
    const event = intentEvent(intent)
    if (!event) unread.push(intent.id)
    else if (checkout) addCapture(others, checkout, event)
    else if (!event.facts.some((fact) => fact.kind === 'intent' && fact.pays)) {
      others.push({ paidAt: event.occurredAt, events: [event] })
    }
  }

  const purchases = [...byInvoice.values(), ...others]
  const byKey = new Map(
    purchases.flatMap((purchase) =>
      purchase.events.flatMap(({ keys }) => keys.map((key) => [key, purchase] as const)),
    ),
  )
  const returns: ListedPurchase[] = []
  const add = (id: string, event: ProcessorEvent | null): void => {
    onRead(++count)
    const purchase = event?.keys.map((key) => byKey.get(key)).find((known) => known !== undefined)
    if (!event) unread.push(id)
    else if (purchase) purchase.events.push(event)
    else if (event.keys.length > 0) returns.push({ paidAt: event.occurredAt, events: [event] })
  }
  for await (const refund of stripe.refunds.list({ created, limit: PAGE })) {
    add(refund.id, refundEvent(refund, livemode))
  }
  for await (const dispute of stripe.disputes.list({ created, limit: PAGE })) {
    add(dispute.id, disputeEvent(dispute))
  }
  for await (const note of stripe.creditNotes.list({ created, limit: PAGE }))
    add(note.id, noteEvent(await complete(note)))

  return {
    purchases: purchases.sort((a, b) => Number(a.paidAt) - Number(b.paidAt)),
    returns,
    unread,
  }
}
