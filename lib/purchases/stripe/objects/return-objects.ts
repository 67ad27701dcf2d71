/** Reads refunds, disputes and credit notes from the objects of Stripe's events. */

import type { DisputeFact, RefundFact } from '../../../rules/purchases/facts.ts'
import { fromStripe } from '../../../stripe/amounts.ts'
import { proportionOf } from '../../../values/money.ts'
import { linesOfCreditNote } from './line-objects.ts'
import type { ObjectFacts } from './object-facts.ts'
import type { Charge, CreditNote, Dispute, Refund } from './objects.schemas.ts'

/** Older API versions leave the status of a succeeded refund out. */
const refundStatus = (status: string | null | undefined): RefundFact['status'] => {
  switch (status ?? 'succeeded') {
    case 'succeeded':
      return 'succeeded'
    case 'failed':
    case 'canceled':
      return 'failed'
    default:
      return 'pending'
  }
}

/** Appeals follow a lost dispute. A dispute that was prevented never withdrew the money. */
const disputeStatus = (status: string): DisputeFact['status'] => {
  switch (status) {
    case 'warning_needs_response':
    case 'warning_under_review':
    case 'warning_closed':
      return 'inquiry'
    case 'lost':
    case 'appeal_needs_response':
    case 'appeal_under_review':
      return 'lost'
    case 'won':
    case 'prevented':
      return 'won'
    default:
      return 'open'
  }
}

export const readRefund = (refund: Refund): ObjectFacts => {
  const payment = refund.payment_intent ?? refund.charge
  if (!payment) return { keys: [], facts: [] }
  const { id, currency, status, created } = refund
  const amountCents = fromStripe(refund.amount, currency)
  return {
    keys: [refund.payment_intent, refund.charge],
    facts: [
      {
        kind: 'refund',
        id,
        payment,
        charge: refund.charge,
        amountCents,
        currency,
        ...(created && { createdAt: created.toISOString() }),
        status: refundStatus(status),
      },
    ],
  }
}

export const readCharge = (charge: Charge): ObjectFacts => {
  const { currency, invoice, amount, amount_captured: captured } = charge
  return {
    customer: charge.customer,
    keys: [charge.id, charge.payment_intent, invoice],
    facts: [
      {
        kind: 'charge',
        payment: charge.payment_intent ?? charge.id,
        charge: charge.id,
        amountCents: fromStripe(amount, currency),
        ...(captured != null &&
          captured < amount && { capturedCents: fromStripe(captured, currency) }),
        refundedCents: fromStripe(charge.amount_refunded, currency),
        currency,
      },
      ...(invoice ? [{ kind: 'payment' as const, invoice }] : []),
      ...charge.refunds
        .map((refund) => ({ ...refund, payment_intent: charge.payment_intent, charge: charge.id }))
        .flatMap((refund) => readRefund(refund).facts),
    ],
  }
}

export const readDispute = (dispute: Dispute): ObjectFacts => {
  const payment = dispute.payment_intent ?? dispute.charge
  if (!payment) return { keys: [], facts: [] }
  const { id, currency, status } = dispute
  return {
    keys: [dispute.payment_intent, dispute.charge],
    facts: [
      {
        kind: 'dispute',
        id,
        payment,
        charge: dispute.charge,
        amountCents: fromStripe(dispute.amount, currency),
        currency,
        status: disputeStatus(status),
      },
    ],
  }
}

/** The part of an amount of a note that is in `counted` of it. */
const partOf =
  ({ amount: total, currency }: CreditNote, counted: number) =>
  (cents: number) => {
    if (total <= 0) return 0
    const share = Number(proportionOf(BigInt(Math.max(0, cents)), BigInt(counted), BigInt(total)))
    return fromStripe(Math.min(share, counted), currency)
  }

/** A note's net amount, and the shipping in it; null for versions that do not say. */
const netOf = (note: CreditNote, part: (cents: number) => number) => {
  const { total_excluding_tax: stated, amount: total, shipping_cost: shipping } = note
  const taxes = note.total_taxes ?? note.tax_amounts
  const net = stated ?? (taxes ? total - taxes.reduce((sum, tax) => sum + tax.amount, 0) : null)
  if (net === null || total <= 0) return null
  return {
    netCents: part(net),
    shippingCents: part(shipping ? shipping.amount_total - shipping.amount_tax : 0),
  }
}

/** What a credit note took off the open invoice was never paid. */
export const readCreditNote = (note: CreditNote): ObjectFacts => {
  const { id, invoice, currency, refund, customer } = note
  if (!invoice) return { keys: [], facts: [] }
  const amount = Math.max(
    0,
    note.post_payment_amount ?? (note.type === 'pre_payment' ? 0 : note.amount),
  )
  const part = partOf(note, amount)
  const net = netOf(note, part)
  const refunds = [...(note.refunds ?? []), ...(refund ? [{ refund, amount_refunded: null }] : [])]
  return {
    customer,
    keys: [invoice],
    facts: [
      {
        kind: 'credit_note',
        id,
        invoice,
        amountCents: fromStripe(amount, currency),
        ...(net && { net }),
        currency,
        refunds: refunds.flatMap(({ refund, amount_refunded: amount }) =>
          refund
            ? { id: refund, amountCents: amount == null ? null : fromStripe(amount, currency) }
            : [],
        ),
        ...linesOfCreditNote(note.lines, part),
        isVoid: note.status === 'void',
      },
    ],
  }
}
