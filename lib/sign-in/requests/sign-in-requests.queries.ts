/** Requests for sign-in links: what decides whether they are served. */
import { sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import { newId } from '../../db/ids.ts'
import { UNUSED, type Usage } from '../../mail/outbox/quota.ts'
import type { SignInFacts } from '../../mail/outbox/sign-in-quota.ts'
import type { Asking } from './link-requests.queries.ts'

/**
 * What keeps mails from a person, as the provider has reported it. Known in the person's own
 * browser only.
 */
export type MailProblem = 'bounced' | 'suppressed' | 'complained'

type Noted = Omit<SignInFacts, 'usage'> & {
  problem: MailProblem | null
  /** Times are JSON. */
  usage:
    | (Omit<Usage, 'reportedAt' | 'exhaustedUntil'> &
        Record<'reportedAt' | 'exhaustedUntil', string | null>)
    | null
}

type Request = {
  email: string
  /** The SHA-256 of the mailbox. */
  mailbox: string
  network: string
  browserHash: string
  caps: { network: number; mailbox: number }
}

const toDate = (text: string | null): Date | null => (text === null ? null : new Date(text))

/**
 * Counts a request, and reads what the decision about it needs. A repeat counts twice, which errs
 * on the safe side.
 */
export const noteSignInRequest = async (
  db: Db,
  { email, mailbox, network, browserHash, caps }: Request,
  now: Date,
): Promise<SignInFacts & { problem: MailProblem | null }> => {
  const { rows } = await sql<{ noted: Noted }>`
    select note_sign_in_request(${email}, ${mailbox}, ${network}, ${browserHash}, ${caps.network}, ${caps.mailbox}, ${now}) as noted`.execute(
    db,
  )
  const [row] = rows
  if (!row) throw new Error('The request was not counted.')
  const { usage, ...facts } = row.noted
  if (!usage) return { ...facts, usage: UNUSED }
  const { reportedAt, exhaustedUntil, ...used } = usage
  return {
    ...facts,
    usage: { ...used, reportedAt: toDate(reportedAt), exhaustedUntil: toDate(exhaustedUntil) },
  }
}

/**
 * Keeps that a browser has asked for a link that is not sent, so that its pages say the same as if
 * it were.
 */
export const saveUnsent = async (
  db: Db,
  ask: Asking & { tokenHash: string; email: string; now: Date; expiresAt: Date },
): Promise<void> => {
  await sql`
    insert into sign_in.asks (id, token_hash, email, browser_hash, network_hash, browser, created_at, expires_at)
    values (${newId()}, ${ask.tokenHash}, ${ask.email}, ${ask.browserHash}, ${ask.networkHash}, ${ask.browser}, ${ask.now}, ${ask.expiresAt})
    on conflict (token_hash) do nothing`.execute(db)
}
