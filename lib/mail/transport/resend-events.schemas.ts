/** What Resend reports by webhook: https://resend.com/docs/webhooks/event-types. */
import * as z from 'zod'
import { normalizeEmail } from '../../values/emails.ts'
import { readMailKey } from '../outbox/mail-key.ts'
import { oneLine } from '../texts/rendered-mail.ts'

/** A report about a mail, or about an address. */
export type MailReport = {
  /** null for reports about an address or a sign-in link, which is no mail of the outbox. */
  mailId: string | null
  keyVersion: number
  address: string
  /** `failed`: never sent. Null if the report is about the address alone. */
  outcome: 'delivered' | 'bounced' | 'suppressed' | 'complained' | 'failed' | null
  /** The reason why the address receives no mails; null if it receives them. */
  problem: 'bounced' | 'suppressed' | 'complained' | null
  reason: string | null
  at: Date
}

/** Longer reasons quote the receiving server. */
const MAX_REASON_LENGTH = 500

const reasonOf = (text: string | undefined): string | null =>
  text
    ? oneLine(text.replaceAll('\0', '')).toWellFormed().slice(0, MAX_REASON_LENGTH).toWellFormed()
    : null

const said = z.object({ message: z.string().optional(), reason: z.string().optional() }).optional()

/** The tags of a mail, in the form of the documentation's example or in that of the request. */
const Tags = z
  .union([
    z.record(z.string(), z.string()),
    z
      .array(z.object({ name: z.string(), value: z.string() }))
      .transform((tags) => Object.fromEntries(tags.map(({ name, value }) => [name, value]))),
  ])
  .optional()

const MailEvent = z.object({
  type: z.enum([
    'email.delivered',
    'email.bounced',
    'email.suppressed',
    'email.complained',
    'email.failed',
  ]),
  created_at: z.coerce.date(),
  data: z.object({
    to: z.array(z.string()).min(1),
    tags: Tags,
    bounce: said,
    suppressed: said,
    failed: said,
  }),
})

const AddressEvent = z.object({
  type: z.enum(['suppression.added', 'suppression.removed']),
  created_at: z.coerce.date(),
  data: z.object({ email: z.string() }),
})

const OUTCOMES = {
  'email.delivered': 'delivered',
  'email.bounced': 'bounced',
  'email.suppressed': 'suppressed',
  'email.complained': 'complained',
  'email.failed': 'failed',
} as const

/** Reports have the domain in ASCII, as mails do. */
const addressOf = (text: string): string => normalizeEmail(text) ?? ''

const readMail = ({ type, created_at: at, data }: z.infer<typeof MailEvent>): MailReport => {
  const key = readMailKey(data.tags?.mail ?? '')
  const outcome = OUTCOMES[type]
  const cause = data.bounce ?? data.suppressed ?? data.failed
  return {
    mailId: key?.id ?? null,
    keyVersion: key?.keyVersion ?? 0,
    address: addressOf(data.to[0] ?? ''),
    outcome,
    problem: outcome === 'delivered' || outcome === 'failed' ? null : outcome,
    reason: reasonOf(cause?.message ?? cause?.reason),
    at,
  }
}

/** What a verified event reports; null if it has another type, such as `email.opened`, or form. */
export const readMailReport = (event: unknown): MailReport | null => {
  const mail = MailEvent.safeParse(event)
  if (mail.success) return readMail(mail.data)
  const address = AddressEvent.safeParse(event)
  if (!address.success) return null
  const { type, created_at: at, data } = address.data
  const problem = type === 'suppression.added' ? 'suppressed' : null
  return {
    mailId: null,
    keyVersion: 0,
    address: addressOf(data.email),
    outcome: null,
    problem,
    reason: null,
    at,
  }
}
