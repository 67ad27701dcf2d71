/** The checkout page. */
import { html } from 'hono/html'
import type Stripe from 'stripe'
import { idOf, type Store } from '../store.ts'
import { type Html, layout, money, STRIPE_PATH } from './layout.ts'

/** The buyer's input, and its problem. */
export type Typed = {
  email?: string
  code?: string
  problem?: { field: 'email' | 'code'; text: string }
}

const every = ({ price }: Stripe.LineItem): string => {
  const { interval, interval_count = 1 } = price?.recurring ?? {}
  if (!interval) return ''
  return interval_count === 1 ? ` a ${interval}` : ` every ${interval_count} ${interval}s`
}

const row = (name: string | Html, value: string, total = false): Html =>
  html`<div class="row${total ? ' total' : ''}"><dt>${name}</dt><dd>${value}</dd></div>`

const summary = (store: Store, session: Stripe.Checkout.Session): Html => {
  const { currency, amount_total, total_details } = session
  const items = store.lineItems.get(session.id) ?? []
  const discount = total_details?.amount_discount ?? 0
  return html`<dl>
${items.map((item) =>
  row(
    html`${item.description ?? 'An item'}${(item.quantity ?? 1) > 1 ? ` × ${item.quantity}` : ''}`,
    `${money(item.amount_subtotal, currency)}${every(item)}`,
  ),
)}
${discount ? row(html`Discount${appliedCode(store, session) ? html` <code>${appliedCode(store, session)}</code>` : ''}`, `−${money(discount, currency)}`) : ''}
${row('Due today', money(amount_total, currency), true)}
</dl>`
}

const appliedCode = (store: Store, { discounts }: Stripe.Checkout.Session): string | undefined =>
  store.promotionCodes.find(idOf(discounts?.[0]?.promotion_code))?.code

const problemOf = ({ problem }: Typed, field: 'email' | 'code'): Html | '' =>
  problem?.field === field
    ? html`<p class="alert" role="alert" id="${field}-problem">${problem.text}</p>`
    : ''

const invalid = ({ problem }: Typed, field: 'email' | 'code'): Html | '' =>
  problem?.field === field
    ? html` aria-invalid="true" aria-describedby="${field}-problem" autofocus`
    : ''

const codeForm = (store: Store, session: Stripe.Checkout.Session, typed: Typed): Html => {
  const action = `${STRIPE_PATH}/pay/${session.id}/code`
  const applied = appliedCode(store, session)
  if (applied) {
    return html`<form method="post" action="${action}" class="inline">
<span role="status">The code <code>${applied}</code> is applied.</span> <button>Remove</button></form>`
  }
  return html`<form method="post" action="${action}" novalidate>
<label for="code">Promotion code</label>
${problemOf(typed, 'code')}
<div class="inline"><input id="code" name="code" value="${typed.code ?? ''}" autocomplete="off" autocapitalize="characters"${invalid(typed, 'code')}><button>Apply</button></div>
</form>`
}

/** The buyer's email address, if the session has it; then it can't be changed. */
export const knownEmail = (store: Store, session: Stripe.Checkout.Session): string | null =>
  store.customers.find(idOf(session.customer))?.email ?? session.customer_email

const payForm = (store: Store, session: Stripe.Checkout.Session, typed: Typed): Html => {
  const known = knownEmail(store, session)
  const { amount_total, currency, mode } = session
  return html`<form class="card" method="post" action="${STRIPE_PATH}/pay/${session.id}" novalidate>
<h2>Pay by card</h2>
<label for="email">Email</label>
${problemOf(typed, 'email')}
<input id="email" name="email" type="email" autocomplete="email" required value="${known ?? typed.email ?? ''}"${known ? html` readonly` : ''}${invalid(typed, 'email')}>
<label for="card">Card number</label>
<input id="card" value="4242 4242 4242 4242" readonly>
<button class="main">${mode === 'subscription' ? 'Subscribe' : 'Pay'} for ${money(amount_total, currency)}</button>
<p class="muted">A test card, already filled in.</p>
</form>`
}

/** The page of an open session. */
export const payPage = (
  store: Store,
  session: Stripe.Checkout.Session,
  nonce: string | undefined,
  typed: Typed = {},
): Html =>
  layout(
    typed.problem ? 'Please check the form' : 'Checkout',
    nonce,
    html`${session.cancel_url ? html`<p><a href="${session.cancel_url}">Back to the shop</a></p>` : ''}
<h1>Checkout</h1>
<div class="pay">
<section class="card" aria-label="Your order">
${summary(store, session)}
${session.allow_promotion_codes ? codeForm(store, session, typed) : ''}
</section>
${payForm(store, session, typed)}
</div>`,
  )

/** The page of a closed session. */
export const closedPage = (nonce: string | undefined): Html =>
  layout(
    'This checkout is closed',
    nonce,
    html`<h1>This checkout is closed</h1><p>It was paid, or it has expired.</p>`,
  )
