/** Records reversed transfers, and releases the commissions of payouts reversed in full. */
import { type SqlBool, sql } from 'kysely'
import { type Act, auditEntry } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import { newId } from '../../db/ids.ts'
import { lockPayouts } from '../../db/locks.queries.ts'
import { freeing } from '../balances/freeing.queries.ts'
import { isInFlight, type PayoutRow, payoutQuery } from '../payouts.queries.ts'
import type { TransferReversal } from './reversals.ts'

/** The actor of the audit entry about a reversal. */
const STRIPE = 'Stripe'

/**
 * Saves how much of a payout's transfer was reversed, with an audit entry. The amount only grows,
 * so repeated and late events have no effect. Releases nothing: a manager decides.
 *
 * @returns `in_flight` if no payout has the transfer yet: the caller reports the reversal again
 */
export const noteReversal = async (
  db: Db,
  workspaceId: string,
  { transferId, payoutId, reversedCents }: TransferReversal,
  now: Date,
): Promise<'noted' | 'in_flight'> => {
  const note = sql`
    with reversed as (
      update payouts set reversed_cents = least(${reversedCents}::bigint, amount_cents), reversed_at = ${now}
      where workspace_id = ${workspaceId} and transfer_id = ${transferId}
        and reversed_cents < least(${reversedCents}::bigint, amount_cents)
      returning id, reversed_cents, amount_cents, currency
    )
    insert into audit_entries (id, workspace_id, actor, action, subject_id, details, created_at)
    select ${newId()}::uuid, ${workspaceId}::uuid, ${STRIPE}, 'payout.reversed', id,
           jsonb_build_object('transferId', ${transferId}::text, 'reversedCents', reversed_cents,
                              'amountCents', amount_cents, 'currency', currency),
           ${now}::timestamptz
    from reversed`
  const inFlight = sql`
    select from payouts p where p.workspace_id = ${workspaceId} and p.id::text = ${payoutId} and ${isInFlight('p')}`
  const [, found] = await db.batch([note.compile(db), inFlight.compile(db)])
  return found.length > 0 ? 'in_flight' : 'noted'
}

/**
 * Makes the commissions of a payout that was reversed in full payable again. Idempotent, and
 * serialized with payout runs.
 *
 * @param id a UUID
 * @returns the payout, unchanged if it was not reversed in full: see `releaseRefusalOf`; undefined
 *   if the workspace has no such payout
 */
export const releasePayout = async (
  db: Db,
  act: Act,
  id: string,
): Promise<PayoutRow | undefined> => {
  const { workspaceId, now } = act
  const before = await payoutQuery(db, workspaceId, id).executeTakeFirst()
  if (before?.status !== 'reversed' || before.releasedAt) return before

  const isReleasable = sql<SqlBool>`
    workspace_id = ${workspaceId} and id = ${id} and status = 'reversed' and released_at is null`
  const release = sql`update payouts set released_at = ${now}, is_freeing = true where ${isReleasable}`
  const isThis = sql`p.workspace_id = ${workspaceId} and p.id = ${id}`
  const [, , , , , [after]] = await db.batch([
    lockPayouts(workspaceId).compile(db),
    auditEntry(db, {
      ...act,
      action: 'payout.released',
      subjectId: id,
      details: { amountCents: Number(before.amountCents), currency: before.currency },
      when: sql<SqlBool>`exists (select from payouts where ${isReleasable})`,
    }).compile(),
    release.compile(db),
    ...freeing(db, isThis),
    payoutQuery(db, workspaceId, id).compile(),
  ])
  return after
}
