/** The demo's panel for a sale that Stripe reports, not the shop. */
import { html } from 'hono/html'
import { STRIPE_EVENTS } from '../../../lib/purchases/stripe/event-types.ts'
import { STRIPE_PATH } from '../../fakes/stripe/pages/layout.ts'
import type { ShopConfig } from './config.ts'
import { findSale } from './explanation.ts'
import type { Html } from './layout.ts'
import { steps, verdict } from './report-panel.ts'
import type { StripeEvent, StripeShop } from './stripe.ts'

const eventItem = ({ id, type, pending }: StripeEvent): Html =>
  html`<li><code>${type}</code> <span>${id}</span> <strong>${pending ? 'pending' : 'delivered'}</strong></li>`

/** Whether Tributary's endpoint is subscribed to an event: see docs/stripe.md. */
const isSent = ({ type }: StripeEvent): boolean => STRIPE_EVENTS.some((wanted) => wanted === type)

/** The panel. Waits briefly for pending events. */
export const stripePanel = async (config: ShopConfig, stripe: StripeShop, invoice: string): Promise<Html> => {
  const events = (await stripe.waitForEvents(invoice)).filter(isSent)
  const { path, event } = await findSale(config, invoice)
  return html`
<section class="demo" aria-labelledby="behind">
  <p class="demo-label">Behind the scenes · only this demo shows this</p>
  <h2 id="behind">What Tributary made of this sale</h2>
  ${event ? verdict(event) : html`<p class="verdict">Tributary has not received this sale yet. Reload the page to check again.</p>`}
  <div class="story">
    <div>
      ${event ? html`<h3>Why</h3>${steps(event)}` : ''}
      <p class="source">From <code>GET ${path}</code></p>
    </div>
    <div>
      <h3>The shop’s backend sent</h3>
      <p>Nothing. Stripe reported the sale by signed webhooks:</p>
      <ul class="rows">${events.map(eventItem)}</ul>
      <p>To see all events, and try refunds and disputes, open <a href="${config.tributaryUrl}${STRIPE_PATH}">the Stripe fake</a>.</p>
    </div>
  </div>
</section>`
}
