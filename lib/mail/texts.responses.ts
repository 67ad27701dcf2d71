import * as z from 'zod'
import { EDITABLE_KINDS } from './mails.ts'

export const MailTextResponse = z
  .strictObject({
    kind: z.enum(EDITABLE_KINDS),
    subject: z.string().nullable(),
    intro: z.string().nullable(),
    default: z.strictObject({ subject: z.string(), intro: z.string() }),
    placeholders: z.array(z.string()),
    version: z.int(),
  })
  .meta({ id: 'MailText' })
export type MailTextResponse = z.infer<typeof MailTextResponse>

/** There are few kinds, so all are on one page. */
export const MailTextsResponse = z.strictObject({ data: z.array(MailTextResponse) })
export type MailTextsResponse = z.infer<typeof MailTextsResponse>
