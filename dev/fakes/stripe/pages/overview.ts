/**
 * The merchant's overview: subscriptions, payments, Connect and events, with buttons to act on
 * them.
 */
import { html } from 'hono/html'
import type Stripe from 'stripe'
import type { ConnectEvent } from '../event-shapes.ts'
import { createdAt } from '../events.ts'
import type { Platforms } from '../platforms.ts'
import { idOf, type Store } from '../store.ts'
import type { Delivery } from '../webhooks.ts'
import { connectSections } from './connect-sections.ts'
import { type Html, layout, money } from './layout.ts'
import { button, entry, MAX_SHOWN, section, time } from './parts.ts'

const buyer = (
  store: Store,
  customer: Stripe.Charge['customer'],
  otherwise: string | null,
): string => store.customers.find(idOf(customer))?.email ?? otherwise ?? 'a guest'

const subscriptionItem = (store: Store, subscription: Stripe.Subscription): Html => {
  const [item] = subscription.items.data
  const who = buyer(store, subscription.customer, null)
  return entry(
    html`<p>${who} <span class="status">${subscription.status}</span></p>
<p class="muted"><code>${subscription.id}</code>, ${money(item?.price.unit_amount ?? 0, subscription.currency)} per ${item?.plan.interval}, paid until ${time(item?.current_period_end ?? 0)}</p>`,
    [button(`/subscriptions/${subscription.id}/renew`, 'Renew', who)],
  )
}

const paymentItem = (store: Store, charge: Stripe.Charge): Html => {
  const { amount, amount_refunded, currency, disputed, refunded } = charge
  const who = `${money(amount, currency)} of ${buyer(store, charge.customer, charge.receipt_email)}`
  const path = `/charges/${charge.id}`
  const dispute = store.disputes.list().find((one) => idOf(one.charge) === charge.id)
  const open = dispute && dispute.status !== 'won' && dispute.status !== 'lost'
  const half = Math.floor((amount - amount_refunded) / 2)
  const buttons = [
    ...(half && !refunded && !disputed
      ? [button(`${path}/refund`, 'Refund half', who, { amount: String(half) })]
      : []),
    ...(refunded || disputed
      ? []
      : [button(`${path}/refund`, 'Refund', who), button(`${path}/dispute`, 'Dispute', who)]),
    ...(open
      ? [
          button(`/disputes/${dispute.id}/close`, 'Win dispute', who, { status: 'won' }),
          button(`/disputes/${dispute.id}/close`, 'Lose dispute', who, { status: 'lost' }),
        ]
      : []),
  ]
  return entry(
    html`<p>${who} ${amount_refunded ? html`<span class="status">${money(amount_refunded, currency)} refunded</span>` : ''} ${dispute ? html`<span class="status">dispute: ${dispute.status.replaceAll('_', ' ')}</span>` : ''}</p>
<p class="muted"><code>${idOf(charge.payment_intent)}</code>, ${time(charge.created)}</p>`,
    buttons,
  )
}

const deliveryItem = (store: Store, { endpoint, state, status, attempts }: Delivery): Html =>
  html`<p class="muted"><span class="status">${state}</span> ${status === null ? (attempts ? 'no response' : '') : `HTTP ${status}`}${attempts > 1 ? `, attempt ${attempts}` : ''}: ${store.endpoints.find(endpoint)?.url}</p>`

const eventItem = (store: Store, event: ConnectEvent, deliveries: readonly Delivery[]): Html =>
  entry(
    html`<p><code>${event.type}</code></p>
<p class="muted"><code>${event.id}</code>, ${time(createdAt(event))}</p>
${deliveries.filter((delivery) => delivery.event === event.id).map((delivery) => deliveryItem(store, delivery))}`,
    [button(`/events/${event.id}/resend`, 'Send again', `${event.type} ${event.id}`)],
  )

/** The overview, newest first. @param problem why the last action failed */
export const overviewPage = (
  store: Store,
  platforms: Platforms,
  deliveries: readonly Delivery[],
  nonce: string | undefined,
  problem?: string,
): Html => {
  const sent = new Set(deliveries.map(({ event }) => event))
  const events = [...store.connectEvents.list(), ...store.events.list()]
    .filter(({ id }) => sent.has(id))
    .sort((one, other) => createdAt(other) - createdAt(one))
  return layout(
    'The Stripe fake',
    nonce,
    html`<h1>The Stripe fake</h1>
<p>Everything sold through Stripe in the demo shop. Each button triggers the events that Stripe would send, signed. All data is lost when the demo stops.</p>
${problem ? html`<p class="alert" role="alert">${problem}</p>` : ''}
${section(
  'Subscriptions',
  store.subscriptions
    .list()
    .slice(0, MAX_SHOWN)
    .map((one) => subscriptionItem(store, one)),
  'No subscriptions yet.',
)}
${section(
  'Payments',
  store.charges
    .list()
    .slice(0, MAX_SHOWN)
    .map((charge) => paymentItem(store, charge)),
  'No payments yet.',
)}
${connectSections(platforms)}
${section(
  'Recent events',
  events.slice(0, MAX_SHOWN).map((event) => eventItem(store, event, deliveries)),
  'No events yet.',
)}`,
  )
}
