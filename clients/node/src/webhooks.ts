import type { webhooks } from './openapi.ts'

/** A webhook's payload. */
export type WebhookEvent = [keyof webhooks] extends [never]
  ? { type: string; timestamp: string; data: unknown }
  : webhooks[keyof webhooks]

/** The code of a failed verification. Answer 400. */
export type WebhookProblem =
  | 'missing_headers'
  | 'timestamp_out_of_range'
  | 'invalid_signature'
  | 'invalid_body'

/** The webhook is not from Tributary, or is too old. */
export class WebhookVerificationError extends Error {
  override name = 'WebhookVerificationError'
  readonly code: WebhookProblem
  constructor(code: WebhookProblem, message: string) {
    super(message)
    this.code = code
  }
}

type HeaderRecord = Record<string, string | string[] | undefined>

/**
 * A `Request`, or the headers and the raw body if a framework has read it. A parsed body can't be
 * verified.
 */
export type WebhookMessage =
  | Pick<Request, 'headers' | 'arrayBuffer'>
  | { headers: Headers | HeaderRecord; body: string | Uint8Array | ArrayBuffer }

/** Standard Webhooks: a message is accepted five minutes before and after its time. */
const TOLERANCE_SECONDS = 300
/** Tributary sends two at most, while a secret is rotated. Each costs a computation. */
const MAX_SIGNATURES = 10

const encoder = new TextEncoder()

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
  } catch {
    return undefined
  }
}

const keyOf = (secret: string) => {
  const bytes = bytesOf(secret.replace(/^whsec_/, ''))
  if (!bytes?.length)
    throw new TypeError('The webhook secret is not valid: copy it whole, with `whsec_`.')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

// By its methods: frameworks have classes of their own.
const isHeaders = (headers: Headers | HeaderRecord): headers is Headers =>
  typeof headers.get === 'function'

const header = (headers: Headers | HeaderRecord, name: string): string => {
  const value = isHeaders(headers) ? headers.get(name) : headers[name]
  return (Array.isArray(value) ? value[0] : value) ?? ''
}

const readBody = async (message: WebhookMessage): Promise<Uint8Array<ArrayBuffer>> => {
  if ('arrayBuffer' in message) return new Uint8Array(await message.arrayBuffer())
  const { body } = message
  if (typeof body === 'string') return encoder.encode(body)
  if (body instanceof ArrayBuffer) return new Uint8Array(body)
  if (body instanceof Uint8Array) return Uint8Array.from(body)
  throw new TypeError('Pass the raw body as it was received: a parsed body can’t be verified.')
}

/** The signatures of the known version, `v1,<base64>`, separated by spaces. */
const signaturesOf = (header: string): Uint8Array<ArrayBuffer>[] =>
  header
    .split(' ')
    .filter((part) => part.startsWith('v1,'))
    .slice(0, MAX_SIGNATURES)
    .flatMap((part) => bytesOf(part.slice(3)) ?? [])

/**
 * Verifies a webhook by the Standard Webhooks specification, and returns its payload. Its
 * `webhook-id` is the same in each delivery of one event: handle each id once.
 *
 * @param secrets of the endpoint, `whsec_...`; several while you replace one
 * @throws {WebhookVerificationError}
 * @example
 * ```ts
 * const event = await verifyWebhook(request, process.env.TRIBUTARY_WEBHOOK_SECRET)
 * ```
 */
export const verifyWebhook = async (
  message: WebhookMessage,
  secrets: string | readonly string[],
  { now = new Date() }: { now?: Date } = {},
): Promise<WebhookEvent> => {
  const keys = await Promise.all([secrets].flat().map((secret) => keyOf(secret)))
  if (keys.length === 0) throw new TypeError('Pass the webhook’s secret.')
  const { headers } = message
  const [id, timestamp, signature] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(
    (name) => header(headers, name),
  )
  if (!id || !timestamp || !signature)
    throw new WebhookVerificationError('missing_headers', 'The headers of a webhook are missing.')
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN
  // Also true of NaN.
  if (!(Math.abs(now.getTime() / 1_000 - seconds) <= TOLERANCE_SECONDS)) {
    throw new WebhookVerificationError(
      'timestamp_out_of_range',
      'The webhook is not of the last five minutes. Check this machine’s clock.',
    )
  }

  const body = await readBody(message)
  const start = encoder.encode(`${id}.${timestamp}.`)
  const signed = new Uint8Array(start.length + body.length)
  signed.set(start)
  signed.set(body, start.length)
  for (const bytes of signaturesOf(signature)) {
    for (const key of keys) {
      // Compares in constant time.
      if (await crypto.subtle.verify('HMAC', key, bytes, signed)) return parse(body)
    }
  }
  throw new WebhookVerificationError(
    'invalid_signature',
    'No signature of the webhook matches the secret.',
  )
}

const parse = (body: Uint8Array): WebhookEvent => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    throw new WebhookVerificationError('invalid_body', 'The webhook’s body is not JSON.')
  }
}
