/** What was bought by a payment, and the customer's country. */
import type { StoredLine } from '../rewards/sale-lines.ts'
import type { CheckoutFact, Fact, InvoiceFact } from './facts.ts'
import { byText } from './received.ts'

export type BoughtIn = {
  /** Null unless the processor names products. */
  lines: StoredLine[] | null
  /** ISO 3166. */
  country: string | null
}

/**
 * By the invoice, else by the checkout; a payment names a country at most.
 *
 * @param invoices all facts of one invoice: some may say more than the others
 */
export const boughtIn = (
  invoices: InvoiceFact[],
  checkout: CheckoutFact | null,
  payments: Extract<Fact, { kind: 'intent' }>[],
): BoughtIn => {
  const sold = [...invoices, ...(checkout ? [checkout] : [])]
  const named = [...sold, ...payments.toSorted((a, b) => byText(a.id, b.id))]
  return {
    lines: sold.find(({ lines }) => lines)?.lines ?? null,
    country: named.find(({ country }) => country)?.country ?? null,
  }
}
