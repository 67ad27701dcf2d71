import { html } from 'hono/html'
import type { Page } from './layout.ts'
import { DEFAULT_PLAN, PLANS, price } from './plans.ts'

/** The plans, each with its way to the checkout. */
export const pricingPage = (): Page => ({
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
  </li>`,
  )}
</ul>`,
})
