/** The panel for a sale of which Stripe tells Tributary, and the shop doesn't. */
import { html } from 'hono/html'
import { STRIPE_EVENTS } from '../../../lib/purchases/stripe/event-types.ts'
import { STRIPE_PATH } from '../../fakes/stripe/pages/layout.ts'
import { steps, verdict } from './behind-the-scenes.ts'
import type { ShopConfig } from './config.ts'
import { findSale } from './explanation.ts'
import type { Html } from './layout.ts'
import type { StripeShop, Told } from './stripe.ts'

const toldItem = ({ id, type, pending }: Told): Html =>
  html`<li><code>${type}</code> <span>${id}</span> <strong>${pending ? 'under way' : 'taken'}</strong></li>`

/** What Tributary's endpoint was told to be sent: see docs/stripe.md. */
const isSent = ({ type }: Told): boolean => STRIPE_EVENTS.some((wanted) => wanted === type)

/** The panel. It waits a little for the events that are under way. */
export const stripeStory = async (config: ShopConfig, stripe: StripeShop, invoice: string): Promise<Html> => {
  const told = (await stripe.waitForEvents(invoice)).filter(isSent)
  const { path, event } = await findSale(config, invoice)
  return html`
<section class="demo" aria-labelledby="behind">
  <p class="demo-label">Behind the scenes · only this demo shows this</p>
  <h2 id="behind">What Tributary made of this sale</h2>
  ${event ? verdict(event) : html`<p class="verdict">Tributary has not heard of this sale yet. Reload the page to see.</p>`}
  <div class="story">
    <div>
      ${event ? html`<h3>Why</h3>${steps(event)}` : ''}
      <p class="source">From <code>GET ${path}</code></p>
    </div>
    <div>
      <h3>The shop’s backend sent</h3>
      <p>Nothing. Stripe told Tributary, by webhooks that are signed:</p>
      <ul class="rows">${told.map(toldItem)}</ul>
      <p>See all of them, and what a refund or a dispute does to the commission, in <a href="${config.tributaryUrl}${STRIPE_PATH}">the Stripe fake</a>.</p>
    </div>
  </div>
</section>`
}
