/** What was paid, by all facts of a purchase. */
import { type Checkout, customerIds, type Fact, type Invoice, ofKind } from './facts.ts'

export type Sale = {
  name: string
  facts: Fact[]
  at: number
  gross: number
  net: number
  checkout: Checkout | null
  invoice: Invoice | null
  isStripes: boolean
  subscription: string | null
  customer: string | null
  refunded: number
}

/** What was paid, by the best source: the invoice, else the checkout, else the merchant's report. */
export const saleOf = (name: string, facts: Fact[]): Sale | null => {
  const checkout = ofKind(facts, 'checkout').find(({ gross }) => gross > 0) ?? null
  const invoice = ofKind(facts, 'invoice')[0] ?? null
  const report = ofKind(facts, 'report').sort((a, b) => a.at - b.at)[0]
  const paid = invoice ?? checkout ?? (report && { at: report.at, gross: report.cents, net: report.cents })
  if (!paid) return null
  const [customer = null] = facts.flatMap(customerIds)
  return {
    name,
    facts,
    at: paid.at,
    gross: paid.gross,
    net: paid.net,
    checkout,
    invoice,
    isStripes: checkout !== null || invoice !== null,
    subscription: invoice?.subscription ?? checkout?.subscription ?? null,
    customer,
    refunded: [...new Map(ofKind(facts, 'refund').map(({ id, cents }) => [id, cents])).values()].reduce(
      (sum, cents) => sum + cents,
      0,
    ),
  }
}
