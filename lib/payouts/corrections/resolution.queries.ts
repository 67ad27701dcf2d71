/** Payouts about which a manager decides, because Stripe can no longer be asked about them. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Act } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import { newId } from '../../db/ids.ts'
import { lockPayouts } from '../../db/locks.queries.ts'
import { formatMoney } from '../../values/money.ts'
import { freeing } from '../balances/freeing.queries.ts'
import { type PayoutRow, payoutsIn } from '../payouts.queries.ts'
import { type FoundTransfer, noteFound } from '../transfers/unexpected-transfers.queries.ts'
import {
  MIN_FAILED_LOOK_UPS,
  MIN_UNREACHABLE_HOURS,
  type ResolutionRequest,
  unresolvableReason,
} from './resolution.ts'

/** How long Stripe is asked for the transfers of payouts that were resolved, once a day. */
const FOLLOW_UP_DAYS = 90
const DAY_MS = 86_400_000

/**
 * Whether a manager may decide about the payout `p`: see `unresolvableReason`. A look-up that
 * succeeds meanwhile ends it, or resets these.
 */
const isResolvable = (now: Date) => sql<SqlBool>`(
  p.status = 'canceling' and p.canceled_at is null and p.failed_look_ups >= ${MIN_FAILED_LOOK_UPS}
  and p.unreachable_since <= ${now}::timestamptz - make_interval(hours => ${MIN_UNREACHABLE_HOURS}))`

/** How many payouts of a run a manager may decide about, as a query. */
export const countResolvable = (workspaceId: string, runId: string, now: Date) => sql<{
  count: number
}>`
  select count(*)::int as count from payouts p
  where p.workspace_id = ${workspaceId} and p.run_id = ${runId} and ${isResolvable(now)}`

/** The payouts of a run that a manager may decide about, oldest first. */
export const listResolvable = (
  db: Db,
  workspaceId: string,
  runId: string,
  { now, limit }: { now: Date; limit: number },
): Promise<PayoutRow[]> =>
  payoutsIn(
    db,
    workspaceId,
    sql`select p.id from payouts p
        where p.workspace_id = ${workspaceId} and p.run_id = ${runId} and ${isResolvable(now)} order by p.id limit ${limit}`,
  ).execute()

type Decision = ResolutionRequest & {
  portalUrl: string
}

/**
 * Marks `canceling` payouts as sent or as not sent, in one transaction. Sent ones are paid, and the
 * partners get mails. The commissions of the others are payable again; the cron releases those
 * beyond a page. Idempotent, and serialized with payout runs. Payouts about which nobody may decide
 * do not change: see `resolutionRefusalOf`.
 *
 * @param ids a query of their ids
 * @returns the payouts after the change
 */
const resolve = async (
  db: Db,
  act: Act,
  ids: RawBuilder<unknown>,
  { outcome, reason, portalUrl }: Decision,
): Promise<PayoutRow[]> => {
  const { workspaceId, actor, now } = act
  const these = payoutsIn(db, workspaceId, ids)
  const before = await these.execute()
  const open = before.filter((payout) => unresolvableReason(payout, now) === null)
  if (open.length === 0) return before

  const isSent = outcome === 'sent'
  const rows = open.map(({ id, amountCents, currency }) => ({
    id,
    mailId: newId(),
    mail: { amount: formatMoney(amountCents, currency), method: 'stripe', portalUrl },
  }))
  const save = sql`
    with resolved as (
      update payouts p
      set resolved_at = ${now}, resolution_reason = ${reason}, last_error = null, next_attempt_at = ${now},
          paid_at = case when ${isSent} then ${now}::timestamptz end,
          canceled_at = case when not ${isSent}::boolean then ${now}::timestamptz end, is_freeing = not ${isSent}::boolean
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x(id uuid, "mailId" uuid, mail jsonb)
      where p.workspace_id = ${workspaceId} and p.id = x.id and ${isResolvable(now)}
      returning p.id, p.workspace_id, p.partner_id, p.program_id, p.amount_cents, p.currency, x."mailId", x.mail
    ), entries as (
      insert into audit_entries (id, workspace_id, actor, action, subject_id, details, created_at)
      select uuidv7(), workspace_id, ${actor}, 'payout.resolved', id,
             jsonb_build_object('outcome', ${outcome}::text, 'reason', ${reason}::text, 'amountCents', amount_cents,
                                'currency', currency),
             ${now}::timestamptz
      from resolved
    )
    insert into mails (id, workspace_id, kind, recipient, partner_id, payout_id, details, created_at, next_attempt_at)
    select r."mailId", r.workspace_id, 'payout_sent', p.email, p.id, r.id,
           jsonb_build_object('partnerName', p.name, 'programName', g.name) || r.mail,
           ${now}::timestamptz, ${now}::timestamptz
    from resolved r join partners p on p.id = r.partner_id join programs g on g.id = r.program_id
    where ${isSent} on conflict do nothing`
  const areThese = sql`p.workspace_id = ${workspaceId} and p.id = any (${sql.val(open.map(({ id }) => id))}::uuid[])`
  const [, , , , after] = await db.batch([
    lockPayouts(workspaceId).compile(db),
    save.compile(db),
    ...freeing(db, areThese),
    these.compile(),
  ])
  return after
}

/** Decides about one payout, by its UUID. @returns undefined if the workspace has no such payout */
export const resolvePayout = async (
  db: Db,
  act: Act,
  id: string,
  decision: Decision,
): Promise<PayoutRow | undefined> => (await resolve(db, act, sql`select ${id}::uuid`, decision))[0]

/** Decides about payouts of a run; other ids are ignored. @param payoutIds UUIDs */
export const resolveOfRun = (
  db: Db,
  act: Act,
  { runId, payoutIds, ...decision }: Decision & { runId: string; payoutIds: string[] },
): Promise<PayoutRow[]> =>
  resolve(
    db,
    act,
    sql`select id from payouts
        where workspace_id = ${act.workspaceId} and run_id = ${runId} and id = any (${sql.val(payoutIds)}::uuid[])`,
    decision,
  )

/** A payout that was resolved, whose transfer is looked up in case Stripe answers again. */
export type ResolvedPayout = { id: string; workspaceId: string; encryptedKey: string }

/** Payouts that were resolved, each once a day, in workspaces with a key. */
export const resolvedPayouts = (now: Date) => sql`
      select r.id, k.ciphertext from payouts r join stripe_keys k on k.workspace_id = r.workspace_id
      where r.resolved_at is not null and r.transfer_id is null and r.found_transfer_id is null
        and r.resolved_at > ${now}::timestamptz - make_interval(days => ${FOLLOW_UP_DAYS})
        and r.next_attempt_at <= ${now}::timestamptz`

export const leaseResolved = async (
  db: Db,
  now: Date,
  limit: number,
): Promise<ResolvedPayout[]> => {
  const { rows } = await sql<ResolvedPayout>`
    update payouts p set next_attempt_at = ${new Date(now.getTime() + DAY_MS)}
    from (${resolvedPayouts(now)}
      order by r.next_attempt_at limit ${limit} for update of r skip locked) due
    where p.id = due.id
    returning p.id, p.workspace_id as "workspaceId", due.ciphertext as "encryptedKey"`.execute(db)
  return rows
}

/** Saves the transfer of a resolved payout, with what was reversed of it in minor units. */
export const noteFoundTransfer = async (
  db: Db,
  { id }: ResolvedPayout,
  { transferId, reversedCents }: { transferId: string; reversedCents: number },
  now: Date,
): Promise<FoundTransfer[]> => {
  const transfer = sql`(select ${id}::uuid as id, ${transferId}::text as transfer_id, ${reversedCents}::bigint as reversed_cents)`
  return (await noteFound(transfer, now).execute(db)).rows
}
