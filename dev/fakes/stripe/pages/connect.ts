/** The onboarding page for the owner of a connected account. */
import { html } from 'hono/html'
import { type Connected, dueOf } from '../accounts.ts'
import { type Html, layout, STRIPE_PATH } from './layout.ts'

/** The onboarding form. */
export const onboardingPage = (
  visit: string,
  account: Connected,
  nonce: string | undefined,
): Html => {
  const due = dueOf(account)
  const action = `${STRIPE_PATH}/connect/${visit}`
  return layout(
    'Connect your account',
    nonce,
    html`<h1>Connect your account</h1>
<p>Complete your details to receive payouts${account.email ? html` as <strong>${account.email}</strong>` : ''}.</p>
<section class="card">
<h2>${due.length ? 'Required details' : 'No further details required'}</h2>
${due.length ? html`<ul class="needs">${due.map(({ words }) => html`<li>${words}</li>`)}</ul>` : ''}
<p class="muted">This is a simulation. There is nothing to fill in.</p>
<form method="post" action="${action}/finish"><button class="main">Finish</button></form>
${due.length ? html`<form method="post" action="${action}/leave"><button>Leave half-way</button></form>` : ''}
</section>`,
  )
}

/** The page for an ended visit. */
export const noVisitPage = (title: string, text: string, nonce: string | undefined): Html =>
  layout(title, nonce, html`<h1>${title}</h1><p>${text}</p>`)
