/** The client of Tributary's API: see README.md. */
import createApi, { type Client } from 'openapi-fetch'
import { TributaryError } from './errors.ts'
import type { components, paths } from './openapi.ts'
import { type CallOptions, withRetries } from './retry.ts'

export { type RequestLike, readClickId } from './click-id.ts'
export { type ErrorCode, TributaryError } from './errors.ts'
export type { components, paths } from './openapi.ts'
export type { CallOptions } from './retry.ts'
export {
  verifyWebhook,
  type WebhookEvent,
  type WebhookMessage,
  type WebhookProblem,
  WebhookVerificationError,
} from './webhooks.ts'

type Schemas = components['schemas']
export type Lead = Schemas['LeadEvent']
export type Sale = Schemas['SaleEvent']
/** A refund of a sale, or of a part of it. */
export type Refund = Schemas['RefundEvent']

/** A sale or lead of a batch. */
export type BatchEvent = Schemas['BatchEvent']

/** The result of a report. */
export type Recorded = Schemas['TrackingResponse'] & {
  /** Whether an earlier report with this `externalId` had another body. The earlier one counts. */
  idempotencyMismatch: boolean
}

/**
 * A result for each event, in the same order. Send events again whose `error.code` is `try_again`.
 */
export type BatchResults = { results: (Recorded | Schemas['Error'])[] }

export type TributaryOptions = {
  /** The URL of your Tributary: `https://track.example.com`. */
  url: string | URL
  /** An API key with the scope `track` and, for `api`, `read` or `write`. Keep it on the server. */
  apiKey: string
  /** The workspace's slug or id: for `api` only. */
  workspace?: string | undefined
  /** The longest time of a call with all its attempts, in milliseconds. 30,000 by default. */
  deadlineMs?: number | undefined
  /** Replaces the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined
}

const DEADLINE_MS = 30_000
const KEY = 'Idempotency-Key'
const MISMATCH = 'Idempotency-Mismatch'
const LOCAL_HOSTS = /^(localhost|127(\.\d+){3}|\[::1\]|.+\.localhost)$/

const readUrl = (text: string | URL): URL => {
  const url = new URL(text)
  // A key sent in the clear is a lost key.
  if (url.protocol !== 'https:' && !LOCAL_HOSTS.test(url.hostname)) {
    throw new TypeError('The URL of Tributary must begin with https://.')
  }
  return url
}

/**
 * Other requests are safe to repeat: they change nothing, or set the same fields again, or the
 * server recognizes the repeat by its key. A repeated DELETE would get 404, and look like a mistake.
 */
const isRepeatable = ({ method }: Request): boolean => method !== 'DELETE'

/**
 * Creates a client. It keeps no state, so one serves a whole process.
 *
 * @throws {TypeError} when an option is invalid
 * @example
 * ```ts
 * const tributary = createTributary({ url: 'https://track.example.com', apiKey: process.env.TRIBUTARY_API_KEY })
 * await tributary.track.sale({ externalId: invoice.id, customerExternalId: user.id, amountCents: 4900, clickId })
 * ```
 */
export const createTributary = (options: TributaryOptions) => {
  const url = readUrl(options.url)
  const { workspace, deadlineMs = DEADLINE_MS } = options
  // Looked up at each call, so that an instrumented `fetch` is used.
  const fetch: typeof globalThis.fetch =
    options.fetch ?? ((...request) => globalThis.fetch(...request))
  // Throws here if the key has characters that no header can have.
  const headers = new Headers({
    Authorization: `Bearer ${options.apiKey}`,
    'Content-Type': 'application/json',
  })

  const send = async (path: string, event: object, call: CallOptions = {}) => {
    const body = JSON.stringify(event)
    const target = new URL(path, url)
    const attempt = (signal: AbortSignal) =>
      // A redirect would send the key elsewhere, or the report as a GET.
      fetch(target, { method: 'POST', headers, body, signal, redirect: 'manual' })
    return withRetries(attempt, { signal: call.signal, deadlineMs: call.deadlineMs ?? deadlineMs })
  }

  const report = async (path: string, event: object, call?: CallOptions): Promise<Recorded> => {
    const { response, body } = await send(path, event, call)
    return {
      ...read<Schemas['TrackingResponse']>(
        response.status,
        body,
        ({ attributed }) => typeof attributed === 'boolean',
      ),
      idempotencyMismatch: response.headers.get(MISMATCH) === 'true',
    }
  }

  /**
   * For openapi-fetch: repeats what is safe to repeat, and returns an error's response as it is.
   */
  const fetchApi = async (request: Request): Promise<Response> => {
    let last: Response | undefined
    if (request.method === 'POST' && !request.headers.has(KEY))
      request.headers.set(KEY, crypto.randomUUID())
    const send = async (signal: AbortSignal) => {
      last = await fetch(new Request(request.clone(), { signal, redirect: 'manual' }))
      return last.clone()
    }
    try {
      await withRetries(send, { signal: request.signal, deadlineMs, once: !isRepeatable(request) })
    } catch (error) {
      if (!(error instanceof TributaryError) || error.status === undefined) throw error
    }
    return last ?? Response.error()
  }

  let api: Client<paths> | undefined

  return {
    /**
     * Reports events. A report is retried after a lost connection, 429 and 5xx until it is recorded
     * or refused, or the deadline passes. That is safe, because an `externalId` counts once.
     *
     * @throws {TributaryError}
     */
    track: {
      lead: (lead: Lead, call?: CallOptions): Promise<Recorded> =>
        report('/api/track/lead', lead, call),
      sale: (sale: Sale, call?: CallOptions): Promise<Recorded> =>
        report('/api/track/sale', sale, call),
      refund: (refund: Refund, call?: CallOptions): Promise<Recorded> =>
        report('/api/track/refund', refund, call),
      /** Up to 500 sales and leads, which are processed in their order. Each has its own result. */
      batch: async (events: BatchEvent[], call?: CallOptions): Promise<BatchResults> => {
        const { response, body } = await send('/api/track/batch', { events }, call)
        const { results } = read<Schemas['BatchResponse']>(response.status, body, (answer) =>
          Array.isArray(answer.results),
        )
        const places = new Set(response.headers.get(MISMATCH)?.split(', '))
        return {
          results: results.map((result, place) =>
            'error' in result ? result : { ...result, idempotencyMismatch: places.has(`${place}`) },
          ),
        }
      },
    },

    /**
     * The rest of the API, typed by its OpenAPI document, with paths below the workspace. Requests
     * are retried like reports, except for DELETE: each POST has an Idempotency-Key, so that its
     * retries create nothing more. It resolves to `data`, or to `error` for a response of 4xx or
     * 5xx.
     *
     * @throws {TributaryError} if there was no response
     * @example
     * ```ts
     * const { data, error } = await tributary.api.GET('/partners', { params: { query: { limit: 10 } } })
     * ```
     */
    get api(): Client<paths> {
      if (!workspace) throw new TypeError('Pass the option `workspace` to use `api`.')
      api ??= createApi<paths>({
        baseUrl: new URL(`/api/workspaces/${encodeURIComponent(workspace)}`, url).href,
        headers,
        fetch: fetchApi,
      })
      return api
    },
  }
}

/** @throws {TributaryError} if the response is not from Tributary */
const read = <T>(status: number, body: string, isOurs: (answer: T) => boolean): T => {
  try {
    const answer = JSON.parse(body)
    if (isOurs(answer)) return answer
  } catch {}
  const message = 'The response is not Tributary’s. Check the URL.'
  throw new TributaryError('unexpected_response', message, { status, body, retryable: false })
}
