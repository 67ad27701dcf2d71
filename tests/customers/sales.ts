/** What was paid, by all facts of a purchase. */
import {
  type Checkout,
  customerIds,
  type Fact,
  type Invoice,
  ofKind,
  type Settings,
} from './facts.ts'

export type Sale = {
  name: string
  facts: Fact[]
  at: number
  /** When it was paid or reported, whichever was first: its terms are those of that time. */
  termsAt: number
  gross: number
  net: number
  /** The checkout's time, else that of the payment. */
  referredAt: number
  checkout: Checkout | null
  invoice: Invoice | null
  /** Whether it earns as Stripe reports it, and not as the merchant does. */
  isStripes: boolean
  /** False for a payment that the merchant has to report before it is a sale. */
  isSale: boolean
  subscription: string | null
  customer: string | null
  refunded: number
  /** By the merchant's reports; a part of `net`. */
  asked: number
}

/**
 * What was paid, by the best source: the invoice, else the checkout, else the merchant's report; or
 * as the merchant reports it, where sales come from the API.
 */
export const saleOf = (name: string, facts: Fact[], { salesFrom }: Settings): Sale | null => {
  const checkout = ofKind(facts, 'checkout').find(({ gross }) => gross > 0) ?? null
  const invoice = ofKind(facts, 'invoice')[0] ?? null
  const report = ofKind(facts, 'report').sort((a, b) => a.at - b.at)[0]
  const paid =
    invoice ?? checkout ?? (report && { at: report.at, gross: report.cents, net: report.cents })
  if (!paid) return null
  const isStripes = salesFrom !== 'api' && (checkout !== null || invoice !== null)
  const counted = salesFrom === 'api' && report ? { at: report.at, net: report.cents } : paid
  const [customer = null] = facts.flatMap(customerIds)
  return {
    name,
    facts,
    at: counted.at,
    referredAt: checkout?.at ?? paid.at,
    termsAt: Math.min(paid.at, report?.at ?? paid.at),
    gross: paid.gross,
    net: counted.net,
    checkout,
    invoice,
    isStripes,
    isSale: salesFrom !== 'api' || report !== undefined,
    subscription: invoice?.subscription ?? checkout?.subscription ?? null,
    customer,
    asked: askedOf(facts, counted.net),
    refunded: [
      ...new Map(ofKind(facts, 'refund').map(({ id, cents }) => [id, cents])).values(),
    ].reduce((sum, cents) => sum + cents, 0),
  }
}

const askedOf = (facts: Fact[], net: number): number => {
  const asked = [...new Map(ofKind(facts, 'asked').map(({ id, cents }) => [id, cents])).values()]
  return asked.includes(null)
    ? net
    : Math.min(
        net,
        asked.reduce<number>((sum, cents) => sum + (cents ?? 0), 0),
      )
}
