import { callerKey, limitRate } from '../lib/http/rate-limit.ts'
import { createTrackingApp } from '../lib/http/tracking-app.ts'
import { limitBody } from '../lib/http/validate.ts'
import type { MailReportResponse } from '../lib/mail/mails.responses.ts'
import { saveMailReport } from '../lib/mail/transport/mail-reports.queries.ts'
import { readMailReport } from '../lib/mail/transport/resend-events.schemas.ts'
import {
  type ResendSecrets,
  readSignedEvent,
} from '../lib/mail/transport/resend-signature.service.ts'

/** Many times Resend's largest event, which has a mail's headers without its content. */
const MAX_EVENT_BYTES = 256 * 1024

/** POST /api/webhooks/resend: receives the delivery status of mails. See docs/mail.md. */
export default createTrackingApp<ResendSecrets>({ onlyFailures: true }).post(
  '/api/webhooks/resend',
  limitBody(MAX_EVENT_BYTES),
  async (c) => {
    await limitRate(c.env.RATE_LIMIT, callerKey(c))
    const { event, stream } = readSignedEvent(await c.req.text(), c.req.raw.headers, c.env)
    const report = readMailReport(event)
    // Bulk mail has an account and a suppression list of its own, so its reports do not concern
    // other mail.
    if (report)
      await saveMailReport(c.var.db, { ...report, isOfSignIn: stream === 'personal' }, c.var.now)
    return c.json<MailReportResponse>({ received: true })
  },
)
