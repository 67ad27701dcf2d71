/**
 * A merchant's client for Tributary, to copy: it needs only `fetch`.
 *
 * Reports are idempotent. A report's `externalId` is the merchant's own and never changes, so retries count once.
 */
import { setTimeout as pause } from 'node:timers/promises'

/** The body of POST /api/track/lead. */
export type Lead = { externalId: string; customerEmail: string; customerName: string; clickId?: string }

/** The body of POST /api/track/sale. */
export type Sale = {
  externalId: string
  customerExternalId: string
  amountCents: number
  currency: string
  clickId?: string
  eventName: string
  metadata: Record<string, unknown>
}

export type Report =
  | { kind: 'lead'; path: '/api/track/lead'; body: Lead }
  | { kind: 'sale'; path: '/api/track/sale'; body: Sale }

/** The response of both endpoints. */
type Answer = { eventId: string | null; attributed: boolean }

/** A report's outcome: recorded, refused for good, or queued to be sent later. */
export type Outcome =
  | { state: 'recorded'; status: number; answer: Answer }
  | { state: 'refused'; status: number; problem: string }
  | { state: 'kept'; reason: string }

/** A report and its outcome. A queued report that is sent later gets a new outcome. */
export type Delivery = { report: Report; outcome: Promise<Outcome> }

const MAX_ATTEMPTS = 4
/** Tributary responds with 503 after nine seconds at the latest. Without a response by now, the connection is lost. */
const TIMEOUT_MS = 12_000
/** Doubled after each attempt. */
const FIRST_PAUSE_MS = 250
/** If Retry-After is longer, the report is queued. */
const LONGEST_PAUSE_MS = 10_000

type Failure = { state: 'failed'; reason: string; retryAfterMs: number | undefined }

/**
 * Creates the client. Reporting never throws, and no customer waits for it.
 *
 * Reports are queued in memory here. A real shop should queue them in its database, so that a restart loses none.
 *
 * @example
 * ```ts
 * const tributary = createTributary({ url: 'https://track.example.com', apiKey })
 * tributary.reportSale({ externalId: invoice.id, customerExternalId: user.id, amountCents: 2900, ... })
 * ```
 */
export const createTributary = ({ url, apiKey }: { url: string; apiKey: string }) => {
  const kept: Delivery[] = []

  const attempt = async ({ path, body }: Report): Promise<Outcome | Failure> => {
    try {
      const response = await fetch(new URL(path, url), {
        method: 'POST',
        headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      const { ok, status, headers } = response
      if (ok) return { state: 'recorded', status, answer: (await response.json()) as Answer }
      const problem = await response.text()
      if (status < 500 && status !== 429) return { state: 'refused', status, problem }

      const seconds = Number.parseInt(headers.get('Retry-After') ?? '', 10)
      return {
        state: 'failed',
        reason: `Tributary answered ${status}.`,
        retryAfterMs: Number.isNaN(seconds) ? undefined : seconds * 1_000,
      }
    } catch (error) {
      // Without a response, the report may or may not be saved. Sending it again is safe in both cases.
      return { state: 'failed', reason: `No answer: ${(error as Error).message}.`, retryAfterMs: undefined }
    }
  }

  const send = async (report: Report): Promise<Outcome> => {
    for (let attempts = 1; ; attempts++) {
      const result = await attempt(report)
      if (result.state !== 'failed') return result

      // Jitter, so that clients don't all retry at the same time after an outage.
      const backoff = FIRST_PAUSE_MS * 2 ** (attempts - 1) * (0.5 + Math.random() / 2)
      const wait = result.retryAfterMs ?? backoff
      if (attempts === MAX_ATTEMPTS || wait > LONGEST_PAUSE_MS)
        return { state: 'kept', reason: result.reason }
      await pause(wait)
    }
  }

  const follow = async (delivery: Delivery): Promise<void> => {
    const outcome = await delivery.outcome
    if (outcome.state === 'kept') {
      kept.push(delivery)
    } else if (outcome.state === 'refused') {
      // A bug in this client, which retrying won't fix: someone must read this.
      const { kind, body } = delivery.report
      console.error(`Tributary refused the ${kind} ${body.externalId}: ${outcome.status} ${outcome.problem}`)
    } else {
      // Tributary is up again: each success sends one queued report.
      const next = kept.shift()
      if (next) void follow(Object.assign(next, { outcome: send(next.report) }))
    }
  }

  const report = (report: Report): Delivery => {
    const delivery = { report, outcome: send(report) }
    void follow(delivery)
    return delivery
  }

  return {
    reportLead: (body: Lead): Delivery => report({ kind: 'lead', path: '/api/track/lead', body }),
    reportSale: (body: Sale): Delivery => report({ kind: 'sale', path: '/api/track/sale', body }),
    /** Sends a report again. It isn't counted twice. */
    repeat: ({ report: same }: Delivery): Delivery => report(same),
  }
}
