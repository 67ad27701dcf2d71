import { member } from '../../../lib/auth/access.ts'
import { changeById, readPage } from '../../../lib/auth/rows.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { ApiError } from '../../../lib/http/errors.ts'
import { query } from '../../../lib/http/validate.ts'
import { listMails, type MailRow, retryMail } from '../../../lib/mail/mails.queries.ts'
import type { MailResponse } from '../../../lib/mail/mails.responses.ts'
import { MailQuery } from '../../../lib/mail/mails.schemas.ts'

export const mailResponse = (mail: MailRow): MailResponse => ({
  id: mail.id,
  kind: mail.kind,
  to: mail.recipient,
  partnerId: mail.partnerId,
  status: mail.status,
  attempts: mail.attempts,
  lastError: mail.lastError,
  createdAt: mail.createdAt,
  nextAttemptAt: mail.status === 'queued' || mail.status === 'retrying' ? mail.nextAttemptAt : null,
  sentAt: mail.sentAt,
  failedAt: mail.failedAt,
  deliveryReason: mail.deliveryReason,
  deliveryAt: mail.deliveryAt,
})

/**
 * GET /mails lists a workspace's mails. POST /mails/:id/retry retries a failed one. Design, section
 * 12.
 */
export default createRoutes()
  .get('/api/workspaces/:workspace/mails', member(), query(MailQuery), async (c) =>
    c.json(await readPage(c, c.req.valid('query'), listMails, mailResponse)),
  )
  .post('/api/workspaces/:workspace/mails/:id/retry', member(), async (c) => {
    const mail = await changeById(c, 'mail', retryMail)
    // A queued mail is no conflict: an earlier copy of this call may have queued it.
    if (mail.sentAt) {
      throw new ApiError('conflict', `This mail was already sent to ${mail.recipient}.`)
    }
    return c.json(mailResponse(mail))
  })
