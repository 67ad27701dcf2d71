/** Reads the lines of an invoice, a checkout or a credit note by Stripe's API. */
import type Stripe from 'stripe'

/** Of which object the lines are. */
export type LinesOf = { of: 'invoice' | 'checkout' | 'credit_note'; id: string }

/** Stripe's maximum. */
const PAGE = 100
/** Several times what Stripe allows on an invoice. It takes ten calls. */
const MAX_READ = 1_000

/** All lines, in the shape of the API version of the stripe package. */
export const readLines = async (stripe: Stripe, { of, id }: LinesOf): Promise<object[]> => {
  const lists = {
    invoice: () => stripe.invoices.listLineItems(id, { limit: PAGE }),
    checkout: () => stripe.checkout.sessions.listLineItems(id, { limit: PAGE }),
    credit_note: () => stripe.creditNotes.listLineItems(id, { limit: PAGE }),
  }
  const lines: object[] = []
  for await (const line of lists[of]()) {
    if (lines.push(line) === MAX_READ) break
  }
  return lines
}
