/** Partners' connected Stripe accounts: one per person and workspace. */
import { sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import { newId } from '../../db/ids.ts'

/**
 * A partner's account. Without `stripeAccountId` it is an intent: Stripe has not confirmed its
 * creation yet. `effectiveAt` is the end of the hold of an account that replaced another one.
 */
export type PayoutAccount = Awaited<ReturnType<typeof listPayoutAccounts>>[number]

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
      'pays_bank as paysBank',
      'effective_at as effectiveAt',
    ])

export const listPayoutAccounts = (db: Db, email: string) =>
  payoutAccountsQuery(db, email).execute()

/** A partner's account, which belongs to its email address, as a query for a batch. */
export const partnerAccountQuery = (db: Db, workspaceId: string, partnerId: string) =>
  db
    .selectFrom('payout_accounts as a')
    .innerJoin('partners as p', 'p.email', 'a.email')
    .where('a.workspace_id', '=', workspaceId)
    .where('a.disconnected_at', 'is', null)
    .where('p.workspace_id', '=', workspaceId)
    .where('p.id', '=', partnerId)
    .select([
      'a.status',
      'a.pays_bank as paysBank',
      'a.stripe_account_id as stripeAccountId',
      'a.checked_at as checkedAt',
      'a.effective_at as effectiveAt',
    ])

/** The person and workspace that an account belongs to. */
export type Holder = { workspaceId: string; email: string }

/** Reads the workspace's key, whether the person is its partner, and their account. */
export const loadOnboarding = async (db: Db, { workspaceId, email }: Holder) => {
  const [[key], partners, [account]] = await db.batch([
    db
      .selectFrom('stripe_keys')
      .where('workspace_id', '=', workspaceId)
      .select([
        'ciphertext',
        'stripe_account_id as platform',
        'livemode',
        'transfer_countries as countries',
      ])
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

/** Notes that somebody is in a country to which the workspace's Stripe account cannot transfer. */
export const noteUnreachable = async (
  db: Db,
  { workspaceId, email }: Holder,
  country: string,
  now: Date,
): Promise<void> => {
  await sql`
    insert into unreachable_people (workspace_id, email, country, noted_at)
    values (${workspaceId}, ${email}, ${country}, ${now})
    on conflict (email, workspace_id) do update set country = excluded.country, noted_at = excluded.noted_at`.execute(
    db,
  )
}

/** The workspaces that cannot pay this address by Stripe, as its owner said, for a batch. */
export const unreachableQuery = (db: Db, email: string) =>
  db
    .selectFrom('unreachable_people')
    .where('email', '=', email)
    .select(['workspace_id as workspaceId', 'country'])

/** Inserts an intent to create an account, unless an account exists. @returns the current row */
export const intendPayoutAccount = async (
  db: Db,
  { workspaceId, email }: Holder,
  country: string,
): Promise<PayoutAccount> => {
  const [, , [account]] = await db.batch([
    db
      .deleteFrom('unreachable_people')
      .where('email', '=', email)
      .where('workspace_id', '=', workspaceId)
      .compile(),
    db
      .insertInto('payout_accounts')
      .values({ id: newId(), workspace_id: workspaceId, email, country, created_at: new Date() })
      .onConflict((conflict) => conflict.doNothing())
      .compile(),
    payoutAccountsQuery(db, email).where('workspace_id', '=', workspaceId).compile(),
  ])
  if (!account) throw new Error('The account was inserted, but not found.')
  return account
}

/** Deletes an intent that Stripe refused, so that the partner can choose another country. */
export const withdrawIntent = async (db: Db, id: string): Promise<void> => {
  await db
    .deleteFrom('payout_accounts')
    .where('id', '=', id)
    .where('stripe_account_id', 'is', null)
    .execute()
}

/** Whether a link confirms a person's held account, as the page asks before it does. */
export const isHeldFor = async (
  db: Db,
  { workspaceId, email }: Holder,
  tokenHash: string,
  now: Date,
): Promise<boolean> => {
  const row = await payoutAccountsQuery(db, email)
    .where('workspace_id', '=', workspaceId)
    .where('confirm_hash', '=', tokenHash)
    .where('effective_at', '>', now)
    .executeTakeFirst()
  return row !== undefined
}

/** A connected account of a workspace that has no key; null if there is none. */
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
