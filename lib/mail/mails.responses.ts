import * as z from 'zod'
import { timestamp } from '../http/common.responses.ts'
import { MAIL_KINDS, MAIL_STATUSES } from './mails.ts'

export const MailResponse = z
  .strictObject({
    id: z.uuid(),
    kind: z.enum(MAIL_KINDS),
    to: z.string(),
    partnerId: z.uuid().nullable(),
    status: z.enum(MAIL_STATUSES),
    attempts: z.int(),
    lastError: z.string().nullable(),
    createdAt: timestamp,
    nextAttemptAt: timestamp.nullable(),
    sentAt: timestamp.nullable(),
    failedAt: timestamp.nullable(),
    deliveryReason: z.string().nullable(),
    deliveryAt: timestamp.nullable(),
  })
  .meta({ id: 'Mail' })
export type MailResponse = z.infer<typeof MailResponse>

export const MailReportResponse = z
  .strictObject({ received: z.literal(true) })
  .meta({ id: 'MailReportResponse' })
export type MailReportResponse = z.infer<typeof MailReportResponse>
