/** The coupons of an invoice. Its discounts name them, or discount facts of the customer do. */
import type { DiscountFact, InvoiceFact } from '../purchases/facts.ts'
import { ofKind, type ReceivedFact } from '../purchases/received.ts'

const codesOf = ({ promotionCode, coupon }: DiscountFact): string[] =>
  [promotionCode, coupon].filter((code) => code !== null)

/**
 * The coupon ids and promotion code ids of an invoice, in the order of its discounts.
 *
 * A discount is found by its id. One that is not found was copied from the customer or the
 * subscription, so theirs count that applied when the invoice was paid. The last event that gives a
 * discount an end decides: earlier ones may not know it.
 */
export const couponsOf = (invoice: InvoiceFact, received: ReceivedFact[]): string[] => {
  const { coupons = [], discounts = [] } = invoice
  const known = ofKind(received, 'discount').map(({ fact }) => fact)
  const byId = discounts.map((id) => known.filter((discount) => discount.id === id))
  const isComplete = coupons.length > 0 || byId.every((found) => found.length > 0)
  const ends = new Map(known.flatMap(({ id, end }) => (id && end ? [[id, end]] : [])))
  const others = isComplete
    ? []
    : known.filter((discount) =>
        appliedTo({ ...discount, end: ends.get(discount.id ?? '') ?? discount.end }, invoice),
      )
  return [...new Set([...coupons, ...[...byId.flat(), ...others].flatMap(codesOf)])]
}

const appliedTo = ({ subscription, start, end }: DiscountFact, invoice: InvoiceFact): boolean =>
  (subscription === null || subscription === (invoice.subscription ?? null)) &&
  start <= invoice.paidAt &&
  (end === null || invoice.paidAt < end)
