/** Credit notes of paid invoices. */
import { Hono } from 'hono'
import type Stripe from 'stripe'
import { needs } from './authentication.ts'
import type { ApiEnv } from './env.ts'
import { invalidParam, invalidRequest } from './errors.ts'
import { INLINE_LINES } from './invoice-lines.ts'
import { answer, readable, readPage } from './routes.ts'
import { listOf, newId, type Store } from './store.ts'
import type { Webhooks } from './webhooks.ts'

/** An amount of a line of the invoice. */
type CreditedLine = { invoice_line_item: string; amount: number }

/** The lines add up to the amount, if there are any. */
export type CreditNoteParams = { invoice: string; amount: number; lines?: CreditedLine[] }

const addNoteLine = (
  store: Store,
  invoice: string,
  { invoice_line_item: id, amount }: CreditedLine,
): Stripe.CreditNoteLineItem => {
  const line = store.invoiceLines.get(invoice)?.find((one) => one.id === id)
  if (!line) throw invalidParam('lines', `No such invoice line item: '${id}'`, 'resource_missing')
  const discount = (line.discount_amounts ?? []).reduce((sum, one) => sum + one.amount, 0)
  if (amount > line.amount - discount)
    throw invalidParam('lines', `The amount (${amount}) is greater than that of the line item.`)
  return {
    id: newId('cnli'),
    object: 'credit_note_line_item',
    amount,
    description: line.description,
    discount_amount: 0,
    discount_amounts: [],
    invoice_line_item: id,
    livemode: false,
    metadata: {},
    pretax_credit_amounts: [],
    quantity: null,
    tax_rates: [],
    taxes: [],
    type: 'invoice_line_item',
    unit_amount: null,
    unit_amount_decimal: null,
  }
}

/**
 * Credits part of a paid invoice to the customer's balance.
 * @throws when the amount exceeds what is left
 */
export const creditNote = (
  store: Store,
  { emit }: Webhooks,
  { invoice: id, amount, lines = [] }: CreditNoteParams,
): Stripe.CreditNote => {
  const invoice = store.invoices.get(id)
  const noteLines = lines.map((line) => addNoteLine(store, id, line))
  if (invoice.status !== 'paid') throw invalidRequest('The Stripe fake credits paid invoices only.')
  const left = invoice.amount_paid - invoice.post_payment_credit_notes_amount
  if (lines.length && amount !== lines.reduce((sum, line) => sum + line.amount, 0))
    throw invalidParam('lines', 'The sum of the lines must equal the amount of the credit note.')
  if (amount > left) {
    throw invalidParam(
      'credit_amount',
      `The amount (${amount}) is greater than the amount left (${left})`,
    )
  }
  invoice.post_payment_credit_notes_amount += amount
  const noteId = newId('cn')
  store.creditNoteLines.set(noteId, noteLines)
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
    lines: {
      ...listOf(noteLines.slice(0, INLINE_LINES), `/v1/credit_notes/${noteId}/lines`),
      has_more: noteLines.length > INLINE_LINES,
    },
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
  new Hono<ApiEnv>()
    .use('/v1/credit_notes/*', needs('credit_note_read'))
    .get('/v1/credit_notes/:id/lines', async (c) => {
      const { id } = store.creditNotes.get(c.req.param('id'))
      const url = `/v1/credit_notes/${id}/lines`
      return answer(c, store, await readPage(c, store.creditNoteLines.get(id) ?? [], url))
    })
    .route(
      '/',
      readable(store, '/v1/credit_notes', store.creditNotes, {
        invoice: (note, id) => note.invoice === id,
      }),
    )
