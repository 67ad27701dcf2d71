import { html } from 'hono/html'
import type { ShopConfig } from './config.ts'
import type { Page } from './layout.ts'

const FEATURES = [
  [
    'Outlines first',
    'Every line folds, moves and links. A plan grows from five words to five pages without being rewritten.',
  ],
  [
    'Yours offline',
    'Write on a train, in a cellar, on a mountain. Everything is on your device and catches up later.',
  ],
  [
    'One page at a time',
    'Share a single page with a single person, and take it back whenever you like.',
  ],
]

/** The shop's home page, followed by the demo's guide. */
export const homePage = ({ partnerSlug, promotionCode }: ShopConfig): Page => ({
  title: 'Notes that keep their shape',
  body: html`
<section class="hero">
  <div>
    <h1>Notes that keep their shape.</h1>
    <p class="lead">Pine Notes is a quiet notebook for people who think in outlines. Write anywhere, find anything, share one page at a time.</p>
    <p class="actions"><a class="button" href="/pricing">See the plans</a> <a class="button quiet" href="/sign-up">Create an account</a></p>
  </div>
  <div class="note" aria-hidden="true">
    <p class="note-title">Autumn launch</p>
    <ul>
      <li class="done">Choose the name</li>
      <li class="done">Write the first page</li>
      <li>Ask three friends to read it
        <ul><li>Ines, on Tuesday</li><li>Tom, after the holidays</li></ul>
      </li>
      <li>Tell the world</li>
    </ul>
  </div>
</section>

<section class="features" aria-label="What it does">
  ${FEATURES.map(([title, text]) => html`<div><h2>${title}</h2><p>${text}</p></div>`)}
</section>

<section class="demo" aria-labelledby="guide">
  <p class="demo-label">Behind the scenes · only this demo shows this</p>
  <h2 id="guide">Follow a referral from the link to the commission</h2>
  <p>Partners recommend Pine Notes and earn a share of what their readers buy. Tributary tracks it. Try it:</p>
  <ol class="guide">
    <li>
      <h3>Follow a partner’s link</h3>
      <p>Maya’s link is <a href="/?via=${partnerSlug}">/?via=${partnerSlug}</a>. She earns 20% of every sale in a customer’s first year.</p>
      <p>Leo’s is <a href="/?via=leo">/?via=leo</a>. As an Insider he earns 30%, and 5.00 USD per sign-up.</p>
      <p>Without a link, Maya’s promotion code <code>${promotionCode}</code> credits her too, on the page where you pay with Stripe. The bar at the top shows whether your browser remembers a click.</p>
    </li>
    <li>
      <h3>Sign up and buy</h3>
      <p><a href="/sign-up">Create an account</a> with any name: the shop reports it as a lead, under its own user id. Then choose a plan and pay with Stripe, a fake that charges nothing.</p>
    </li>
    <li>
      <h3>See the commission explained</h3>
      <p>The receipt shows how Tributary recognized Stripe’s customer as the shop’s, what the partner earned, and each step of the decision.</p>
    </li>
  </ol>
</section>`,
})
