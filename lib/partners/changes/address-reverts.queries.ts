/**
 * Reverts a change of a partner's address: by a link that was mailed to the old address, while
 * payouts to new accounts are held. A session of the old address is not enough, because it may be a
 * thief's.
 */
import { type SqlBool, sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import { isTaken, lockWorkspacesOf, moves, notice } from './address-changes.queries.ts'

type Revert = { from: string; tokenHash: string; now: Date }

type Found = {
  to: string
  doneAt: Date
  isReverted: boolean
  /** The partners that moved. */
  partnerIds: string[]
}

/** Accounts and payment details that were added since the change `c` and are still held. */
const heldAccounts = (now: Date) => sql`
  payout_accounts a
  where a.email in (c.email, c.new_email) and a.created_at > c.done_at and a.disconnected_at is null
    and a.effective_at > ${now}::timestamptz`
const heldDetails = (now: Date) => sql`
  payment_details d
  where d.email in (c.email, c.new_email) and d.created_at > c.done_at and d.canceled_at is null
    and d.effective_at > ${now}::timestamptz`

/** @param since later changes can be reverted; older ones while what was added since is held */
export const findRevert = async (
  db: Db,
  { from, tokenHash, now }: Revert,
  since: Date,
): Promise<Found | undefined> => {
  const { rows } = await sql<Found>`
    select c.new_email as "to", c.done_at as "doneAt", c.reverted_at is not null as "isReverted",
           array(select f.partner_id from former_partner_addresses f join partners p on p.id = f.partner_id
                 where f.email = c.email and f.until = c.done_at and p.email = c.new_email) as "partnerIds"
    from address_changes c
    where c.revert_hash = ${tokenHash} and c.email = ${from}
      and (c.done_at > ${since}::timestamptz or exists (select from ${heldAccounts(now)}) or exists (select from ${heldDetails(now)}))`.execute(
    db,
  )
  return rows[0]
}

/** Moves the partners back, in all workspaces. Idempotent. @returns false if it is taken */
export const revertAddress = async (
  db: Db,
  { from, tokenHash, now }: Revert,
  { to, isReverted, partnerIds }: Found,
  portalUrl: string,
): Promise<boolean> => {
  if (isReverted) return true
  const ids = sql`any(${sql.val(partnerIds)}::uuid[])`
  const mine = sql<SqlBool>`id = ${ids} and email = ${to}`
  const move = { from: to, to: from, now, mine, actor: from }
  const isDone = sql<SqlBool>`exists (
    select from address_changes where revert_hash = ${tokenHash} and email = ${from} and reverted_at = ${now})`
  const claim = sql`
    update address_changes set reverted_at = ${now}
    where revert_hash = ${tokenHash} and email = ${from} and reverted_at is null
      and not ${isTaken(sql`o.id = ${ids} and o.email = ${to}`, from)}`
  const results = await db.batch([
    ...[
      lockWorkspacesOf(mine),
      claim,
      notice(move, { occasion: tokenHash, portalUrl }, isDone),
      ...moves(move, isDone),
    ].map((statement) => statement.compile(db)),
    sql<{ isReverted: boolean }>`
      select reverted_at is not null as "isReverted" from address_changes where revert_hash = ${tokenHash}`.compile(
      db,
    ),
  ])
  const [last] = results.at(-1) as { isReverted: boolean }[]
  return last?.isReverted === true
}

/** Held accounts and details that were added since a change, to be removed once it is reverted. */
export const heldSince = async (db: Db, { tokenHash, now }: Revert) => {
  const change = sql`address_changes c cross join lateral`
  const [accounts, details] = await db.batch([
    sql<{ workspaceId: string }>`
      select h.workspace_id as "workspaceId" from ${change} (select a.* from ${heldAccounts(now)}) h
      where c.revert_hash = ${tokenHash}`.compile(db),
    sql<{ workspaceId: string; id: string }>`
      select h.workspace_id as "workspaceId", h.id from ${change} (select d.* from ${heldDetails(now)}) h
      where c.revert_hash = ${tokenHash}`.compile(db),
  ])
  return { accounts, details }
}
