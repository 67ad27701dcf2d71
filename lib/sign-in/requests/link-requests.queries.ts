/**
 * Which browser asked for a sign-in link, the state of the link, and the code by which that browser
 * can sign in. docs/security.md says why the code is safe.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import { newId } from '../../db/ids.ts'

/** Attempts per link. Guessing six digits succeeds once in 200,000 links. */
const MAX_ATTEMPTS = 5

/** Links of a browser that a code is compared with: as many as a mailbox may have open. */
const MAX_COMPARED = 5

/** The browser that asks for a link. Its cookie and its network are stored as hashes only. */
export type Asking = {
  /** Of the cookie of the browser. */
  browserHash: string
  /** Keyed, of its IP address (IPv6: /64). */
  networkHash: string
  /** Such as "Firefox on Windows". */
  browser: string
}

type NewAsk = Asking & { tokenHash: string; email: string; now: Date; expiresAt: Date }

/**
 * Saves which browser asked for a link.
 * @param isSent otherwise no link exists, and the browser's pages look the same as if one did
 */
export const saveAsk = (
  { tokenHash, email, browserHash, networkHash, browser, now, expiresAt }: NewAsk,
  isSent: boolean,
) => sql`
  insert into sign_in.asks (id, token_hash, email, browser_hash, network_hash, browser, created_at, expires_at)
  select ${newId()}::uuid, ${tokenHash}, ${email}, ${browserHash}, ${networkHash}, ${browser}, ${now}::timestamptz,
         ${expiresAt}::timestamptz
  where not ${isSent}::boolean or exists (select from sign_in.verifications where identifier = ${tokenHash})
  on conflict (token_hash) do nothing`

/** Which browser asked for a link, as the browser that opens it sees it. */
export type Ask = {
  browser: string
  /** Whether the browser that opens the link is the one that asked. */
  isSame: boolean
  /** Whether a code may be shown: both browsers are in one network, or the other one is known. */
  mayShowCode: boolean
}

/** The Ask of a link `v`, as a column; null if it is unknown. */
export const askColumn = (
  opening: Pick<Asking, 'browserHash' | 'networkHash'>,
): RawBuilder<Ask | null> => sql<Ask | null>`
  (select jsonb_build_object('browser', a.browser, 'isSame', a.browser_hash = ${opening.browserHash},
                             'mayShowCode', ${mayShowCode(opening.networkHash)})
   from sign_in.asks a where a.token_hash = v.identifier)`

const mayShowCode = (networkHash: string) => sql`(
  a.network_hash = ${networkHash} or exists (
    select from sign_in.browsers b join sign_in.users u on u.id = b.user_id
    where b.hash = a.browser_hash and u.email = a.email and b.expires_at > now()))`

/**
 * Sets the code of a link, in place of an earlier one. The attempts stay counted.
 *
 * @param signCode returns what is stored of the code, by the id of the ask
 * @returns false if the link is used, or no code may be shown here
 */
export const setCode = async (
  db: Db,
  link: { tokenHash: string; networkHash: string; openedIn: string; now: Date },
  signCode: (askId: string) => Promise<string>,
): Promise<boolean> => {
  const { tokenHash, networkHash, openedIn, now } = link
  const { rows } = await sql<{ id: string }>`
    select a.id from sign_in.asks a
    where a.token_hash = ${tokenHash} and a.expires_at > ${now}::timestamptz and a.used_at is null and ${mayShowCode(networkHash)}`.execute(
    db,
  )
  const [ask] = rows
  if (!ask) return false
  await sql`
    update sign_in.asks set code_hash = ${await signCode(ask.id)}, opened_in = ${openedIn}
    where id = ${ask.id} and used_at is null`.execute(db)
  return true
}

/** A link of a browser that a code was shown for. */
export type CodeCandidate = { id: string; tokenHash: string; codeHash: string }

/** Counts an attempt for each link of a browser with a code, before the code is compared. */
export const takeAttempt = async (
  db: Db,
  browserHash: string,
  now: Date,
): Promise<CodeCandidate[]> => {
  const { rows } = await sql<CodeCandidate>`
    update sign_in.asks set attempts = attempts + 1
    where id in (
        select id from sign_in.asks
        where browser_hash = ${browserHash} and code_hash is not null and used_at is null and expires_at > ${now}::timestamptz
        order by id desc limit ${MAX_COMPARED} for update)
      and attempts < ${MAX_ATTEMPTS}
    returning id, token_hash as "tokenHash", code_hash as "codeHash"`.execute(db)
  return rows
}

/**
 * Replaces the token of a link whose code was right. The mailed token and the code no longer work.
 * @returns false if the link was used meanwhile
 */
export const passLink = async (
  db: Db,
  { id, tokenHash }: CodeCandidate,
  newTokenHash: string,
): Promise<boolean> => {
  const { rows } = await sql<{ id: string }>`
    with passed as (
      update sign_in.verifications set identifier = ${newTokenHash} where identifier in (${tokenHash}, ${newTokenHash}) returning id
    ), noted as (
      update sign_in.asks set token_hash = ${newTokenHash}, code_hash = null where id = ${id} and exists (select from passed)
    )
    select id from passed`.execute(db)
  return rows.length === 1
}

/** The state of the newest link that a browser has asked for. */
export type AskState = {
  email: string
  browser: string
  /** Where a code was shown; null if none was. */
  openedIn: string | null
  /** Where the link has signed in, and whether that is this browser. */
  usedIn: string | null
  isUsedHere: boolean
  hasAttempts: boolean
}

/** Null if the browser has asked for no link recently. */
export const askState = async (
  db: Db,
  browserHash: string,
  now: Date,
): Promise<AskState | null> => {
  const { rows } = await sql<AskState>`
    select email, browser, opened_in as "openedIn", used_in as "usedIn", coalesce(used_by_hash = browser_hash, false) as "isUsedHere",
           attempts < ${MAX_ATTEMPTS} as "hasAttempts"
    from sign_in.asks where browser_hash = ${browserHash} and expires_at > ${now}::timestamptz
    order by id desc limit 1`.execute(db)
  return rows[0] ?? null
}
