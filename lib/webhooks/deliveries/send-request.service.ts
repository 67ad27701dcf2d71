/** Sends one webhook: a signed POST to an endpoint. */
import { Webhook } from 'standardwebhooks'
import type { Try } from './delivery-attempts.ts'

const TIMEOUT_MS = 10_000
/** The part of a response that is read. */
const MAX_RESPONSE_BYTES = 64 * 1024
/** The part of a response that is stored. */
const MAX_KEPT_LENGTH = 2_000

type Request = {
  url: string
  /** `webhook-id`. */
  id: string
  payload: string
  /** Each of them signs. */
  secrets: string[]
}

/** The beginning of a body, as text that Postgres can store. */
const readBeginning = async (response: Response): Promise<string> => {
  const reader = response.body?.getReader()
  if (!reader) return ''
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  while (bytes < MAX_RESPONSE_BYTES) {
    const { done, value } = await reader.read()
    if (done) return text
    bytes += value.byteLength
    if (text.length < MAX_KEPT_LENGTH) text += decoder.decode(value, { stream: true })
  }
  await reader.cancel().catch(() => {})
  return text
}

const storable = (text: string): string =>
  text.replaceAll('\0', '').slice(0, MAX_KEPT_LENGTH).toWellFormed()

/**
 * Sends a webhook by the specification Standard Webhooks. Redirects are not followed: they could
 * lead to a private network.
 *
 * @param now signed with the body, so that an old request is worth nothing to whoever recorded it
 */
export const sendWebhook = async (
  { url, id, payload, secrets }: Request,
  now: Date,
): Promise<Try> => {
  const signature = secrets.map((secret) => new Webhook(secret).sign(id, now, payload)).join(' ')
  const tried = (rest: Pick<Try, 'status' | 'error' | 'response'>): Try => ({
    at: now.toISOString(),
    ms: Date.now() - now.getTime(),
    ...rest,
  })
  let status: number | null = null
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': 'Tributary-Webhooks/1',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
        'webhook-signature': signature,
      },
      body: payload,
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    status = response.status
    const text = await readBeginning(response)
    return tried({ status, error: response.ok ? null : 'status', response: storable(text) })
  } catch (failure) {
    const error = (failure as Error).name === 'TimeoutError' ? 'timeout' : 'unreachable'
    return tried({ status, error, response: null })
  }
}
