import type { Insertable } from 'kysely'
import { inject } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { newId } from '../../lib/db/ids.ts'
import type { Tables } from '../../lib/db/tables.ts'
import type { EventOutcome } from '../../lib/rules/purchases/outcomes.ts'

type Received = Partial<Omit<Insertable<Tables['processor_events']>, 'outcome'>> & {
  outcome?: EventOutcome | null
}

/** Inserts a received event of Stripe, as the stripe-webhook Worker would. */
export const addReceived = async (
  workspaceId: string,
  { outcome = { code: 'nothing_paid', facts: {} }, ...event }: Received = {},
): Promise<string> => {
  const id = newId()
  await connect(inject('database'))
    .insertInto('processor_events')
    .values({
      id,
      workspace_id: workspaceId,
      processor: 'stripe',
      processor_event_id: `evt_${id.slice(-12)}`,
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
