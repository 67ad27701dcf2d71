/** The page on which the owner of a connected account tells Stripe who they are. */
import { html } from 'hono/html'
import { type Connected, dueOf } from '../accounts.ts'
import { type Html, layout, STRIPE_PATH } from './layout.ts'

/** The form of a visit, as far as there is anything to tell. */
export const onboardingPage = (visit: string, account: Connected, nonce: string | undefined): Html => {
  const due = dueOf(account)
  const action = `${STRIPE_PATH}/connect/${visit}`
  return layout(
    'Connect your account',
    nonce,
    html`<h1>Connect your account</h1>
<p>So that you can be paid${account.email ? html` as <strong>${account.email}</strong>` : ''}.</p>
<section class="card">
<h2>${due.length ? 'What Stripe needs from you' : 'Stripe needs nothing more from you'}</h2>
${due.length ? html`<ul class="needs">${due.map(({ words }) => html`<li>${words}</li>`)}</ul>` : ''}
<p class="muted">Make-believe, all of it: there is nothing to type.</p>
<form method="post" action="${action}/finish"><button class="main">Finish</button></form>
${due.length ? html`<form method="post" action="${action}/leave"><button>Leave half-way</button></form>` : ''}
</section>`,
  )
}

/** A visit that leads nowhere. */
export const noVisitPage = (title: string, text: string, nonce: string | undefined): Html =>
  layout(title, nonce, html`<h1>${title}</h1><p>${text}</p>`)
