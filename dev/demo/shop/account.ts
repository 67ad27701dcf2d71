import { html } from 'hono/html'
import type { Html, Page } from './layout.ts'
import { DEFAULT_PLAN, type Plan, price } from './plans.ts'
import type { Customer } from './store.ts'

const subscription = ({ nextInvoiceId, subscription }: Customer, plan: Plan): Html => html`
<h2>Your plan</h2>
<p class="price">${plan.name} <span>${price(plan)} a month</span></p>
<p>${subscription ? 'Stripe renews it' : 'It renews automatically'} each month. To see a renewal now:</p>
<form method="post" action="/renew">
  <input type="hidden" name="invoice" value="${nextInvoiceId}">
  <button class="button">Renew now${subscription ? ' (as Stripe will next month)' : ''}</button>
</form>`

const choosePlan = (plan: Plan | undefined): Html => html`
<h2>Choose a plan</h2>
<p>${plan ? `You chose ${plan.name}, ${price(plan)} a month.` : 'You have not chosen a plan yet.'}</p>
<p class="actions">
  <a class="button" href="/checkout?plan=${(plan ?? DEFAULT_PLAN).id}">Continue to checkout</a>
  <a class="button quiet" href="/pricing">Compare the plans</a>
</p>`

const invoices = ({ invoices }: Customer): Html => html`
<h2>Receipts</h2>
${
  invoices.length
    ? html`<ul class="rows">${invoices.map(
        ({ id, plan, eventName, paidCents }) =>
          html`<li><a href="/receipts/${id}">${id}</a> <span>${plan.name}, ${eventName}</span> <strong>${price({ priceCents: paidCents })}</strong></li>`,
      )}</ul>`
    : html`<p>No receipts yet.</p>`
}`

/**
 * The account page, with the panel of the sign-up.
 *
 * @param planned the plan chosen before signing up
 */
export const accountPage = (
  customer: Customer,
  planned: Plan | undefined,
  story: Html | null,
): Page => ({
  title: 'Your account',
  body: html`
<div class="intro">
  <h1>Welcome, ${customer.name}.</h1>
  <p class="lead">Signed in as ${customer.email}</p>
</div>
<div class="pair">
  <section class="card">${customer.plan ? subscription(customer, customer.plan) : choosePlan(planned)}</section>
  <section class="card">${invoices(customer)}</section>
</div>
${story ?? ''}`,
})
