/** Holds, as a possible duplicate makes them. */
import { sql } from 'kysely'
import { inject } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import type { Merchant } from './merchant.ts'

/**
 * Holds the commission of a merchant’s sale, with another event as evidence, unless it is held
 * already.
 *
 * @returns the commission's id
 */
export const holdCommission = async (
  { workspace }: Pick<Merchant, 'workspace'>,
  externalId: string,
  evidence: string,
): Promise<string> => {
  const { rows } = await sql<{ id: string }>`
    insert into commission_holds (commission_id, workspace_id, reason, evidence_event_id, created_at)
    select c.id, c.workspace_id, 'possible_duplicate', other.id, now()
    from events e join commissions c on c.id = e.commission_id
    join events other on other.workspace_id = e.workspace_id and other.external_id = ${evidence}
    where e.workspace_id = ${workspace.id} and e.kind = 'sale' and e.external_id = ${externalId}
    on conflict (commission_id) do update set reason = excluded.reason
    returning commission_id as id`.execute(connect(inject('database')))
  const [hold] = rows
  if (!hold) throw new Error(`The sale ${externalId} has no commission to hold.`)
  return hold.id
}
