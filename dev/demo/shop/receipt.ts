import { html } from 'hono/html'
import type { Html, Page } from './layout.ts'
import { price } from './plans.ts'
import type { Customer, Invoice } from './store.ts'

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

const discountOf = ({ plan, paidCents }: Invoice): Html | '' =>
  paidCents < plan.priceCents
    ? html`<div><dt>Discount</dt><dd>−${price({ priceCents: plan.priceCents - paidCents })}</dd></div>`
    : ''

/** A receipt, with the panel of its sale. */
export const receiptPage = (customer: Customer, invoice: Invoice, story: Html): Page => ({
  title: `Receipt ${invoice.id}`,
  body: html`
<section class="card receipt">
  <div>
    <h1>Thank you, ${customer.name}.</h1>
    <p>${invoice.eventName === 'renewal' ? 'Your plan is renewed for another month.' : `Welcome to ${invoice.plan.name}. Your notebooks are ready.`}</p>
    <p><a href="/account">Go to your account</a></p>
  </div>
  <dl>
    <div><dt>Receipt</dt><dd class="id">${invoice.id}</dd></div>
    <div><dt>Date</dt><dd>${DAY.format(invoice.paidAt)}</dd></div>
    <div><dt>${invoice.plan.name}, one month</dt><dd>${price(invoice.plan)}</dd></div>
    ${discountOf(invoice)}
    <div class="total"><dt>Paid ${invoice.reported.by === 'stripe' ? 'at Stripe, ' : ''}by card ending in 4242</dt><dd>${price({ priceCents: invoice.paidCents })}</dd></div>
  </dl>
</section>
${story}`,
})
