/** Saves what the provider reports of mails. */
import type { Client } from '../../db/neon.ts'
import type { MailReport } from './resend-events.schemas.ts'

/**
 * Saves a report, in one statement that may be repeated.
 * @param isOfSignIn whether its account sends the sign-in links
 */
export const saveMailReport = async (
  db: Client,
  report: MailReport & { isOfSignIn: boolean },
  now: Date,
): Promise<void> => {
  await db.query('select note_mail_report($1, $2)', [JSON.stringify(report), now])
}
