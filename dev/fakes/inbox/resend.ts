/** Resend's `POST /emails`, with the validation and error messages of its API reference. */
import * as z from 'zod'

/** An accepted mail. */
export type InboxMail = {
  id: string
  to: string
  from: string
  subject: string
  text: string | null
  html: string | null
  replyTo: string | null
  /** Those that its sender added. */
  headers: Record<string, string>
  /** When it was received. */
  at: Date
}

/** A response of the API. */
export type Reply = { status: 200 | 400 | 401 | 403 | 409 | 422 | 429 | 500; body: Record<string, unknown> }

/** An error in Resend's format. */
export const errorReply = (status: Reply['status'], name: string, message: string): Reply => ({
  status,
  body: { statusCode: status, name, message },
})

/** How long Resend stores an idempotency key. */
const KEY_LIFETIME_MS = 24 * 60 * 60 * 1_000
const MAX_KEY_LENGTH = 256
const MAX_RECIPIENTS = 50

const ADDRESS = /^[\w.!#$%&'*+/=?^`{|}~-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/
const NAMED_ADDRESS = /^[^<>\r\n]* <([^<>]+)>$/
const isAddress = (text: string): boolean => ADDRESS.test(NAMED_ADDRESS.exec(text)?.[1] ?? text)
const FORMAT =
  'The email address needs to follow the `email@example.com` or `Name <email@example.com>` format.'

const Email = z.object({
  from: z.string(),
  to: z.union([z.string(), z.array(z.string())]),
  subject: z.string(),
  html: z.string().optional(),
  text: z.string().optional(),
  reply_to: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
})

/**
 * The validation error of a mail, or null. Unlike Resend, this accepts addresses at example.com, because demos and
 * tests use them.
 */
const validate = (input: unknown): Reply | null => {
  const given = z.record(z.string(), z.unknown()).safeParse(input)
  if (!given.success) return errorReply(422, 'validation_error', 'The body must be an object.')
  const missing = ['from', 'to', 'subject'].find((field) => !given.data[field]?.toString())
  if (missing) return errorReply(422, 'missing_required_field', `Missing \`${missing}\` field.`)
  if (!given.data.html && !given.data.text)
    return errorReply(422, 'missing_required_field', 'Missing `html` or `text` field.')

  const email = Email.safeParse(input)
  if (!email.success) return errorReply(422, 'validation_error', 'A field is not a string.')
  const recipients = [email.data.to].flat()
  if (!isAddress(email.data.from))
    return errorReply(422, 'validation_error', `Invalid \`from\` field. ${FORMAT}`)
  if (recipients.length > MAX_RECIPIENTS || !recipients.every(isAddress))
    return errorReply(422, 'validation_error', `Invalid \`to\` field. ${FORMAT}`)
  if (email.data.reply_to !== undefined && !isAddress(email.data.reply_to))
    return errorReply(422, 'validation_error', `Invalid \`reply_to\` field. ${FORMAT}`)
  if (email.data.subject.includes('\n'))
    return errorReply(422, 'validation_error', 'The `\\n` is not allowed in the `subject` field.')
  return null
}

/** The validation error of a request's headers, or null. */
const validateHeaders = (headers: Headers): Reply | null => {
  const [, apiKey] = /^Bearer (\S+)$/i.exec(headers.get('Authorization') ?? '') ?? []
  const key = headers.get('Idempotency-Key')
  if (!headers.get('User-Agent')) return errorReply(403, 'security_error', 'Missing `User-Agent` header.')
  if (!apiKey) return errorReply(401, 'missing_api_key', 'Missing API key in the authorization header.')
  if (!apiKey.startsWith('re_')) return errorReply(403, 'invalid_api_key', 'API key is invalid.')
  if (key !== null && (key === '' || key.length > MAX_KEY_LENGTH))
    return errorReply(400, 'invalid_idempotency_key', 'The key must be between 1-256 chars.')
  return null
}

/**
 * Handles requests to send a mail. A repeated idempotency key with the same body replays the response and sends
 * nothing; with another body it is refused.
 *
 * @param keep called with each accepted mail
 */
export const createResend = (keep: (mail: InboxMail) => void) => {
  const answered = new Map<string, { body: string; reply: Reply; at: number }>()

  return (headers: Headers, body: string): Reply => {
    const headerError = validateHeaders(headers)
    if (headerError) return headerError
    const key = headers.get('Idempotency-Key')
    const earlier = key === null ? undefined : answered.get(key)
    if (earlier && Date.now() - earlier.at < KEY_LIFETIME_MS) {
      if (earlier.body === body) return earlier.reply
      return errorReply(
        409,
        'invalid_idempotent_request',
        'This idempotency key has been used with another body.',
      )
    }

    let input: unknown
    try {
      input = JSON.parse(body)
    } catch {
      return errorReply(400, 'validation_error', 'The body is not JSON.')
    }
    const error = validate(input)
    if (error) return error

    const { from, to, reply_to, subject, html, text, headers: added = {} } = Email.parse(input)
    const id = crypto.randomUUID()
    keep({
      id,
      to: [to].flat().join(', '),
      from,
      subject,
      text: text ?? null,
      html: html ?? null,
      replyTo: reply_to ?? null,
      headers: added,
      at: new Date(),
    })
    const reply: Reply = { status: 200, body: { id } }
    if (key !== null) answered.set(key, { body, reply, at: Date.now() })
    return reply
  }
}
