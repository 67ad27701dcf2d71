/** Holds a commission for a manager: see holds.ts. */
import { sql } from 'kysely'
import { type Act, auditEntry } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import { lockPayouts } from '../../db/locks.queries.ts'
import { isConflict } from '../../db/neon.ts'
import { lostRace } from '../../platform/unavailable.ts'
import { type Holdable, holdRefusalOf } from '../../rules/steps/holds.ts'
import { type CommissionRow, selectCommissions } from '../ledger/commissions.queries.ts'
import { isOpenHold } from './holds.queries.ts'

/** Of concurrent changes of one commission, one succeeds in each round. */
const ROUNDS = 24

type Held = { commission: CommissionRow; refusal: string | null }

/**
 * Holds a commission. Idempotent.
 *
 * Payout runs, holds and changes of the sale wait for each other, so that a commission is either
 * held or paid, and its hold follows to whatever replaces it.
 *
 * @param id   a UUID
 * @param note the manager's reason, which the partner sees
 * @returns the commission, and why it could not be held, or null; undefined if the workspace has no
 *   such commission
 */
export const holdCommission = async (
  db: Db,
  act: Act,
  id: string,
  note: string,
): Promise<Held | undefined> => {
  const commission = selectCommissions(db, act.workspaceId).where('c.id', '=', id)
  for (let round = 0; round < ROUNDS; round++) {
    const [[before], [row]] = await db.batch([
      commission.compile(),
      stateOf(act.workspaceId, id).compile(db),
    ])
    if (!before || !row) return undefined
    const refusal = holdRefusalOf({ ...row.state, kind: before.kind }, note)
    if (refusal || row.state.isHeld) return { commission: before, refusal }
    try {
      const after = await db.batch([
        ...statements(db, { act, id, note }, before, row.state),
        commission.compile(),
      ])
      const [held] = after.at(-1) as CommissionRow[]
      return held && { commission: held, refusal: null }
    } catch (error) {
      if (!isConflict(error)) throw error
    }
  }
  throw lostRace('the same commission')
}

type State = Omit<Holdable, 'kind'>

/** What decides whether a commission may be held, as one JSON value. */
const stateOf = (workspaceId: string, id: string) => sql<{ state: State }>`
  select jsonb_build_object(
    'payoutId', c.payout_id,
    'isReplaced', c.event_id is not null and e.commission_id is distinct from c.id,
    'isPartlyPaid', exists (
      select from commissions r where r.reverses_id = c.id and r.payout_id is not null),
    'isHeld', ${isOpenHold}, 'holdNote', h.note, 'resolution', h.resolution) as state
  from commissions c
  left join events e on e.id = c.event_id
  left join commission_holds h on h.commission_id = c.id
  where c.workspace_id = ${workspaceId} and c.id = ${id}`

/** Holds the commission, or rolls the batch back if it is not as it was read. */
const statements = (
  db: Db,
  { act, id, note }: { act: Act; id: string; note: string },
  { amountCents, currency, partnerSlug }: CommissionRow,
  state: State,
) => {
  const { workspaceId, actor, now } = act
  const details = { amountCents: Number(amountCents), currency, slug: partnerSlug, note }
  const entry = { ...act, action: 'commission.held' as const, subjectId: id, details }
  return [
    lockPayouts(workspaceId).compile(db),
    sql<unknown>`
      select from commissions c join events e on e.id = c.event_id
      where c.workspace_id = ${workspaceId} and c.id = ${id} for update of e`.compile(db),
    sql<unknown>`
      select from commission_holds where workspace_id = ${workspaceId} and commission_id = ${id}
      for update`.compile(db),
    sql<unknown>`
      select assert_unchanged(exists (
        select from (${stateOf(workspaceId, id)}) now
        where now.state = ${JSON.stringify(state)}::jsonb))`.compile(db),
    auditEntry(db, entry).compile(),
    // An earlier hold keeps its evidence: the two sales are not compared again.
    sql<unknown>`
      insert into commission_holds (commission_id, workspace_id, reason, note, held_by, created_at)
      values (${id}::uuid, ${workspaceId}::uuid, 'manual', ${note}, ${actor}, ${now}::timestamptz)
      on conflict (commission_id) do update
      set reason = 'manual', note = excluded.note, held_by = excluded.held_by,
          created_at = excluded.created_at, resolved_at = null, resolution = null,
          resolved_by = null`.compile(db),
  ]
}
