/** Passkeys and their challenges. */
import { sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import { newId } from '../../db/ids.ts'
import type { PasskeyDetails } from '../../mail/outbox/details.ts'
import { MAX_PASSKEYS, type Passkey } from './passkeys.ts'

/** The purpose of a challenge. A signature is valid for one purpose only. */
export type Purpose = 'add' | 'confirm'

export type StoredPasskey = Passkey & {
  credentialId: string
  publicKey: string
  counter: number
  transports: string[]
}

/** The passkeys of a person at a host, oldest first. */
export const listPasskeys = async (
  db: Db,
  userId: string,
  host: string,
): Promise<StoredPasskey[]> => {
  const { rows } = await sql<StoredPasskey>`
    select id, name, created_at as "createdAt", counts_from as "countsFrom", used_at as "usedAt",
           credential_id as "credentialId", public_key as "publicKey", counter::float8 as counter, transports
    from sign_in.passkeys where user_id = ${userId} and host = ${host} order by created_at, id`.execute(
    db,
  )
  return rows
}

type NewChallenge = { sessionId: string; purpose: Purpose; challenge: string; expiresAt: Date }

/** Saves the challenge of a session, in place of the former one. */
export const saveChallenge = (db: Db, { sessionId, purpose, challenge, expiresAt }: NewChallenge) =>
  sql`
    insert into sign_in.passkey_challenges (id, session_id, purpose, challenge, expires_at)
    values (${newId()}, ${sessionId}, ${purpose}, ${challenge}, ${expiresAt})
    on conflict (session_id, purpose) do update set challenge = excluded.challenge, expires_at = excluded.expires_at`.execute(
    db,
  )

/** Deletes and returns the challenge; null if it has expired or there is none. */
export const takeChallenge = async (
  db: Db,
  { sessionId, purpose, now }: { sessionId: string; purpose: Purpose; now: Date },
): Promise<string | null> => {
  const { rows } = await sql<{ challenge: string | null }>`
    delete from sign_in.passkey_challenges where session_id = ${sessionId} and purpose = ${purpose}
    returning case when expires_at > ${now}::timestamptz then challenge end as challenge`.execute(
    db,
  )
  return rows[0]?.challenge ?? null
}

type NewPasskey = Pick<
  StoredPasskey,
  'name' | 'credentialId' | 'publicKey' | 'counter' | 'transports' | 'countsFrom'
> & {
  userId: string
  email: string
  host: string
  now: Date
  details: PasskeyDetails
}

/** Adds a passkey, and sends a mail. @returns false if there are too many, or it exists */
export const addPasskey = async (db: Db, added: NewPasskey): Promise<boolean> => {
  const { userId, email, host, name, credentialId, publicKey, counter, transports, now, details } =
    added
  const [id, mailId] = [newId(), newId()]
  const exists = sql`exists (select from sign_in.passkeys where id = ${id}::uuid)`
  const statements = [
    sql`select id from sign_in.users where id = ${userId} for update`,
    sql`
      insert into sign_in.passkeys
        (id, user_id, credential_id, public_key, counter, transports, host, name, created_at, counts_from)
      select ${id}::uuid, ${userId}::uuid, ${credentialId}, ${publicKey}, ${counter}::bigint, ${transports}::text[],
             ${host}, ${name}, ${now}::timestamptz, ${added.countsFrom}::timestamptz
      where (select count(*) from sign_in.passkeys where user_id = ${userId}) < ${MAX_PASSKEYS}
      on conflict do nothing`,
    sql`
      insert into mails (id, kind, recipient, details, created_at, next_attempt_at)
      select ${mailId}::uuid, 'passkey', ${email}, ${JSON.stringify(details)}::jsonb, ${now}::timestamptz, ${now}::timestamptz
      where ${exists} on conflict do nothing`,
    sql`select ${exists} as added`,
  ]
  const results = await db.batch(statements.map((statement) => statement.compile(db)))
  return (results.at(-1) as [{ added: boolean }])[0].added
}

type Removal = { userId: string; email: string; now: Date; details: Omit<PasskeyDetails, 'name'> }

/** Removes a passkey with its confirmations, and mails the person. @param id must be a UUID */
export const removePasskey = (db: Db, id: string, { userId, email, now, details }: Removal) =>
  sql`
    with removed as (delete from sign_in.passkeys where user_id = ${userId} and id = ${id} returning name)
    insert into mails (id, kind, recipient, details, created_at, next_attempt_at)
    select ${newId()}::uuid, 'passkey', ${email}, ${JSON.stringify(details)}::jsonb || jsonb_build_object('name', name),
           ${now}::timestamptz, ${now}::timestamptz
    from removed`.execute(db)

/**
 * Saves that a passkey has confirmed a session. Idempotent.
 * @returns false if the passkey was removed, or has signed something else meanwhile
 */
export const saveConfirmation = async (
  db: Db,
  {
    passkey,
    counter,
    sessionId,
    now,
  }: { passkey: StoredPasskey; counter: number; sessionId: string; now: Date },
): Promise<boolean> => {
  const { rows } = await sql`
    with used as (
      update sign_in.passkeys set counter = ${counter}::bigint, used_at = ${now}::timestamptz
      where id = ${passkey.id} and (counter = ${passkey.counter}::bigint or used_at = ${now}::timestamptz)
      returning id
    )
    update sign_in.sessions s set passkey_at = ${now}::timestamptz, passkey_id = used.id
    from used where s.id = ${sessionId} returning s.id`.execute(db)
  return rows.length === 1
}
