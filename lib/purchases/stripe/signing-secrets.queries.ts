/**
 * The signing secrets of a workspace's webhook endpoints at Stripe, encrypted: see
 * lib/platform/secrets.ts. At most four: one endpoint for each purpose, with two secrets each
 * during a rotation.
 */
import { type SqlBool, sql } from 'kysely'
import { type Act, auditEntry } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import { idOf } from '../../db/ids.ts'
import { SECRET_PURPOSES, type SecretPurpose } from './purposes.ts'

const SLOTS = [1, 2]

export const MAX_SECRETS = SLOTS.length * SECRET_PURPOSES.length

export type StripeSecret = { id: string; purpose: SecretPurpose; last4: string; createdAt: Date }

/** The secrets of a workspace, newest first, as a query for a batch. */
export const stripeSecretsQuery = (db: Db, workspaceId: string) =>
  db
    .selectFrom('stripe_secrets')
    .where('workspace_id', '=', workspaceId)
    .select(['id', 'purpose', 'last4', 'created_at as createdAt'])
    .orderBy('id', 'desc')

/** One secret of a workspace, or none. `id` must be a UUID. */
export const findStripeSecret = (
  db: Db,
  workspaceId: string,
  id: string,
): Promise<StripeSecret | undefined> =>
  stripeSecretsQuery(db, workspaceId).where('id', '=', id).executeTakeFirst()

export type EncryptedSecret = {
  purpose: SecretPurpose
  ciphertext: string
  /** The SHA-256 of the secret, to recognise it. */
  fingerprint: string
  last4: string
}

/** A secret, as a manager enters it. */
export type NewSecret = { secret: string; purpose: SecretPurpose }

export type StoredSecret =
  | { outcome: 'added' | 'there_already'; secret: StripeSecret }
  | { outcome: 'full' }

/**
 * Stores a secret if a slot of its purpose is free. Under concurrency, the table's unique
 * constraints keep the limit and refuse copies.
 */
export const addStripeSecret = async (
  db: Db,
  act: Act,
  encrypted: EncryptedSecret,
): Promise<StoredSecret> => {
  const id = idOf(act)
  const row = { id, workspace_id: act.workspaceId, ...encrypted, created_at: act.now }
  // One row per slot: the first one inserted makes the rest conflict by its id.
  const insert = db
    .insertInto('stripe_secrets')
    .values(SLOTS.map((slot) => ({ ...row, slot })))
    .onConflict((conflict) => conflict.doNothing())
  const entry = auditEntry(db, {
    ...act,
    action: 'stripe_secret.added',
    subjectId: id,
    details: { last4: encrypted.last4, purpose: encrypted.purpose },
    when: sql<SqlBool>`exists (select from stripe_secrets where id = ${id})`,
  })
  const there = stripeSecretsQuery(db, act.workspaceId).where(
    'fingerprint',
    '=',
    encrypted.fingerprint,
  )
  const [, , [secret]] = await db.batch([insert.compile(), entry.compile(), there.compile()])
  if (!secret) return { outcome: 'full' }
  return { outcome: secret.id === id ? 'added' : 'there_already', secret }
}

/**
 * Removes a secret: events signed with it are refused from now on.
 *
 * @param id a UUID
 * @returns the secret, or undefined when the workspace has none with this id
 */
export const removeStripeSecret = async (
  db: Db,
  act: Act,
  id: string,
): Promise<StripeSecret | undefined> => {
  const secret = await findStripeSecret(db, act.workspaceId, id)
  if (!secret) return undefined
  const entry = auditEntry(db, {
    ...act,
    action: 'stripe_secret.removed',
    subjectId: id,
    details: { last4: secret.last4 },
    // A concurrent removal has waited, and found no row.
    when: sql<SqlBool>`exists (select from removed)`,
  })
  await sql`
    with removed as (
      delete from stripe_secrets where workspace_id = ${act.workspaceId} and id = ${id} returning id
    ) ${entry}`.execute(db)
  return secret
}
