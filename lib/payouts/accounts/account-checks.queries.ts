/** Reading connected accounts from Stripe: which ones are to be read again, and what was read. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import { newId } from '../../db/ids.ts'
import type { RunScope } from '../balances/due.queries.ts'
import type { PayoutAccountStatus } from '../payouts.ts'

/** An account to read, with the encrypted key to read it with. */
export type UnreadAccount = {
  workspaceId: string
  stripeAccountId: string
  encryptedKey: string
  /** The database's time before the request to Stripe. */
  askedAt: string
}

const DAY_MS = 86_400_000
/** The time until an account that could not be read is read again. */
const RETRY_MS = 3_600_000

/** The predicate of payout_accounts_unready_idx, word for word. */
const isUnready = sql`(a.status <> 'enabled' or a.pays_bank is false) and a.stripe_account_id is not null and a.disconnected_at is null`

type Lease = { now: Date; limit: number }

const wantedAccounts = (isWanted: RawBuilder<unknown>) => sql`
      select a.id, k.ciphertext from payout_accounts a join stripe_keys k on k.workspace_id = a.workspace_id
      where ${isUnready} and ${isWanted}`

/**
 * Leases accounts to read. Concurrent Workers get different ones, a repeat after an unseen commit
 * the same.
 *
 * @param isDue whether an account was not read recently
 * @param isOurs whether it is one of those to ask for
 */
const lease = async (
  db: Db,
  { isDue, isOurs = sql`true` }: { isDue: RawBuilder<unknown>; isOurs?: RawBuilder<unknown> },
  { now, limit }: Lease,
): Promise<UnreadAccount[]> => {
  const id = newId()
  const isLeased = sql`a.lease_id is not distinct from ${id}::uuid`
  const { rows } = await sql<UnreadAccount>`
    with wanted as (${wantedAccounts(sql`(${isDue} or ${isLeased}) and ${isOurs}`)}
      order by ${isLeased} desc, a.asked_at nulls first limit ${limit} for update of a skip locked
    )
    update payout_accounts a set asked_at = ${now}, lease_id = ${id}::uuid from wanted where a.id = wanted.id
    returning a.workspace_id as "workspaceId", a.stripe_account_id as "stripeAccountId",
              wanted.ciphertext as "encryptedKey", clock_timestamp()::text as "askedAt"`.execute(db)
  return rows
}

const notAskedToday = (now: Date) =>
  sql`(a.asked_at is null or a.asked_at <= ${new Date(now.getTime() - DAY_MS)}::timestamptz)`

/** Accounts of any workspace that were not read within the last day. */
export const dailyAccounts = (now: Date) => wantedAccounts(notAskedToday(now))

export const leaseDailyAccounts = (db: Db, { now, limit }: Lease): Promise<UnreadAccount[]> =>
  lease(db, { isDue: notAskedToday(now) }, { now, limit })

/**
 * Accounts of partners to whom a run's workspace owes something, and that were not asked for since
 * the run's cutoff. `coalesce` has each list read once and hashed: as joins, they were read again
 * for each account where Postgres takes a workspace for small, as after an import.
 */
export const leaseOwedAccounts = (
  db: Db,
  { workspaceId, programId, cutoffAt }: RunScope,
  slice: Lease,
): Promise<UnreadAccount[]> =>
  lease(
    db,
    {
      isDue: sql`(a.asked_at is null or a.asked_at < ${cutoffAt}::timestamptz)`,
      isOurs: sql`a.workspace_id = ${workspaceId} and coalesce(a.email in (
          select p.email from partners p
          where p.workspace_id = ${workspaceId} and p.status = 'approved' and coalesce(p.id in (
            select c.partner_id from commissions c
            where c.workspace_id = ${workspaceId} and c.payout_id is null and c.payable_at <= ${cutoffAt}::timestamptz
              and (${programId}::uuid is null or c.program_id = ${programId}::uuid)), false)), false)`,
    },
    slice,
  )

/** Makes accounts due again in an hour, as Stripe returned no status. @param now of the lease */
export const retryAccounts = async (
  db: Db,
  accounts: UnreadAccount[],
  now: Date,
): Promise<void> => {
  const ids = accounts.map(({ workspaceId, stripeAccountId }) => ({ workspaceId, stripeAccountId }))
  await sql`
    update payout_accounts a set asked_at = ${new Date(now.getTime() - DAY_MS + RETRY_MS)}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(ids)}::jsonb) as x("workspaceId" uuid, "stripeAccountId" text)
    where a.workspace_id = x."workspaceId" and a.stripe_account_id = x."stripeAccountId"
      and a.asked_at = ${now}::timestamptz`.execute(db)
}

/** Reads the key for a request about an account, and the database's time before that request. */
export const loadKnownAccount = async (db: Db, workspaceId: string, stripeAccountId: string) => {
  const { rows } = await sql<{ ciphertext: string | null; askedAt: string }>`
    select k.ciphertext, clock_timestamp()::text as "askedAt"
    from payout_accounts a left join stripe_keys k on k.workspace_id = a.workspace_id
    where a.workspace_id = ${workspaceId} and a.stripe_account_id = ${stripeAccountId}`.execute(db)
  return rows[0]
}

export type AccountReading = {
  workspaceId: string
  stripeAccountId: string
  status: PayoutAccountStatus
  paysBank: boolean | null
  /** The database's time before the request to Stripe. */
  askedAt: string
}

/**
 * Saves the status of accounts, as a query. Of concurrent requests about one, the result of the one
 * that started last wins. An account that was enabled before and has new requirements is
 * restricted.
 */
export const saveReadingsQuery = (readings: AccountReading[]) => sql<unknown>`
    update payout_accounts a
    set status = case when x.status = 'onboarding' and a.status in ('enabled', 'restricted')
                      then 'restricted' else x.status end,
        pays_bank = x."paysBank", checked_at = x."askedAt"
    from jsonb_to_recordset(${JSON.stringify(readings)}::jsonb)
      as x("workspaceId" uuid, "stripeAccountId" text, status text, "paysBank" boolean, "askedAt" timestamptz)
    where a.workspace_id = x."workspaceId" and a.stripe_account_id = x."stripeAccountId"
      and (a.checked_at is null or a.checked_at <= x."askedAt")`

export const saveReadings = async (db: Db, readings: AccountReading[]): Promise<void> => {
  await saveReadingsQuery(readings).execute(db)
}
