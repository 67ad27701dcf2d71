import { actOf, manager } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { ApiError } from '../../lib/http/errors.ts'
import { found } from '../../lib/http/found.ts'
import { page } from '../../lib/http/lists.ts'
import { query } from '../../lib/http/validate.ts'
import type { MailResponse } from '../../lib/mail/mails.responses.ts'
import { MailQuery } from '../../lib/mail/mails.schemas.ts'
import { listMails, type MailRow, retryMail } from '../../lib/mail/outbox.queries.ts'

const mailResponse = (mail: MailRow): MailResponse => ({
  id: mail.id,
  kind: mail.kind,
  to: mail.recipient,
  partnerId: mail.partner_id,
  status: mail.status,
  attempts: mail.attempts,
  lastError: mail.last_error,
  createdAt: mail.created_at,
  nextAttemptAt: mail.status === 'queued' || mail.status === 'retrying' ? mail.next_attempt_at : null,
  sentAt: mail.sent_at,
  failedAt: mail.failed_at,
})

/** GET /mails and POST /mails/:id/retry: what was mailed for a workspace, and what could not be. Design, section 12. */
export default createRoutes()
  .get('/api/workspaces/:workspace/mails', manager(), query(MailQuery), async (c) => {
    const { db, workspace } = c.var
    const { limit, ...filter } = c.req.valid('query')
    const mails = await listMails(db, workspace.id, { ...filter, limit: limit + 1 })
    return c.json(page(mails, limit, mailResponse))
  })
  .post('/api/workspaces/:workspace/mails/:id/retry', manager(), async (c) => {
    const mail = await found('mail', c.req.param('id'), (id) => retryMail(c.var.db, actOf(c), id))
    // One that waits to be sent may be so because of this very call, repeated.
    if (mail.status === 'sent') {
      throw new ApiError('conflict', `This mail was sent to ${mail.recipient} already.`)
    }
    return c.json(mailResponse(mail))
  })
