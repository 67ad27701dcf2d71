/** The merchant's side of the Stripe fake: what was sold, buttons for what may happen next, and what was told. */
import { html } from 'hono/html'
import type Stripe from 'stripe'
import { idOf, type Store } from '../store.ts'
import type { Delivery } from '../webhooks.ts'
import { type Html, layout, money, STRIPE_PATH } from './layout.ts'

/** The most that is shown of each kind. */
const MAX_SHOWN = 50

const time = (seconds: number): Html => {
  const at = new Date(seconds * 1_000).toISOString()
  return html`<time datetime="${at}">${at.slice(0, 10)} ${at.slice(11, 19)}</time>`
}

const button = (path: string, text: string, about: string, fields: Record<string, string> = {}): Html =>
  html`<form method="post" action="${STRIPE_PATH}${path}">${Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}<button aria-label="${text}: ${about}">${text}</button></form>`

const buyer = (store: Store, customer: Stripe.Charge['customer'], otherwise: string | null): string =>
  store.customers.find(idOf(customer))?.email ?? otherwise ?? 'a guest'

const entry = (text: Html, buttons: Html[]): Html =>
  html`<li><div>${text}</div><div class="inline">${buttons}</div></li>`

const subscriptionItem = (store: Store, subscription: Stripe.Subscription): Html => {
  const [item] = subscription.items.data
  const who = buyer(store, subscription.customer, null)
  return entry(
    html`<p>${who} <span class="status">${subscription.status}</span></p>
<p class="muted"><code>${subscription.id}</code>, ${money(item?.price.unit_amount ?? 0, subscription.currency)} a ${item?.plan.interval}, paid until ${time(item?.current_period_end ?? 0)}</p>`,
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

const deliveryItem = (store: Store, { endpoint, state, status, tries }: Delivery): Html =>
  html`<p class="muted"><span class="status">${state}</span> ${status === null ? (tries ? 'no answer' : '') : `answered ${status}`}${tries > 1 ? `, at try ${tries}` : ''}: ${store.endpoints.find(endpoint)?.url}</p>`

const eventItem = (store: Store, event: Stripe.Event, deliveries: readonly Delivery[]): Html =>
  entry(
    html`<p><code>${event.type}</code></p>
<p class="muted"><code>${event.id}</code>, ${time(event.created)}</p>
${deliveries.filter((delivery) => delivery.event === event.id).map((delivery) => deliveryItem(store, delivery))}`,
    [button(`/events/${event.id}/resend`, 'Send again', `${event.type} ${event.id}`)],
  )

const section = (title: string, items: Html[], none: string): Html => html`<section class="card">
<h2>${title}</h2>
${items.length ? html`<ul class="list">${items}</ul>` : html`<p>${none}</p>`}
</section>`

/** All of it on one page, newest first. @param problem why the last button did nothing */
export const overviewPage = (
  store: Store,
  deliveries: readonly Delivery[],
  nonce: string | undefined,
  problem?: string,
): Html => {
  const told = new Set(deliveries.map(({ event }) => event))
  const events = store.events.list().filter(({ id }) => told.has(id))
  return layout(
    'The Stripe fake',
    nonce,
    html`<h1>The Stripe fake</h1>
<p>What the demo shop has sold by Stripe, and what may happen to it next. Each button has its events signed and sent, as Stripe does. All is forgotten when the demo stops.</p>
${problem ? html`<p class="alert" role="alert">${problem}</p>` : ''}
${section(
  'Subscriptions',
  store.subscriptions
    .list()
    .slice(0, MAX_SHOWN)
    .map((one) => subscriptionItem(store, one)),
  'Nobody has subscribed yet.',
)}
${section(
  'Payments',
  store.charges
    .list()
    .slice(0, MAX_SHOWN)
    .map((charge) => paymentItem(store, charge)),
  'Nothing was paid yet.',
)}
${section(
  'Events that were sent',
  events.slice(0, MAX_SHOWN).map((event) => eventItem(store, event, deliveries)),
  'Nothing has happened yet that anybody wants to know.',
)}`,
  )
}
