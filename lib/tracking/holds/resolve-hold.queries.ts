/** Releases or rejects a held commission. */
import { type SqlBool, sql } from 'kysely'
import { type Act, auditEntry } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import { newId } from '../../db/ids.ts'
import type { HoldResolution } from '../../rules/steps/holds.ts'
import { type CommissionRow, selectCommissions } from '../ledger/commissions.queries.ts'
import { mailManualEarning } from '../ledger/manual-earnings.queries.ts'

/**
 * Resolves the hold of a commission, in one transaction. A rejected commission is reversed in full,
 * and the customer's later sales are marked to be recomputed: it no longer uses up a one-time
 * reward or starts the duration. Idempotent: the first resolution is kept.
 *
 * The sale's row is locked first, and its revision incremented, so that a concurrent plan of the
 * sale, such as one that reverses a refund, is made again.
 *
 * @param id a UUID
 * @returns the commission with its hold, which may be missing or resolved otherwise; undefined if
 *   the workspace has no such commission
 */
export const resolveHold = async (
  db: Db,
  act: Act,
  id: string,
  resolution: HoldResolution,
): Promise<CommissionRow | undefined> => {
  const { workspaceId, actor, now } = act
  const commission = selectCommissions(db, workspaceId).where('c.id', '=', id)
  const before = await commission.executeTakeFirst()
  if (!before?.holdReason || before.resolution) return before

  const isRejected = resolution === 'rejected'
  const isOpen = sql<SqlBool>`workspace_id = ${workspaceId} and commission_id = ${id} and resolved_at is null`
  // Like a plan, this locks the customer before the sale.
  const lockCustomer = isRejected
    ? sql<unknown>`
    select from customers k join events e on e.customer_id = k.id join commissions c on c.event_id = e.id
    where c.workspace_id = ${workspaceId} and c.id = ${id} for update of k`
    : sql<unknown>`select`
  const lock = sql<unknown>`
    select from events e join commissions c on c.workspace_id = e.workspace_id and c.event_id = e.id
    where c.workspace_id = ${workspaceId} and c.id = ${id} for update of e`
  // Of a commission without an event, this waits for what reverses it meanwhile.
  const lockCommission = sql<unknown>`
    select from commissions where workspace_id = ${workspaceId} and id = ${id} for no key update`
  // And only this serializes concurrent resolutions of it.
  const lockHold = sql<unknown>`select from commission_holds where ${isOpen} for update`
  // Only what refunds have left becomes payable.
  const mail = sql<unknown>`
    select ${mailManualEarning(act, 'release', {
      program: sql`c.program_id`,
      partner: sql`p.slug`,
      cents: sql`c.amount_cents + (select coalesce(sum(r.amount_cents), 0) from commissions r where r.reverses_id = c.id)`,
      currency: sql`c.currency`,
    })}
    from commission_holds h
    join commissions c on c.id = h.commission_id
    join partners p on p.id = c.partner_id
    where h.workspace_id = ${workspaceId} and h.commission_id = ${id} and h.resolved_at is null and not ${isRejected}::boolean`
  const resolve = sql<unknown>`
    with hold as (
      update commission_holds
      set resolved_at = ${now}::timestamptz, resolution = ${resolution}, resolved_by = ${actor}
      where ${isOpen} returning commission_id
    ), commission as (
      select c.*, p.slug from hold join commissions c on c.id = hold.commission_id join partners p on p.id = c.partner_id
      where ${isRejected}::boolean
    ), reversal as (
      insert into commissions (id, workspace_id, program_id, partner_id, customer_id, event_id, reward_id, kind,
                               reverses_id, amount_cents, currency, payable_at, created_at)
      select ${newId()}::uuid, c.workspace_id, c.program_id, c.partner_id, c.customer_id, c.event_id, c.reward_id,
             'reversal', c.id, -left_over.cents, c.currency, c.payable_at, ${now}::timestamptz
      from commission c, lateral (
        select c.amount_cents + coalesce(sum(r.amount_cents), 0) as cents from commissions r
        where r.reverses_id = c.id) left_over
      where left_over.cents <> 0
    ), taken as (
      delete from one_time_rewards o using commission c where o.event_id = c.event_id
    ), marked as (
      update customers k
      set replan_from = least(k.replan_from, date_trunc('second', e.occurred_at)), revision = k.revision + 1
      from commission c join events e on e.id = c.event_id
      where k.id = e.customer_id and exists (
        select from events s
        where s.customer_id = e.customer_id and s.kind = 'sale' and s.id <> e.id
          and s.occurred_at >= date_trunc('second', e.occurred_at))
    )
    update events e
    set revision = e.revision + 1, commission_id = null, is_duplicate = ${before.holdReason === 'possible_duplicate'}::boolean,
        steps = (select coalesce(jsonb_agg(step order by position), '[]')
                 from jsonb_array_elements(e.steps) with ordinality as s (step, position)
                 where step ->> 'code' not in ('commission_created', 'commission_reversed'))
             || jsonb_build_array(jsonb_build_object('code', 'commission_rejected', 'facts', jsonb_build_object(
                  'slug', c.slug, 'amountCents', c.amount_cents, 'currency', c.currency)))
    from commission c where e.workspace_id = ${workspaceId} and e.id = c.event_id`
  // A released self-referral counts for milestones.
  const check = sql<unknown>`
    select check_bonuses(array(select partner_id from commissions where workspace_id = ${workspaceId} and id = ${id}))`
  const [, , , , , , , , [after]] = await db.batch([
    lockCustomer.compile(db),
    lock.compile(db),
    lockCommission.compile(db),
    lockHold.compile(db),
    auditEntry(db, {
      ...act,
      action: isRejected ? 'commission.rejected' : 'commission.released',
      subjectId: id,
      details: {
        amountCents: Number(before.amountCents),
        currency: before.currency,
        slug: before.partnerSlug,
        reason: before.holdReason,
        note: before.holdNote,
        evidenceEventId: before.evidenceEventId,
      },
      when: sql<SqlBool>`exists (select from commission_holds where ${isOpen})`,
    }).compile(),
    mail.compile(db),
    resolve.compile(db),
    check.compile(db),
    commission.compile(),
  ])
  return after
}
