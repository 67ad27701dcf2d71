/** The demo's panel for a report: what the shop sent, Tributary's response, and the explanation. */
import { html } from 'hono/html'
import type { ShopConfig } from './config.ts'
import { countEvents, eventPath, loadEvent } from './explanation.ts'
import type { Html } from './layout.ts'
import { answered, code, NAMES, panelLabel, type State, settled, steps, verdict } from './panels.ts'
import type { Delivery } from './tributary.ts'

/** A repeat of the report on request, to demonstrate idempotency. */
type Again = { action: string; repeat: Delivery | null }

const sendAgain = async (
  config: ShopConfig,
  first: State,
  { action, repeat }: Again,
): Promise<Html> => html`
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
export const reportPanel = async (
  config: ShopConfig,
  delivery: Delivery,
  again?: Again,
): Promise<Html> => {
  const { report } = delivery
  const outcome = await settled(delivery)
  const recorded = outcome.state === 'recorded' ? outcome.answer : null
  const event = recorded && (await loadEvent(config, report, recorded.eventId))

  return html`
<section class="demo" aria-labelledby="behind">
  ${panelLabel}
  <h2 id="behind">What Tributary made of this ${NAMES[report.kind]}</h2>
  ${recorded ? verdict(config, event) : ''}
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
