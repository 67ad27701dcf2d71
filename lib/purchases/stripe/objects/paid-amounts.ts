/** What was paid of the objects of Stripe's events, without tax and shipping too. */
import type { Paid, PaidPart } from '../../../rules/purchases/facts.ts'
import { fromStripe } from '../../../stripe/amounts.ts'
import { proportionOf } from '../../../values/money.ts'
import type { Invoice } from './objects.schemas.ts'

export const sum = (parts: { amount: number }[] | null | undefined): number =>
  (parts ?? []).reduce((total, { amount }) => total + amount, 0)

export type Amounts = { total: number; tax: number; shipping: number }

/** A part of a total, with its tax and shipping in proportion. In the minor units of ISO 4217. */
const partOf = ({ total, tax, shipping }: Amounts, gross: number, currency: string): PaidPart => {
  const share = (amount: number) =>
    total > 0 ? Number(proportionOf(BigInt(gross), BigInt(amount), BigInt(total))) : 0
  const netCents = fromStripe(clamp(share(total - tax), gross), currency)
  const shippingCents = Math.min(netCents, fromStripe(clamp(share(shipping), gross), currency))
  return {
    grossCents: fromStripe(gross, currency),
    netCents,
    ...(shippingCents > 0 && { shippingCents }),
  }
}

/** @param others what was paid otherwise than in money */
export const paid = (currency: string, amounts: Amounts, gross: number, others = 0): Paid => ({
  ...partOf(amounts, gross, currency),
  currency,
  ...(others > 0 && { outOfBand: partOf(amounts, others, currency) }),
})

const clamp = (amount: number, most: number): number => Math.max(0, Math.min(amount, most))

/** Shipping without its tax. */
export const shippingOf = (cost: Invoice['shipping_cost']): number | null =>
  cost ? cost.amount_total - cost.amount_tax : null

/** What all lines cost together. */
export const netOf = ({ total, tax, shipping }: Amounts): number => total - tax - shipping

/** An invoice's total, with its tax and shipping. */
export const amountsOf = (invoice: Invoice): Amounts => ({
  total: invoice.total,
  tax:
    invoice.total_excluding_tax == null
      ? (invoice.tax ?? sum(invoice.total_taxes ?? invoice.total_tax_amounts))
      : invoice.total - invoice.total_excluding_tax,
  shipping: shippingOf(invoice.shipping_cost) ?? 0,
})

/**
 * What was paid of an invoice in money, and otherwise: outside of Stripe, or from the customer's
 * balance. Overpayments, and credit notes from before the payment, do not count.
 */
export const paidOf = (invoice: Invoice, amounts: Amounts): Paid => {
  const { total } = amounts
  const due = Math.max(0, total - (invoice.pre_payment_credit_notes_amount ?? 0))
  const inMoney = invoice.paid_out_of_band
    ? 0
    : clamp(Math.min(invoice.amount_paid, total - (invoice.amount_paid_off_stripe ?? 0)), due)
  return paid(invoice.currency, amounts, inMoney, due - inMoney)
}
