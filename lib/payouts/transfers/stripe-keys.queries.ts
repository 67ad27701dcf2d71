/** The encrypted key of a workspace's own Stripe account, from which its partners are paid. */
import { type SqlBool, sql } from 'kysely'
import { type Act, auditEntry } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import { lockPayouts } from '../../db/locks.queries.ts'
import { isInFlight } from '../payouts.queries.ts'

export type NewStripeKey = {
  ciphertext: string
  last4: string
  stripeAccountId: string
  livemode: boolean
  /** Whether it may read the lines of invoices and checkouts. */
  readsLines: boolean
  /** Whether it may read the products of its catalogue. */
  readsProducts: boolean
  /** The countries to which its account may transfer; null if unknown. */
  transferCountries: string[] | null
}

/** `other_account`: refused, because the present key's account is still needed. */
export type SavedKey = { outcome: 'stored'; key: StripeKey } | { outcome: 'other_account' }

/** A key, without its secret part. */
export type StripeKey = Awaited<ReturnType<ReturnType<typeof stripeKeyQuery>['execute']>>[number]

/** The key of a workspace, as a query for a batch. */
export const stripeKeyQuery = (db: Db, workspaceId: string) =>
  db
    .selectFrom('stripe_keys')
    .where('workspace_id', '=', workspaceId)
    .select([
      'last4',
      'stripe_account_id as stripeAccountId',
      'livemode',
      'created_at as createdAt',
    ])

export const findStripeKey = (db: Db, workspaceId: string): Promise<StripeKey | undefined> =>
  stripeKeyQuery(db, workspaceId).executeTakeFirst()

export const findCiphertext = async (db: Db, workspaceId: string): Promise<string | undefined> => {
  const row = await db
    .selectFrom('stripe_keys')
    .where('workspace_id', '=', workspaceId)
    .select('ciphertext')
    .executeTakeFirst()
  return row?.ciphertext
}

/** The key if it may read the products of its catalogue. */
export const findProductsCiphertext = async (
  db: Db,
  workspaceId: string,
): Promise<string | undefined> => {
  const row = await db
    .selectFrom('stripe_keys')
    .where('workspace_id', '=', workspaceId)
    .where('reads_products', '=', true)
    .select('ciphertext')
    .executeTakeFirst()
  return row?.ciphertext
}

/** Whether a payout from the workspace's Stripe account is in flight. */
const isPaying = (workspaceId: string) => sql<SqlBool>`exists (
  select from payouts p where p.workspace_id = ${workspaceId} and ${isInFlight('p')})`

/** Whether partners have accounts under the workspace's Stripe account. */
const isConnected = (workspaceId: string) => sql<SqlBool>`exists (
  select from payout_accounts where workspace_id = ${workspaceId} and stripe_account_id is not null
    and disconnected_at is null and status <> 'closed')`

/**
 * Saves a key, and replaces the one before. Partners' accounts belong to one Stripe account and
 * mode: while there are any, or payouts in flight, the key of another account or mode is refused.
 */
export const saveStripeKey = async (db: Db, act: Act, key: NewStripeKey): Promise<SavedKey> => {
  const { workspaceId, now } = act
  const { ciphertext, last4, stripeAccountId, livemode, readsLines, readsProducts } = key
  const { transferCountries } = key
  const isOther = sql<SqlBool>`exists (select from stripe_keys where workspace_id = ${workspaceId}
    and (stripe_account_id, livemode) is distinct from (${stripeAccountId}, ${livemode}::boolean))`
  const isAllowed = sql<SqlBool>`not (${isOther} and (${isConnected(workspaceId)} or ${isPaying(workspaceId)}))`
  const entry = auditEntry(db, {
    ...act,
    action: 'stripe_key.added',
    subjectId: null,
    details: { last4, stripeAccountId },
    when: isAllowed,
  })
  const save = sql`
    insert into stripe_keys (workspace_id, ciphertext, last4, stripe_account_id, livemode, reads_lines, reads_products, created_at,
                             transfer_countries, countries_read_at)
    select ${workspaceId}::uuid, ${ciphertext}, ${last4}, ${stripeAccountId}, ${livemode}::boolean, ${readsLines}::boolean,
           ${readsProducts}::boolean, ${now}::timestamptz, ${sql.val(transferCountries)}::text[], ${now}::timestamptz
    where ${isAllowed}
    on conflict (workspace_id) do update
    set ciphertext = excluded.ciphertext, last4 = excluded.last4, stripe_account_id = excluded.stripe_account_id,
        livemode = excluded.livemode, reads_lines = excluded.reads_lines,
        reads_products = excluded.reads_products, created_at = excluded.created_at,
        transfers_read_to = case when ${isSameAccount} then stripe_keys.transfers_read_to end,
        transfers_read_at = case when ${isSameAccount} then stripe_keys.transfers_read_at end,
        scan_newest = case when ${isSameAccount} then stripe_keys.scan_newest end,
        scan_cursor = case when ${isSameAccount} then stripe_keys.scan_cursor end,
        transfer_countries = excluded.transfer_countries, countries_read_at = excluded.countries_read_at`
  const [, , , [kept]] = await db.batch([
    lockPayouts(workspaceId).compile(db),
    entry.compile(),
    save.compile(db),
    stripeKeyQuery(db, workspaceId).where('ciphertext', '=', ciphertext).compile(),
  ])
  return kept ? { outcome: 'stored', key: kept } : { outcome: 'other_account' }
}

/** Whether a saved key is of the same account as the former one: then its transfers are read. */
const isSameAccount = sql`(stripe_keys.stripe_account_id, stripe_keys.livemode) = (excluded.stripe_account_id, excluded.livemode)`

/** Deletes a key, unless payouts in flight need it. */
export const removeStripeKey = async (
  db: Db,
  act: Act,
): Promise<'removed' | 'no_key' | 'payouts_in_flight'> => {
  const { workspaceId } = act
  const key = await findStripeKey(db, workspaceId)
  if (!key) return 'no_key'
  const isUnused = sql<SqlBool>`not ${isPaying(workspaceId)}`
  const current = stripeKeyQuery(db, workspaceId)
  const [, , , [left]] = await db.batch([
    lockPayouts(workspaceId).compile(db),
    auditEntry(db, {
      ...act,
      action: 'stripe_key.removed',
      subjectId: null,
      details: { last4: key.last4, stripeAccountId: key.stripeAccountId },
      when: sql<SqlBool>`exists (${current}) and ${isUnused}`,
    }).compile(),
    db.deleteFrom('stripe_keys').where('workspace_id', '=', workspaceId).where(isUnused).compile(),
    current.compile(),
  ])
  return left ? 'payouts_in_flight' : 'removed'
}

/** What is done for each workspace with a key, how often, and the column with its last time. */
const UPKEEP_MS = {
  countries_read_at: 86_400_000,
  transfers_read_at: 86_400_000,
  reminded_at: 3_600_000,
}
type Upkeep = keyof typeof UPKEEP_MS

/** The workspaces with a key for which this is due. */
export const dueKeys = (upkeep: Upkeep, now: Date) => sql`
  select workspace_id from stripe_keys
  where ${sql.ref(upkeep)} is null or ${sql.ref(upkeep)} <= ${new Date(now.getTime() - UPKEEP_MS[upkeep])}`

type LeasedKey = { workspaceId: string; ciphertext: string }

export const leaseKeys = async (
  db: Db,
  upkeep: Upkeep,
  now: Date,
  limit: number,
): Promise<LeasedKey[]> => {
  const { rows } = await sql<LeasedKey>`
    update stripe_keys set ${sql.ref(upkeep)} = ${now}
    where workspace_id in (${dueKeys(upkeep, now)}
      order by ${sql.ref(upkeep)} nulls first limit ${limit} for update skip locked)
    returning workspace_id as "workspaceId", ciphertext`.execute(db)
  return rows
}

/** Saves to which countries the account of a key may transfer, unless the key was replaced. */
export const saveTransferCountries = async (
  db: Db,
  { workspaceId, ciphertext }: LeasedKey,
  countries: string[],
): Promise<void> => {
  await db
    .updateTable('stripe_keys')
    .set({ transfer_countries: sql<string[]>`${sql.val(countries)}::text[]` })
    .where('workspace_id', '=', workspaceId)
    .where('ciphertext', '=', ciphertext)
    .execute()
}
