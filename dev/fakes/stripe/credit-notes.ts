/** Credit notes of paid invoices. */
import type Stripe from 'stripe'
import { invalidParam, invalidRequest } from './errors.ts'
import { readable } from './routes.ts'
import { listOf, newId, type Store } from './store.ts'
import type { Webhooks } from './webhooks.ts'

/**
 * Credits part of a paid invoice to the customer's balance.
 * @throws when the amount exceeds what is left
 */
export const creditNote = (
  store: Store,
  { emit }: Webhooks,
  { invoice: id, amount }: { invoice: string; amount: number },
): Stripe.CreditNote => {
  const invoice = store.invoices.get(id)
  if (invoice.status !== 'paid') throw invalidRequest('The Stripe fake credits paid invoices only.')
  const left = invoice.amount_paid - invoice.post_payment_credit_notes_amount
  if (amount > left) {
    throw invalidParam(
      'credit_amount',
      `The amount (${amount}) is greater than the amount left (${left})`,
    )
  }
  invoice.post_payment_credit_notes_amount += amount
  const noteId = newId('cn')
  const note = store.creditNotes.add({
    id: noteId,
    object: 'credit_note',
    amount,
    amount_shipping: 0,
    created: store.seconds(),
    currency: invoice.currency,
    customer: invoice.customer ?? '',
    customer_account: null,
    customer_balance_transaction: newId('cbtxn'),
    discount_amount: 0,
    discount_amounts: [],
    effective_at: store.seconds(),
    invoice: invoice.id,
    lines: listOf<Stripe.CreditNoteLineItem>([], `/v1/credit_notes/${noteId}/lines`),
    livemode: false,
    memo: null,
    metadata: {},
    number: `${invoice.number}-CN-01`,
    out_of_band_amount: null,
    pdf: 'https://example.com/credit-note.pdf',
    post_payment_amount: amount,
    pre_payment_amount: 0,
    pretax_credit_amounts: [],
    reason: null,
    refunds: [],
    shipping_cost: null,
    status: 'issued',
    subtotal: amount,
    subtotal_excluding_tax: amount,
    total: amount,
    total_excluding_tax: amount,
    total_taxes: [],
    type: 'post_payment',
    voided_at: null,
  })
  emit(['credit_note.created', note])
  return note
}

export const creditNoteRoutes = (store: Store) =>
  readable(store, '/v1/credit_notes', store.creditNotes, {
    invoice: (note, id) => note.invoice === id,
  })
