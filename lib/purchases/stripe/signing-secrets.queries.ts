/**
 * The signing secrets of a workspace's webhooks at Stripe, encrypted: see lib/secrets.ts. There are four at most:
 * one for each of two endpoints, and for each one that takes over from it.
 */
import { type SqlBool, sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import { newId } from '../../db/ids.ts'
import { type Act, auditEntry } from '../../workspace/audit.queries.ts'

/** The places that a workspace has for secrets. */
const SLOTS = [1, 2, 3, 4]

/** As many secrets as a workspace can have. */
export const MOST_SECRETS = SLOTS.length

/** A secret as people know it: by its last four characters. */
export type StripeSecret = { id: string; last4: string; createdAt: Date }

/** The secrets of a workspace, the newest first, as a query for a batch. */
export const stripeSecretsQuery = (db: Db, workspaceId: string) =>
  db
    .selectFrom('stripe_secrets')
    .where('workspace_id', '=', workspaceId)
    .select(['id', 'last4', 'created_at as createdAt'])
    .orderBy('id', 'desc')

/** One secret of a workspace, or none. `id` must be a UUID. */
export const findStripeSecret = (
  db: Db,
  workspaceId: string,
  id: string,
): Promise<StripeSecret | undefined> =>
  stripeSecretsQuery(db, workspaceId).where('id', '=', id).executeTakeFirst()

/** A secret to be kept. */
export type EncryptedSecret = {
  ciphertext: string
  /** By which the same secret is known again: its SHA-256. */
  fingerprint: string
  last4: string
}

/** What became of a secret that was to be kept. */
export type KeptSecret = { outcome: 'added' | 'there_already'; secret: StripeSecret } | { outcome: 'full' }

/**
 * Keeps a secret, if there is room for it. Of many at once, four find room, and copies of one take one slot: the
 * table's unique constraints see to it.
 */
export const addStripeSecret = async (db: Db, act: Act, kept: EncryptedSecret): Promise<KeptSecret> => {
  const id = newId()
  const row = { id, workspace_id: act.workspaceId, ...kept, created_at: act.now }
  // Tried in each slot: where one finds room, those after it stumble over its id.
  const insert = db
    .insertInto('stripe_secrets')
    .values(SLOTS.map((slot) => ({ ...row, slot })))
    .onConflict((conflict) => conflict.doNothing())
  const entry = auditEntry(db, {
    ...act,
    action: 'stripe_secret.added',
    subjectId: id,
    details: { last4: kept.last4 },
    when: sql<SqlBool>`exists (select from stripe_secrets where id = ${id})`,
  })
  const there = stripeSecretsQuery(db, act.workspaceId).where('fingerprint', '=', kept.fingerprint)
  const [, , [secret]] = await db.batch([insert.compile(), entry.compile(), there.compile()])
  if (!secret) return { outcome: 'full' }
  return { outcome: secret.id === id ? 'added' : 'there_already', secret }
}

/**
 * Forgets a secret: what is signed with it is refused from now on.
 *
 * @param id a UUID
 * @returns the secret, or undefined when the workspace has none with this id
 */
export const removeStripeSecret = async (db: Db, act: Act, id: string): Promise<StripeSecret | undefined> => {
  const secret = await findStripeSecret(db, act.workspaceId, id)
  if (!secret) return undefined
  await db.batch([
    auditEntry(db, {
      ...act,
      action: 'stripe_secret.removed',
      subjectId: id,
      details: { last4: secret.last4 },
      // Of two who remove it at once, the second waits here, and finds it gone.
      when: sql<SqlBool>`exists (select from stripe_secrets where workspace_id = ${act.workspaceId}
                                 and id = ${id} for update)`,
    }).compile(),
    db
      .deleteFrom('stripe_secrets')
      .where('workspace_id', '=', act.workspaceId)
      .where('id', '=', id)
      .compile(),
  ])
  return secret
}
