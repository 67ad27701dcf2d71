/** Saves what a manager reverses of a commission: see manual-reversals.ts. */
import { type SqlBool, sql } from 'kysely'
import { type Act, auditEntry } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import { idOf } from '../../db/ids.ts'
import { sha256 } from '../../platform/sha256.ts'
import { type ManualReversal, reversalRefusalOf } from '../../rules/refunds/manual-reversals.ts'
import { canonicalJson } from '../../values/json.ts'
import {
  type CommissionRow,
  findCommission,
  selectCommissions,
} from '../ledger/commissions.queries.ts'

export type SavedReversal =
  | {
      outcome: 'created' | 'repeated'
      /** The reversal. */
      commission: CommissionRow
      /** Whether the first request with the id had another body. */
      isMismatch: boolean
    }
  | { outcome: 'refused'; refusal: string }

/**
 * Reverses a commission in part or in whole, with the reason and the audit entry, in one
 * transaction. Of concurrent requests with one external id, the first is saved, and the others
 * return it; all together never reverse more than is left.
 *
 * The sale's row is locked first, and its revision incremented, so that a concurrent plan of the
 * sale, such as one that reverses a refund, is made again. The step in the event is what later
 * plans count.
 *
 * @param id a UUID
 * @returns undefined if the workspace has no such commission
 */
export const reverseCommission = async (
  db: Db,
  act: Act,
  id: string,
  reversal: ManualReversal,
): Promise<SavedReversal | undefined> => {
  const { workspaceId, actor, now } = act
  const { amountCents, reason } = reversal
  const before = await findCommission(db, workspaceId, id)
  if (!before) return undefined

  const reversalId = idOf(act)
  const externalId = reversal.externalId ?? reversalId
  const bodyHash = await sha256(canonicalJson({ ...reversal, reverses: id }))
  const left = sql`
    select c.*, p.slug,
           c.amount_cents + (select coalesce(sum(r.amount_cents), 0) from commissions r where r.reverses_id = c.id)::bigint as left_cents
    from commissions c join partners p on p.id = c.partner_id
    where c.workspace_id = ${workspaceId} and c.id = ${id}`
  const reverse = sql<unknown>`
    with commission as (${left}),
    reason as (
      insert into adjustments (commission_id, workspace_id, external_id, reason, created_by, body_hash, event_id, corrects_id)
      select ${reversalId}::uuid, c.workspace_id, ${externalId}, ${reason}, ${actor}, ${bodyHash}, c.event_id, c.id
      from commission c
      where c.kind <> 'reversal' and c.amount_cents > 0 and c.left_cents > 0
        and c.left_cents >= coalesce(${amountCents}::bigint, 1)
      on conflict do nothing returning commission_id
    ), reversal as (
      insert into commissions (id, workspace_id, program_id, partner_id, customer_id, event_id, reward_id, kind,
                               reverses_id, amount_cents, currency, payable_at, created_at)
      select r.commission_id, c.workspace_id, c.program_id, c.partner_id, c.customer_id, c.event_id, c.reward_id,
             'reversal', c.id, -coalesce(${amountCents}::bigint, c.left_cents), c.currency, c.payable_at, ${now}::timestamptz
      from commission c, reason r
      returning amount_cents
    )
    update events e
    set revision = e.revision + 1,
        steps = e.steps || jsonb_build_array(jsonb_build_object('code', 'reversed_by_hand', 'facts', jsonb_build_object(
                  'slug', c.slug, 'partnerId', c.partner_id, 'amountCents', -r.amount_cents, 'commissionCents', c.amount_cents,
                  'currency', c.currency, 'reason', ${reason}::text, 'by', ${actor}::text)))
    from commission c, reversal r
    where e.workspace_id = ${workspaceId} and e.id = c.event_id`
  // A repeat without an id finds the last manual reversal of the commission.
  const saved = sql<{ id: string; bodyHash: string }>`
    select a.commission_id as id, a.body_hash as "bodyHash"
    from adjustments a
    where a.workspace_id = ${workspaceId}
      and (a.external_id = ${externalId}
           or (${reversal.externalId === null}::boolean and a.commission_id in (
                 select r.id from commissions r where r.workspace_id = ${workspaceId} and r.reverses_id = ${id})))
    order by a.commission_id = ${reversalId} desc, a.commission_id desc limit 1`
  const [, , , , [found], [commission], [after]] = await db.batch([
    sql<unknown>`
      select from events e join commissions c on c.workspace_id = e.workspace_id and c.event_id = e.id
      where c.workspace_id = ${workspaceId} and c.id = ${id} for update of e`.compile(db),
    // Of a commission without an event, only this serializes concurrent reversals.
    sql<unknown>`
      select from commissions where workspace_id = ${workspaceId} and id = ${id} for no key update`.compile(
      db,
    ),
    reverse.compile(db),
    auditEntry(db, {
      ...act,
      action: 'commission.reversed',
      subjectId: id,
      details: sql`(
        select jsonb_build_object('amountCents', -r.amount_cents, 'currency', r.currency, 'slug', ${before.partnerSlug}::text,
                                  'reason', ${reason}::text, 'externalId', ${externalId}::text)
        from commissions r where r.workspace_id = ${workspaceId} and r.id = ${reversalId})`,
      when: sql<SqlBool>`exists (
        select from adjustments where workspace_id = ${workspaceId} and commission_id = ${reversalId})`,
    }).compile(),
    saved.compile(db),
    selectCommissions(db, workspaceId)
      .where('c.id', '=', sql<string>`(select id from (${saved}) saved)`)
      .compile(),
    sql<{ leftCents: bigint }>`select left_cents as "leftCents" from (${left}) c`.compile(db),
  ])
  const refusal = after && reversalRefusalOf({ ...before, ...after }, amountCents)
  if (!found || !commission) {
    return { outcome: 'refused', refusal: refusal ?? 'This commission cannot be reversed.' }
  }
  return {
    outcome: found.id === reversalId ? 'created' : 'repeated',
    commission,
    isMismatch: reversal.externalId !== null && found.bodyHash !== bodyHash,
  }
}
