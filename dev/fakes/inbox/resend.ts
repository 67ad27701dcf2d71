/** Resend's `POST /emails`, as its reference describes it: what it takes, what it refuses, and in which words. */
import * as z from 'zod'

/** A mail that was taken. */
export type InboxMail = {
  id: string
  to: string
  from: string
  subject: string
  text: string | null
  html: string | null
  /** When it arrived. */
  at: Date
}

/** An answer of the API. */
export type Reply = { status: 200 | 400 | 401 | 403 | 409 | 422 | 429 | 500; body: Record<string, unknown> }

/** An error in Resend's shape. */
export const refusal = (status: Reply['status'], name: string, message: string): Reply => ({
  status,
  body: { statusCode: status, name, message },
})

/** How long Resend remembers an idempotency key. */
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
})

/**
 * What is wrong with a mail, or null. One thing is let through that the real one refuses: addresses at example.com,
 * which are what demos and tests have.
 */
const findFault = (input: unknown): Reply | null => {
  const given = z.record(z.string(), z.unknown()).safeParse(input)
  if (!given.success) return refusal(422, 'validation_error', 'The body must be an object.')
  const missing = ['from', 'to', 'subject'].find((field) => !given.data[field]?.toString())
  if (missing) return refusal(422, 'missing_required_field', `Missing \`${missing}\` field.`)
  if (!given.data.html && !given.data.text)
    return refusal(422, 'missing_required_field', 'Missing `html` or `text` field.')

  const email = Email.safeParse(input)
  if (!email.success) return refusal(422, 'validation_error', 'A field is not a string.')
  const recipients = [email.data.to].flat()
  if (!isAddress(email.data.from))
    return refusal(422, 'validation_error', `Invalid \`from\` field. ${FORMAT}`)
  if (recipients.length > MAX_RECIPIENTS || !recipients.every(isAddress))
    return refusal(422, 'validation_error', `Invalid \`to\` field. ${FORMAT}`)
  if (email.data.subject.includes('\n'))
    return refusal(422, 'validation_error', 'The `\\n` is not allowed in the `subject` field.')
  return null
}

/** What is wrong with a request's headers, or null. */
const findHeaderFault = (headers: Headers): Reply | null => {
  const [, apiKey] = /^Bearer (\S+)$/i.exec(headers.get('Authorization') ?? '') ?? []
  const key = headers.get('Idempotency-Key')
  if (!headers.get('User-Agent')) return refusal(403, 'security_error', 'Missing `User-Agent` header.')
  if (!apiKey) return refusal(401, 'missing_api_key', 'Missing API key in the authorization header.')
  if (!apiKey.startsWith('re_')) return refusal(403, 'invalid_api_key', 'API key is invalid.')
  if (key !== null && (key === '' || key.length > MAX_KEY_LENGTH))
    return refusal(400, 'invalid_idempotency_key', 'The key must be between 1-256 chars.')
  return null
}

/**
 * Answers requests to send a mail. The same idempotency key with the same body has the same answer and sends
 * nothing anew; with another body it is refused.
 *
 * @param keep is given each mail that is taken
 */
export const createResend = (keep: (mail: InboxMail) => void) => {
  const answered = new Map<string, { body: string; reply: Reply; at: number }>()

  return (headers: Headers, body: string): Reply => {
    const headerFault = findHeaderFault(headers)
    if (headerFault) return headerFault
    const key = headers.get('Idempotency-Key')
    const earlier = key === null ? undefined : answered.get(key)
    if (earlier && Date.now() - earlier.at < KEY_LIFETIME_MS) {
      if (earlier.body === body) return earlier.reply
      return refusal(
        409,
        'invalid_idempotent_request',
        'This idempotency key has been used with another body.',
      )
    }

    let input: unknown
    try {
      input = JSON.parse(body)
    } catch {
      return refusal(400, 'validation_error', 'The body is not JSON.')
    }
    const fault = findFault(input)
    if (fault) return fault

    const { from, to, subject, html, text } = Email.parse(input)
    const id = crypto.randomUUID()
    keep({
      id,
      to: [to].flat().join(', '),
      from,
      subject,
      text: text ?? null,
      html: html ?? null,
      at: new Date(),
    })
    const reply: Reply = { status: 200, body: { id } }
    if (key !== null) answered.set(key, { body, reply, at: Date.now() })
    return reply
  }
}
