/** The key of a workspace's own Stripe account, encrypted: from that account its partners are paid. */
import { type SqlBool, sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import { lockPayouts } from '../db/locks.queries.ts'
import { type Act, auditEntry } from '../workspace/audit.queries.ts'
import { isInFlight } from './payouts.queries.ts'

/** A key as people know it. */
export type StripeKey = { last4: string; stripeAccountId: string; livemode: boolean; createdAt: Date }

/** A key to be kept. */
export type NewStripeKey = { ciphertext: string; last4: string; stripeAccountId: string; livemode: boolean }

/** The key of a workspace, or none, as a query for a batch. */
export const stripeKeyQuery = (db: Db, workspaceId: string) =>
  db
    .selectFrom('stripe_keys')
    .where('workspace_id', '=', workspaceId)
    .select(['last4', 'stripe_account_id as stripeAccountId', 'livemode', 'created_at as createdAt'])

/** The key of a workspace, or none. */
export const findStripeKey = (db: Db, workspaceId: string): Promise<StripeKey | undefined> =>
  stripeKeyQuery(db, workspaceId).executeTakeFirst()

/** Whether a workspace can pay by Stripe. */
export const hasStripeKey = async (db: Db, workspaceId: string): Promise<boolean> =>
  (await findStripeKey(db, workspaceId)) !== undefined

/** Whether something is on its way from the workspace's Stripe account. */
const isPaying = (workspaceId: string) => sql<SqlBool>`exists (
  select from payouts p where p.workspace_id = ${workspaceId} and ${isInFlight('p')})`

/** Whether partners have accounts under the workspace's Stripe account. */
const isConnected = (workspaceId: string) => sql<SqlBool>`exists (
  select from payout_accounts where workspace_id = ${workspaceId} and stripe_account_id is not null
    and disconnected_at is null and status <> 'closed')`

/**
 * Keeps a key, in place of the one before. Partners' accounts belong to the Stripe account, and to its test mode or its
 * live one, under which they were made: a key of another has to wait until none of them is left.
 *
 * @returns null when it has to wait
 */
export const saveStripeKey = async (db: Db, act: Act, key: NewStripeKey): Promise<StripeKey | null> => {
  const { workspaceId, now } = act
  const { ciphertext, last4, stripeAccountId, livemode } = key
  const isOfAnother = sql<SqlBool>`exists (select from stripe_keys where workspace_id = ${workspaceId}
    and (stripe_account_id, livemode) is distinct from (${stripeAccountId}, ${livemode}::boolean))`
  const mayTake = sql<SqlBool>`not (${isOfAnother} and (${isConnected(workspaceId)} or ${isPaying(workspaceId)}))`
  const entry = auditEntry(db, {
    ...act,
    action: 'stripe_key.added',
    subjectId: null,
    details: { last4, stripeAccountId },
    when: mayTake,
  })
  const save = sql`
    insert into stripe_keys (workspace_id, ciphertext, last4, stripe_account_id, livemode, created_at)
    select ${workspaceId}::uuid, ${ciphertext}, ${last4}, ${stripeAccountId}, ${livemode}::boolean, ${now}::timestamptz
    where ${mayTake}
    on conflict (workspace_id) do update
    set ciphertext = excluded.ciphertext, last4 = excluded.last4, stripe_account_id = excluded.stripe_account_id,
        livemode = excluded.livemode, created_at = excluded.created_at`
  const [, , , [kept]] = await db.batch([
    lockPayouts(workspaceId).compile(db),
    entry.compile(),
    save.compile(db),
    stripeKeyQuery(db, workspaceId).where('ciphertext', '=', ciphertext).compile(),
  ])
  return kept ?? null
}

/**
 * Forgets a key.
 *
 * @returns false when payouts are on their way under it, undefined when there is none
 */
export const removeStripeKey = async (db: Db, act: Act): Promise<boolean | undefined> => {
  const { workspaceId } = act
  const key = await findStripeKey(db, workspaceId)
  if (!key) return undefined
  const mayGo = sql<SqlBool>`not ${isPaying(workspaceId)}`
  const there = stripeKeyQuery(db, workspaceId)
  const [, , , [left]] = await db.batch([
    lockPayouts(workspaceId).compile(db),
    auditEntry(db, {
      ...act,
      action: 'stripe_key.removed',
      subjectId: null,
      details: { last4: key.last4, stripeAccountId: key.stripeAccountId },
      when: sql<SqlBool>`exists (${there}) and ${mayGo}`,
    }).compile(),
    db.deleteFrom('stripe_keys').where('workspace_id', '=', workspaceId).where(mayGo).compile(),
    there.compile(),
  ])
  return left === undefined
}
