/** The browsers in which people have signed in: a sign-in in a new one is mailed. */
import { sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import { newId } from '../../db/ids.ts'
import type { NewBrowserDetails } from '../../mail/outbox/details.ts'

type SignedIn = {
  userId: string
  email: string
  /** Of the link that was used. */
  tokenHash: string
  browserHash: string
  /** Whether this sign-in created the user, who gets no mail then. */
  isFirst: boolean
  now: Date
  expiresAt: Date
  details: NewBrowserDetails
}

/**
 * Saves a browser of a person, and mails the person if it is new. Releases the mails that new
 * workspaces held, because the person had never signed in. Idempotent.
 */
export const noteBrowser = async (db: Db, signedIn: SignedIn): Promise<void> => {
  const { userId, email, tokenHash, browserHash, isFirst, now, expiresAt, details } = signedIn
  const [id, mailId] = [newId(), newId()]
  await sql`
    with noted as (
      insert into sign_in.browsers (id, user_id, hash, expires_at)
      values (${id}, ${userId}, ${browserHash}, ${expiresAt})
      on conflict (user_id, hash) do update set expires_at = excluded.expires_at
      returning id
    ), used as (
      update sign_in.asks set used_at = ${now}::timestamptz, used_in = ${details.browser}, used_by_hash = ${browserHash}
      where token_hash = ${tokenHash}
    ), released as (
      update mails set is_held = false, next_attempt_at = ${now}::timestamptz
      where ${isFirst}::boolean and is_held and recipient = ${email}
    )
    insert into mails (id, kind, recipient, details, created_at, next_attempt_at)
    select ${mailId}::uuid, 'new_browser', ${email}, ${JSON.stringify(details)}::jsonb, ${now}::timestamptz, ${now}::timestamptz
    from noted where id = ${id} and not ${isFirst}::boolean
    on conflict (id) do nothing`.execute(db)
}
