/**
 * What the demo's panels have in common: code, the response to a report, and Tributary's
 * explanation of an event.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { html } from 'hono/html'
import { formatMoney } from '../../../lib/values/money.ts'
import { INBOX_PATH } from '../../fakes/inbox.ts'
import type { ShopConfig } from './config.ts'
import type { Event } from './explanation.ts'
import type { Html } from './layout.ts'
import type { Delivery, Outcome } from './tributary.ts'

/** The page doesn't wait longer for a response. */
const MAX_WAIT_MS = 3_000

export const NAMES = { lead: 'sign-up', sale: 'sale', refund: 'refund' } as const

export type State = Outcome | { state: 'in progress' }

/** The state of a report, once it is answered or the page has waited long enough. */
export const settled = (delivery: Delivery): Promise<State> =>
  Promise.race([
    delivery.outcome,
    pause(MAX_WAIT_MS, { state: 'in progress' } as const, { ref: false }),
  ])

type Commission = NonNullable<Event['commission']>

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

export const code = (value: unknown): Html =>
  html`<pre><code>${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}</code></pre>`

export const panelLabel = html`<p class="demo-label">Behind the scenes · only this demo shows this</p>`

const detailOf = ({ reversedCents, currency, status, payableAt }: Commission): string => {
  if (reversedCents > 0)
    return `${formatMoney(reversedCents, currency)} of it was reversed by a refund or dispute`
  // As when a customer pays twice on one day, by card and at Stripe.
  if (status === 'held') return 'a manager decides: it may be the same purchase as another sale'
  if (payableAt === null) return 'another platform pays it'
  return `payable from ${DAY.format(new Date(payableAt))}`
}

const commissionOf = (who: string, { commission, kind }: Event): Html => {
  if (!commission) return html`This ${NAMES[kind]} is credited to ${who}, and earns no commission.`
  const { amountCents, currency, status } = commission
  return html`${who} earned <strong>${formatMoney(amountCents, currency)}</strong>
    <span class="badge">${status}</span> <small>${detailOf(commission)}</small>`
}

/** The partner and commission of an event, and where the merchant finds it. */
export const verdict = (config: ShopConfig, event: Event | null): Html => {
  if (!event)
    return html`<p class="verdict">The explanation is not available right now. Reload the page to try again.</p>`
  const { kind, partner } = event
  const who = partner?.name ?? partner?.slug
  return html`<p class="verdict">${who ? commissionOf(who, event) : `No partner is credited with this ${NAMES[kind]}.`}</p>
${dashboardLink(config, event)}`
}

const dashboardLink = (
  { tributaryUrl, workspace, managerEmail }: ShopConfig,
  { id, kind }: Event,
): Html => html`<p class="dashboard"><a href="${tributaryUrl}/app/${workspace}/events/${id}">Open this ${NAMES[kind]} in the dashboard</a>
  <small>Sign in as ${managerEmail}: <a href="${tributaryUrl}${INBOX_PATH}">the dev inbox</a> has the link.</small></p>`

/** The steps of the decision. */
export const steps = ({ steps }: Event): Html => html`
<ol class="steps">${steps.map(({ text, code }) => html`<li><p>${text}</p><code>${code}</code></li>`)}</ol>`

/** What became of a report. */
export const answered = (outcome: State): Html => {
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
