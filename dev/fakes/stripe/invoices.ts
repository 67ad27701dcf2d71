/** Paid invoices, and their payments. */
import { Hono } from 'hono'
import type Stripe from 'stripe'
import { needs } from './authentication.ts'
import type { ApiEnv } from './env.ts'
import {
  type Discounted,
  INLINE_LINES,
  invoiceLines,
  type LineParams,
  linesIn,
} from './invoice-lines.ts'
import { answer, readable, readPage } from './routes.ts'
import { idOf, listOf, newId, type Store } from './store.ts'

/** The inputs of an invoice. Amounts are in Stripe's minor units. */
export type InvoiceParams = {
  customer: Stripe.Customer
  currency: string
  reason: Stripe.Invoice.BillingReason
  lines: LineParams[]
  discounts: Discounted
  subscription: string | null
  period: { start: number; end: number }
}

/** Creates a paid invoice. */
export const addInvoice = (store: Store, params: InvoiceParams): Stripe.Invoice => {
  const { customer, currency, discounts, subscription, period } = params
  const id = newId('in')
  const lines = invoiceLines(id, currency, params.lines, discounts)
  const subtotal = lines.reduce((sum, { amount }) => sum + amount, 0)
  store.invoiceLines.set(id, lines)
  const now = store.seconds()
  const total = discounts.reduce((left, { amount }) => left - amount, subtotal)
  const sequence = customer.next_invoice_sequence ?? 1
  customer.next_invoice_sequence = sequence + 1
  return store.invoices.add({
    id,
    object: 'invoice',
    account_country: 'US',
    account_name: 'The Stripe fake',
    account_tax_ids: null,
    amount_due: total,
    amount_overpaid: 0,
    amount_paid: total,
    amount_remaining: 0,
    amount_shipping: 0,
    application: null,
    attempt_count: total ? 1 : 0,
    attempted: true,
    auto_advance: false,
    automatic_tax: {
      disabled_reason: null,
      enabled: false,
      liability: null,
      provider: null,
      status: null,
    },
    automatically_finalizes_at: null,
    billing_reason: params.reason,
    collection_method: 'charge_automatically',
    created: now,
    currency,
    custom_fields: null,
    customer: customer.id,
    customer_account: null,
    customer_address: null,
    customer_email: customer.email,
    customer_name: customer.name ?? null,
    customer_phone: null,
    customer_shipping: null,
    customer_tax_exempt: 'none',
    customer_tax_ids: [],
    default_payment_method: null,
    default_source: null,
    default_tax_rates: [],
    description: null,
    discounts: discounts.map(({ discount }) => discount),
    due_date: null,
    effective_at: now,
    ending_balance: 0,
    footer: null,
    from_invoice: null,
    hosted_invoice_url: null,
    invoice_pdf: null,
    issuer: { type: 'self' },
    last_finalization_error: null,
    latest_revision: null,
    lines: {
      ...listOf(lines.slice(0, INLINE_LINES), `/v1/invoices/${id}/lines`),
      has_more: lines.length > INLINE_LINES,
    },
    livemode: false,
    metadata: {},
    next_payment_attempt: null,
    number: `${customer.invoice_prefix}-${String(sequence).padStart(4, '0')}`,
    on_behalf_of: null,
    parent:
      subscription === null
        ? null
        : {
            quote_details: null,
            subscription_details: { metadata: {}, subscription },
            type: 'subscription_details',
          },
    payment_settings: {
      default_mandate: null,
      payment_method_options: null,
      payment_method_types: null,
    },
    period_end: period.end,
    period_start: period.start,
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    receipt_number: null,
    rendering: null,
    shipping_cost: null,
    shipping_details: null,
    starting_balance: 0,
    statement_descriptor: null,
    status: 'paid',
    status_transitions: {
      finalized_at: now,
      marked_uncollectible_at: null,
      paid_at: now,
      voided_at: null,
    },
    subtotal,
    subtotal_excluding_tax: subtotal,
    test_clock: null,
    total,
    total_discount_amounts: discounts,
    total_excluding_tax: total,
    total_pretax_credit_amounts: [],
    total_taxes: [],
    webhooks_delivered_at: null,
  })
}

/** Records the payment of an invoice. */
export const addInvoicePayment = (
  store: Store,
  invoice: Stripe.Invoice,
  intent: Stripe.PaymentIntent,
): Stripe.InvoicePayment => {
  const now = store.seconds()
  return store.invoicePayments.add({
    id: newId('inpay'),
    object: 'invoice_payment',
    amount_paid: intent.amount,
    amount_requested: intent.amount,
    created: now,
    currency: invoice.currency,
    invoice: invoice.id,
    is_default: true,
    livemode: false,
    payment: { payment_intent: intent.id, type: 'payment_intent' },
    status: 'paid',
    status_transitions: { canceled_at: null, paid_at: now },
  })
}

/** An invoice's subscription. */
const subscriptionOf = ({ parent }: Stripe.Invoice): string | null =>
  idOf(parent?.subscription_details?.subscription)

export const invoiceRoutes = (store: Store) =>
  new Hono<ApiEnv>()
    .use('/v1/invoices/*', needs('invoice_read'))
    .get('/v1/invoices/:id/lines', async (c) => {
      const { id } = store.invoices.get(c.req.param('id'))
      const lines = store.invoiceLines.get(id) ?? []
      const page = await readPage(c, lines, `/v1/invoices/${id}/lines`)
      const data = linesIn(c.req.header('Stripe-Version'), store, page.data)
      return answer(c, store, { ...page, data })
    })
    .route(
      '/',
      readable(store, '/v1/invoices', store.invoices, {
        customer: (invoice, id) => idOf(invoice.customer) === id,
        status: (invoice, status) => invoice.status === status,
        subscription: (invoice, id) => subscriptionOf(invoice) === id,
      }),
    )
    .route(
      '/',
      readable(store, '/v1/invoice_payments', store.invoicePayments, {
        invoice: (payment, id) => idOf(payment.invoice) === id,
        status: (payment, status) => payment.status === status,
      }),
    )
