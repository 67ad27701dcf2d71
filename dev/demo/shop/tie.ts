/** The demo's explanation of how a lead and a customer at Stripe became one customer. */
import { html } from 'hono/html'
import type { Event } from './explanation.ts'
import type { Html } from './layout.ts'
import type { Customer, StripeBuyer } from './store.ts'

/** What is known of the two. The events are null while Tributary doesn't have them. */
export type Tie = {
  customer: Customer
  buyer: StripeBuyer
  invoice: { id: string; eventName: 'subscription' | 'renewal' }
  lead: Event | null
  sale: Event | null
}

/** Whether Tributary sees one customer. */
const isTied = ({ lead, sale }: Tie): boolean =>
  lead?.customer.id != null && lead.customer.id === sale?.customer.id

const inWords = (tie: Tie): Html => {
  const { customer, buyer, invoice } = tie
  const [own, theirs] = [html`<code>${customer.id}</code>`, html`<code>${buyer.id}</code>`]
  if (!isTied(tie)) return html`Tributary has not tied the two yet. Reload the page to check again.`
  if (invoice.eventName === 'renewal')
    return html`Stripe’s invoice for the renewal names only ${theirs}. Tributary has known since the first checkout that
    this is ${own}, so the shop reports nothing, this month or any other.`
  return html`The checkout names both, so Tributary knows that ${theirs} is ${own}, the customer of the lead. From now on
    every renewal, refund and dispute of ${theirs} counts for that customer, and the shop reports none of them.`
}

const referredBy = (lead: Event | null): string => {
  const partner = lead?.partner
  return partner ? `referred by ${partner.name ?? partner.slug}` : 'referred by nobody'
}

const side = (title: string, id: string, about: Html): Html => html`
<div class="side">
  <h4>${title}</h4>
  <p class="id">${id}</p>
  <p>${about}</p>
</div>`

const passedBy = ({ buyer: { customerExternalId, clickId } }: Tie): Html => {
  if (customerExternalId) return html`Now it has one: <code>${customerExternalId}</code>.`
  if (!clickId) return html`There was no click either.`
  return html`It passed the click instead, as the snippet does for Payment Links:
    <code>client_reference_id: "${clickId.slice(0, 12)}…"</code>.`
}

const guest = (tie: Tie): Html => html`
<h3>No sign-up, no lead</h3>
<p>This buyer first paid without an account, so the shop had no id to pass to Stripe. ${passedBy(tie)}
Renewals are recognized by Stripe’s customer <code>${tie.buyer.id}</code>.</p>`

/** The section: the two ids, what ties them, and what follows from it. */
export const tieSection = (tie: Tie): Html => {
  const { customer, buyer, invoice, lead } = tie
  if (!customer.lead) return guest(tie)
  return html`
<h3>Two ids, one customer</h3>
<div class="tie">
  ${side('The shop’s lead', customer.id, html`${customer.email}, ${referredBy(lead)}`)}
  <p class="knot">${isTied(tie) ? html`<span>tied by</span> <code>customerExternalId</code>` : html`<span>not tied yet</span>`}</p>
  ${side('Stripe’s customer', buyer.id, html`paid invoice <code>${invoice.id}</code>`)}
</div>
<p>${inWords(tie)}</p>`
}
