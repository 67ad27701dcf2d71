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
  tags: Record<string, string>
  /** When it was received. */
  at: Date
}

/** A response of the API. */
export type Reply = {
  status: 200 | 400 | 401 | 403 | 409 | 422 | 429 | 500
  body: Record<string, unknown>
}

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
/** Names and values of tags. */
const TAG = /^[\w-]{1,256}$/
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
  tags: z.array(z.object({ name: z.string(), value: z.string() })).optional(),
})

/**
 * The validation error of a mail, or null. Unlike Resend, this accepts addresses at example.com,
 * because demos and tests use them.
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
  const tags = (email.data.tags ?? []).flatMap(({ name, value }) => [name, value])
  if (!tags.every((text) => TAG.test(text)))
    return errorReply(
      422,
      'validation_error',
      'Tags should only contain ASCII letters, numbers, underscores, or dashes.',
    )
  return null
}

/** The validation error of a request's headers, or null. */
const validateHeaders = (headers: Headers): Reply | null => {
  const [, apiKey] = /^Bearer (\S+)$/i.exec(headers.get('Authorization') ?? '') ?? []
  const key = headers.get('Idempotency-Key')
  if (!headers.get('User-Agent'))
    return errorReply(403, 'security_error', 'Missing `User-Agent` header.')
  if (!apiKey)
    return errorReply(401, 'missing_api_key', 'Missing API key in the authorization header.')
  if (!apiKey.startsWith('re_')) return errorReply(403, 'invalid_api_key', 'API key is invalid.')
  if (key !== null && (key === '' || key.length > MAX_KEY_LENGTH))
    return errorReply(400, 'invalid_idempotency_key', 'The key must be between 1-256 chars.')
  return null
}

/** The most mails of one batch. */
const MAX_BATCH = 100

/** A mail as it is kept. */
const toMail = (input: unknown): InboxMail => {
  const {
    from,
    to,
    reply_to,
    subject,
    html,
    text,
    headers: added = {},
    tags = [],
  } = Email.parse(input)
  return {
    id: crypto.randomUUID(),
    to: [to].flat().join(', '),
    from,
    subject,
    text: text ?? null,
    html: html ?? null,
    replyTo: reply_to ?? null,
    headers: added,
    tags: Object.fromEntries(tags.map(({ name, value }) => [name, value])),
    at: new Date(),
  }
}

type Account = {
  /** Why so many mails are refused, or null. */
  refusal: (mails: number) => Reply | null
  /** Called with each accepted mail. */
  keep: (mail: InboxMail) => void
}

/**
 * Handles requests to send one mail, or a batch of them, of which all are accepted or none
 * ("strict", the default). A repeated idempotency key with the same body replays the response and
 * sends nothing; with another body it is refused.
 */
export const createResend = ({ refusal, keep }: Account) => {
  const answered = new Map<string, { body: string; reply: Reply; at: number }>()

  const send = (inputs: unknown[], reply: (ids: string[]) => Record<string, unknown>): Reply => {
    const error = inputs.map(validate).find((found) => found !== null) ?? refusal(inputs.length)
    if (error) return error
    const mails = inputs.map(toMail)
    for (const mail of mails) keep(mail)
    return { status: 200, body: reply(mails.map(({ id }) => id)) }
  }

  const handle = (headers: Headers, body: string, answer: (input: unknown) => Reply): Reply => {
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
    const reply = answer(input)
    if (key !== null && reply.status === 200) answered.set(key, { body, reply, at: Date.now() })
    return reply
  }

  return {
    /** `POST /emails` */
    one: (headers: Headers, body: string): Reply =>
      handle(headers, body, (input) => send([input], ([id]) => ({ id }))),
    /** `POST /emails/batch` */
    batch: (headers: Headers, body: string): Reply =>
      handle(headers, body, (input) => {
        if (!Array.isArray(input) || input.length === 0 || input.length > MAX_BATCH)
          return errorReply(422, 'validation_error', `Send an array of 1 to ${MAX_BATCH} emails.`)
        return send(input, (ids) => ({ data: ids.map((id) => ({ id })) }))
      }),
  }
}
