/** The demo's panel for a report: what the shop sent, Tributary's response, and the explanation. */
import { setTimeout as pause } from 'node:timers/promises'
import { html } from 'hono/html'
import { formatMoney } from '../../../lib/money.ts'
import type { ShopConfig } from './config.ts'
import { countEvents, type Event, eventPath, loadEvent } from './explanation.ts'
import type { Html } from './layout.ts'
import type { Delivery, Outcome } from './tributary.ts'

/** The page doesn't wait longer for a response. */
const MAX_WAIT_MS = 3_000

const NAMES = { lead: 'sign-up', sale: 'sale' } as const

type State = Outcome | { state: 'in progress' }

const settled = (delivery: Delivery): Promise<State> =>
  Promise.race([delivery.outcome, pause(MAX_WAIT_MS, { state: 'in progress' } as const, { ref: false })])

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

const code = (value: unknown): Html =>
  html`<pre><code>${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}</code></pre>`

/** The partner and commission of an event. */
export const verdict = (event: Event | null): Html => {
  if (!event)
    return html`<p class="verdict">The explanation is not available right now. Reload the page to try again.</p>`
  const { kind, partner, commission } = event
  const who = partner?.name ?? partner?.slug
  if (!who) return html`<p class="verdict">No partner is credited with this ${NAMES[kind]}.</p>`
  if (!commission)
    return html`<p class="verdict">This ${NAMES[kind]} is credited to ${who}, and earns no commission.</p>`
  return html`<p class="verdict">${who} earned <strong>${formatMoney(commission.amountCents, commission.currency)}</strong>
    <span class="badge">${commission.status}</span> <small>payable from ${DAY.format(new Date(commission.payableAt))}</small></p>`
}

/** The steps of the decision. */
export const steps = ({ steps }: Event): Html => html`
<ol class="steps">${steps.map(({ text, code }) => html`<li><p>${text}</p><code>${code}</code></li>`)}</ol>`

const answered = (outcome: State): Html => {
  switch (outcome.state) {
    case 'recorded':
      return html`<h3>Tributary answered <span class="badge">${outcome.status}</span></h3>${code(outcome.answer)}`
    case 'refused':
      return html`<h3>Tributary refused <span class="badge">${outcome.status}</span></h3>${code(outcome.problem)}`
    case 'kept':
      return html`<h3>Queued</h3><p>${outcome.reason} The shop keeps the report and sends it again after the next success.</p>`
    case 'in progress':
      return html`<h3>In progress</h3><p>No response yet. The shop is retrying. Reload the page to see the result.</p>`
  }
}

/** A repeat of the report on request, to demonstrate idempotency. */
type Again = { action: string; repeat: Delivery | null }

const sendAgain = async (config: ShopConfig, first: State, { action, repeat }: Again): Promise<Html> => html`
<div class="again">
  <h3>What if the shop sends it twice?</h3>
  <form method="post" action="${action}"><button class="button quiet">Send the same sale again</button></form>
  ${repeat ? await repeated(config, first, repeat) : ''}
</div>`

const counted = (events: number | null): string => {
  if (events === null) return ''
  if (events === 1) return 'Tributary still has one sale under this id: nothing doubled.'
  return `Tributary has ${events} sales under this id.`
}

const repeated = async (config: ShopConfig, first: State, repeat: Delivery): Promise<Html> => {
  const second = await settled(repeat)
  const count = await countEvents(config, repeat.report)
  const same = JSON.stringify(first) === JSON.stringify(second)
  return html`<div id="again" role="status">
  <p>${same ? 'The answer is the very same as the first. ' : ''}${counted(count)}</p>
  ${answered(second)}
</div>`
}

/**
 * The panel for a report.
 *
 * @param again the form action that repeats the report, and the last repeat's delivery
 */
export const reportPanel = async (config: ShopConfig, delivery: Delivery, again?: Again): Promise<Html> => {
  const { report } = delivery
  const outcome = await settled(delivery)
  const recorded = outcome.state === 'recorded' ? outcome.answer : null
  const event = recorded && (await loadEvent(config, report, recorded.eventId))

  return html`
<section class="demo" aria-labelledby="behind">
  <p class="demo-label">Behind the scenes · only this demo shows this</p>
  <h2 id="behind">What Tributary made of this ${NAMES[report.kind]}</h2>
  ${recorded ? verdict(event) : ''}
  <div class="story">
    <div>
      ${event ? html`<h3>Why</h3>${steps(event)}` : ''}
      ${recorded ? html`<p class="source">From <code>GET ${eventPath(config.workspace, report, recorded.eventId)}</code></p>` : ''}
      ${again ? await sendAgain(config, outcome, again) : ''}
    </div>
    <div>
      <h3>The shop’s backend sent</h3>
      ${code(`POST ${report.path}\n${JSON.stringify(report.body, null, 2)}`)}
      ${answered(outcome)}
    </div>
  </div>
</section>`
}
