import type { Insertable } from 'kysely'
import { inject } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { newId } from '../../lib/db/ids.ts'
import type { Tables } from '../../lib/db/tables.ts'
import type { StripeOutcome } from '../../lib/purchases/outcomes.ts'

type Received = Partial<Omit<Insertable<Tables['stripe_events']>, 'outcome'>> & {
  outcome?: StripeOutcome | null
}

/**
 * Puts an event of Stripe's among those that a workspace has received, as the stripe-webhook Worker would: for tests of
 * what is shown of them.
 */
export const addReceived = async (
  workspaceId: string,
  { outcome = { code: 'nothing_paid', facts: {} }, ...event }: Received = {},
): Promise<string> => {
  const id = newId()
  await connect(inject('database'))
    .insertInto('stripe_events')
    .values({
      id,
      workspace_id: workspaceId,
      stripe_id: `evt_${id.slice(-12)}`,
      type: 'invoice.paid',
      livemode: true,
      customer: null,
      keys: [],
      facts: '[]',
      occurred_at: new Date(),
      received_at: new Date(),
      event_id: null,
      ...event,
      outcome: outcome && JSON.stringify(outcome),
    })
    .execute()
  return id
}
