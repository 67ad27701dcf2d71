import { html } from 'hono/html'
import type { Html, Page } from './layout.ts'
import { PLANS, type Plan, price, SETUP } from './plans.ts'
import type { Customer } from './store.ts'

const twoWays = ({ id }: Customer): Html => html`
<aside class="demo" aria-label="About the two ways to pay">
  <p class="demo-label">Behind the scenes · only this demo shows this</p>
  <p><strong>With Stripe</strong>, the shop only passes its customer id <code>${id}</code> on, and Stripe reports payments,
  renewals and refunds to Tributary. Most merchants do it like this.</p>
  <p><strong>Here by card</strong>, the shop takes the payment itself, and reports it by Tributary’s API.</p>
</aside>`

/**
 * The checkout: a plan, and two ways to pay: at Stripe, or here with a filled-in test card. The
 * card's fields have no names, so they are never sent.
 */
export const checkoutPage = (customer: Customer, chosen: Plan, problem?: string): Page => ({
  title: 'Checkout',
  body: html`
<div class="narrow">
  <h1>Checkout</h1>
  <form class="card" method="post" action="/checkout">
    ${problem ? html`<p class="alert" role="alert">${problem}</p>` : ''}
    <fieldset>
      <legend>Your plan</legend>
      ${PLANS.map(
        (plan) => html`<label class="choice">
        <input type="radio" name="plan" value="${plan.id}"${plan === chosen ? html` checked` : ''}>
        <span>${plan.name}<small>${plan.pitch}</small></span> <strong>${price(plan)}</strong>
      </label>`,
      )}
    </fieldset>
    <input type="hidden" name="tributary_click">
    <label class="choice">
      <input type="checkbox" name="setup" value="yes">
      <span>${SETUP.name}<small>Once, and only with Stripe.</small></span> <strong>${price(SETUP)}</strong>
    </label>
    <button class="button wide" formaction="/stripe/checkout">Pay with Stripe</button>
    <p class="hint">Continues on Stripe’s page, where you can use a promotion code.</p>
    <fieldset>
      <legend>Or pay here by card</legend>
      <p class="hint">A test card, already filled in. Nothing is charged.</p>
      <div class="field"><label for="card">Card number</label><input id="card" value="4242 4242 4242 4242" readonly></div>
      <div class="pair">
        <div class="field"><label for="expiry">Expires</label><input id="expiry" value="12 / 34" readonly></div>
        <div class="field"><label for="cvc">Security code</label><input id="cvc" value="123" readonly></div>
      </div>
    </fieldset>
    <input type="hidden" name="invoice" value="${customer.nextInvoiceId}">
    <button class="button quiet wide">Pay and subscribe</button>
    <p class="hint">Paying as ${customer.name} (${customer.email}). Renews every month.</p>
  </form>
  ${twoWays(customer)}
</div>`,
})
