/** Which verified events of Stripe count for a workspace. Design, section 5: Modes. */
import type { ProcessorEvent } from '../../rules/purchases/facts.ts'
import type { Refusal } from '../../rules/purchases/outcomes.ts'
import type { Mode } from '../../rules/purchases/processors.ts'
import type { SecretPurpose } from './purposes.ts'

/** How an event was received: by which workspace, and at the endpoint for whose events. */
type Delivery = { mode: Mode; purpose: SecretPurpose; account: string | null }

/** Why an event does not count, or null. */
const findRefusal = (
  event: ProcessorEvent,
  { mode, purpose, account }: Delivery,
): Refusal | null => {
  const ofMode = event.livemode ? 'live' : 'test'
  if (ofMode !== mode) return { code: 'wrong_mode', facts: { mode: ofMode } }
  // Stripe names the account in the events of connected accounts only.
  if (account !== null) return { code: 'connected_account', facts: { account } }
  return purpose === 'account' ? (event.refusal ?? null) : { code: 'wrong_secret', facts: {} }
}

/** The event, without anything that it says if it does not count. */
export const refuse = (event: ProcessorEvent, delivery: Delivery): ProcessorEvent => {
  const refusal = findRefusal(event, delivery)
  return refusal ? { ...event, customer: null, email: null, keys: [], facts: [], refusal } : event
}
