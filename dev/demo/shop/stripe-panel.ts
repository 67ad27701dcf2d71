/** The demo's panel for a sale that Stripe reports, not the shop. */
import { html } from 'hono/html'
import { STRIPE_EVENTS } from '../../../lib/purchases/stripe/objects/event-types.ts'
import { STRIPE_PATH } from '../../fakes/stripe/pages/layout.ts'
import type { ShopConfig } from './config.ts'
import { type Event, findSale, loadEvent } from './explanation.ts'
import type { Html } from './layout.ts'
import { code, panelLabel, settled, steps, verdict } from './panels.ts'
import type { Customer, StripeBuyer, StripeInvoice } from './store.ts'
import type { StripeEvent, StripeShop } from './stripe.ts'
import { tieSection } from './tie.ts'

const eventItem = ({ id, type, pending }: StripeEvent): Html =>
  html`<li><code>${type}</code> <span>${id}</span> <strong>${pending ? 'pending' : 'delivered'}</strong></li>`

/** Whether Tributary's endpoint is subscribed to an event: see docs/stripe.md. */
const isSent = ({ type }: StripeEvent): boolean => STRIPE_EVENTS.some((wanted) => wanted === type)

const loadLead = async (config: ShopConfig, { lead }: Customer): Promise<Event | null> => {
  if (!lead) return null
  const outcome = await settled(lead)
  return outcome.state === 'recorded'
    ? loadEvent(config, lead.report, outcome.answer.eventId)
    : null
}

/** The call of Stripe's API, with what concerns the buyer. */
const checkoutOf = ({ customerExternalId: id, clickId }: StripeBuyer): string =>
  [
    'stripe.checkout.sessions.create({',
    "  mode: 'subscription',",
    ...(id
      ? [
          `  metadata: { customerExternalId: '${id}'${clickId ? `, tributary_click: '${clickId}'` : ''} },`,
        ]
      : [`  client_reference_id: '${clickId}',`]),
    '  // prices, URLs',
    '})',
  ].join('\n')

/** Everything that the shop sent, to Tributary and to Stripe. */
const sent = ({ lead }: Customer, { eventName, reported: { buyer } }: StripeInvoice): Html => html`
${lead ? html`<h4>To Tributary, at the sign-up</h4>${code(`POST ${lead.report.path}\n${JSON.stringify(lead.report.body, null, 2)}`)}` : ''}
${
  buyer.customerExternalId || buyer.clickId
    ? html`<h4>To Stripe, at the checkout</h4>
${code(checkoutOf(buyer))}`
    : ''
}
<h4>To Tributary, for this ${eventName === 'renewal' ? 'renewal' : 'payment'}</h4>
<p>Nothing. Stripe reported it.</p>`

/** The panel. Waits briefly for pending events. */
export const stripePanel = async (
  config: ShopConfig,
  stripe: StripeShop,
  customer: Customer,
  invoice: StripeInvoice,
): Promise<Html> => {
  const events = (await stripe.waitForEvents(invoice.id)).filter(isSent)
  const [{ path, event: sale }, lead] = await Promise.all([
    findSale(config, invoice.id),
    loadLead(config, customer),
  ])
  return html`
<section class="demo" aria-labelledby="behind">
  ${panelLabel}
  <h2 id="behind">What Tributary made of this sale</h2>
  ${sale ? verdict(config, sale) : html`<p class="verdict">Tributary has not received this sale yet. Reload the page to check again.</p>`}
  <div class="ids">${tieSection({ customer, buyer: invoice.reported.buyer, invoice, lead, sale })}</div>
  <div class="story">
    <div>
      ${sale ? html`<h3>Why</h3>${steps(sale)}` : ''}
      <p class="source">From <code>GET ${path}</code></p>
      <h3>Stripe sent, by signed webhooks</h3>
      <ul class="rows events">${events.map(eventItem)}</ul>
      <p>To try a renewal, a refund or a dispute, open <a href="${config.tributaryUrl}${STRIPE_PATH}">the Stripe fake</a>. Then reload this page.</p>
    </div>
    <div>
      <h3>The shop’s backend sent</h3>
      ${sent(customer, invoice)}
    </div>
  </div>
</section>`
}
