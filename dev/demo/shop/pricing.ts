import { html } from 'hono/html'
import type { Html, Page } from './layout.ts'
import { DEFAULT_PLAN, PLANS, price } from './plans.ts'

/** Explains the promotion code. */
const codeHint = (promotionCode: string): Html => html`
<aside class="demo" aria-label="About paying with Stripe">
  <p class="demo-label">Behind the scenes · only this demo shows this</p>
  <p>Getting a plan with Stripe needs no account: the click goes to Stripe instead of a customer id. The promotion code
  <code>${promotionCode}</code> gives 10% off and credits Maya, with or without a click. Stripe is a fake here, which reports
  to Tributary by signed webhooks.</p>
</aside>`

/** The plans, each with two ways to pay: the shop's own checkout, or Stripe's. */
export const pricingPage = (promotionCode: string): Page => ({
  title: 'Pricing',
  body: html`
<div class="intro">
  <h1>One price a month, and your notes stay yours.</h1>
  <p class="lead">Change or cancel whenever you like.</p>
</div>
<ul class="plans">
  ${PLANS.map(
    (plan) => html`<li class="plan${plan === DEFAULT_PLAN ? ' favourite' : ''}">
    <h2>${plan.name}${plan === DEFAULT_PLAN ? html` <span class="badge">Most chosen</span>` : ''}</h2>
    <p>${plan.pitch}</p>
    <p class="price">${price(plan)} <span>a month</span></p>
    <ul class="ticks">${plan.features.map((feature) => html`<li>${feature}</li>`)}</ul>
    <a class="button${plan === DEFAULT_PLAN ? '' : ' quiet'}" href="/checkout?plan=${plan.id}">Choose ${plan.name}</a>
    <form method="post" action="/stripe/checkout">
      <input type="hidden" name="plan" value="${plan.id}">
      <input type="hidden" name="tributary_click">
      <button class="button quiet wide">Get ${plan.name} with Stripe</button>
    </form>
  </li>`,
  )}
</ul>
${codeHint(promotionCode)}`,
})
