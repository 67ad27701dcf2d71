/** The partners' own Stripe accounts: one per person and workspace, whatever Stripe says of it. */
import { type SqlBool, sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import { newId } from '../db/ids.ts'
import { lockPayouts } from '../db/locks.queries.ts'
import { isInFlight } from './payouts.queries.ts'
import type { PayoutAccountStatus } from './payouts.ts'

/** A partner's account. Without `stripeAccountId` it is an intent: Stripe has not said yet that it made one. */
export type PayoutAccount = {
  id: string
  workspaceId: string
  /** ISO 3166, upper case. */
  country: string
  stripeAccountId: string | null
  status: PayoutAccountStatus
}

/** The accounts that exist for an address, one per workspace at most, as a query for a batch. */
export const payoutAccountsQuery = (db: Db, email: string) =>
  db
    .selectFrom('payout_accounts')
    .where('email', '=', email)
    .where('disconnected_at', 'is', null)
    .select([
      'id',
      'workspace_id as workspaceId',
      'country',
      'stripe_account_id as stripeAccountId',
      'status',
    ])

/** The accounts that exist for an address, one per workspace at most. */
export const listPayoutAccounts = (db: Db, email: string): Promise<PayoutAccount[]> =>
  payoutAccountsQuery(db, email).execute()

/** Whose an account is to be: a person's, in a workspace. */
export type Holder = { workspaceId: string; email: string }

/** What onboarding goes by: the workspace's key, whether this is a partner of it, and the account so far. */
export const loadOnboarding = async (db: Db, { workspaceId, email }: Holder) => {
  const [[key], partners, [account]] = await db.batch([
    db
      .selectFrom('stripe_keys')
      .where('workspace_id', '=', workspaceId)
      .select(['ciphertext', 'stripe_account_id as platform', 'livemode'])
      .compile(),
    db
      .selectFrom('partners')
      .where('workspace_id', '=', workspaceId)
      .where('email', '=', email)
      .where('status', '=', 'approved')
      .select('id')
      .limit(1)
      .compile(),
    payoutAccountsQuery(db, email).where('workspace_id', '=', workspaceId).compile(),
  ])
  return { key, isPartner: partners.length > 0, account }
}

/** Writes down that an account is to be made, unless there is one. @returns the one that there is now */
export const intendPayoutAccount = async (
  db: Db,
  { workspaceId, email }: Holder,
  country: string,
): Promise<PayoutAccount> => {
  const [, [account]] = await db.batch([
    db
      .insertInto('payout_accounts')
      .values({ id: newId(), workspace_id: workspaceId, email, country, created_at: new Date() })
      .onConflict((conflict) => conflict.doNothing())
      .compile(),
    payoutAccountsQuery(db, email).where('workspace_id', '=', workspaceId).compile(),
  ])
  if (!account) throw new Error('An account that was written down was not there.')
  return account
}

/** Takes back an intent that Stripe has refused, so that another country may be chosen. */
export const withdrawIntent = async (db: Db, id: string): Promise<void> => {
  await db.deleteFrom('payout_accounts').where('id', '=', id).where('stripe_account_id', 'is', null).execute()
}

/** The Stripe account whose key it is, under which partners' accounts are made. */
export type Platform = { platform: string; livemode: boolean }

/**
 * Writes down which account Stripe has made.
 *
 * @returns false when it is of no use any more: somebody has disconnected it meanwhile, or given the workspace the key
 * of another Stripe account
 */
export const bindPayoutAccount = async (
  db: Db,
  { id, workspaceId }: PayoutAccount,
  stripeAccountId: string,
  { platform, livemode }: Platform,
): Promise<boolean> => {
  const row = db.selectFrom('payout_accounts').where('id', '=', id).where('disconnected_at', 'is', null)
  const isOfKey = sql<SqlBool>`exists (select from stripe_keys where workspace_id = ${workspaceId}
    and stripe_account_id = ${platform} and livemode = ${livemode})`
  const [, , bound] = await db.batch([
    lockPayouts(workspaceId).compile(db),
    db
      .updateTable('payout_accounts')
      .set({ stripe_account_id: stripeAccountId })
      .where('id', '=', id)
      .where('disconnected_at', 'is', null)
      .where('stripe_account_id', 'is', null)
      .where(isOfKey)
      .compile(),
    row.where('stripe_account_id', '=', stripeAccountId).select('id').compile(),
  ])
  return bound.length > 0
}

/** What is needed to ask Stripe about an account, and the database's time before it is asked. */
export const loadKnownAccount = async (db: Db, workspaceId: string, stripeAccountId: string) => {
  const { rows } = await sql<{ ciphertext: string | null; askedAt: string }>`
    select k.ciphertext, clock_timestamp()::text as "askedAt"
    from payout_accounts a left join stripe_keys k on k.workspace_id = a.workspace_id
    where a.workspace_id = ${workspaceId} and a.stripe_account_id = ${stripeAccountId}`.execute(db)
  return rows[0]
}

/**
 * Writes down what Stripe said of an account. Of two who asked at once, whoever began later knows at least as much:
 * what the other one says is dropped. An account that was fit once and lacks something now is restricted.
 *
 * @param askedAt by the database's clock, before Stripe was asked
 */
export const saveAccountStatus = async (
  db: Db,
  told: { workspaceId: string; stripeAccountId: string; status: PayoutAccountStatus; askedAt: string },
): Promise<void> => {
  const { workspaceId, stripeAccountId, status, askedAt } = told
  await sql`
    update payout_accounts
    set status = case when ${status} = 'onboarding' and status in ('enabled', 'restricted')
                      then 'restricted' else ${status} end,
        checked_at = ${askedAt}::timestamptz
    where workspace_id = ${workspaceId} and stripe_account_id = ${stripeAccountId}
      and (checked_at is null or checked_at <= ${askedAt}::timestamptz)`.execute(db)
}

/** One of the accounts that partners have under the workspace's Stripe account; none while there is a key. */
export const findOrphan = async (db: Db, workspaceId: string): Promise<string | null> => {
  const row = await db
    .selectFrom('payout_accounts as a')
    .leftJoin('stripe_keys as k', 'k.workspace_id', 'a.workspace_id')
    .where('a.workspace_id', '=', workspaceId)
    .where('a.disconnected_at', 'is', null)
    .where('a.status', '<>', 'closed')
    .where('a.stripe_account_id', 'is not', null)
    .where('k.workspace_id', 'is', null)
    .select('a.stripe_account_id as id')
    .limit(1)
    .executeTakeFirst()
  return row?.id ?? null
}

/**
 * Lets go of a person's account, unless a payout to it is under way. At Stripe it stays as it is.
 *
 * @param id of the account, when another one may have taken its place
 * @param now the same at each try, by which what was done by an earlier one is known
 * @returns whether there was one; null when a payout stands in the way
 */
export const disconnectAccount = async (
  db: Db,
  { workspaceId, email, id = null }: Holder & { id?: string | null },
  now: Date,
): Promise<boolean | null> => {
  const isMeant = sql<SqlBool>`workspace_id = ${workspaceId} and email = ${email} and id = coalesce(${id}::uuid, id)`
  const accounts = db.selectFrom('payout_accounts').where(isMeant)
  const isPaid = sql<SqlBool>`exists (
    select from payouts p join partners pa on pa.id = p.partner_id
    where p.workspace_id = ${workspaceId} and pa.email = ${email} and ${isInFlight('p')})`
  const [, , left, gone] = await db.batch([
    lockPayouts(workspaceId).compile(db),
    db
      .updateTable('payout_accounts')
      .set({ disconnected_at: now })
      .where(isMeant)
      .where('disconnected_at', 'is', null)
      .where(sql<SqlBool>`not ${isPaid}`)
      .compile(),
    accounts.where('disconnected_at', 'is', null).select('id').compile(),
    accounts.where('disconnected_at', '=', now).select('id').compile(),
  ])
  return left.length > 0 ? null : gone.length > 0
}
