/** Requests for sign-in links: what is read to decide whether a link is sent. */
import { sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import { UNUSED, type Usage } from '../../mail/outbox/quota.ts'
import type { SignInFacts } from '../../mail/outbox/sign-in-quota.ts'

/** Why mails do not reach a person, as the provider has reported. Shown in the person's browser only. */
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

/** Counts a request, and reads what the decision about it needs. A retry counts twice. */
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
