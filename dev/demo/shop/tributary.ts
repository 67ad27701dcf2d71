/**
 * How a merchant's backend reports to Tributary. Yours may look the same: it needs nothing but `fetch`.
 *
 * One rule carries it: a report may always be sent again. Its `externalId` is the merchant's own and never
 * changes, so Tributary counts it once, however often the network makes us repeat ourselves.
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

/** What both endpoints answer. */
type Answer = { eventId: string | null; attributed: boolean }

/** What became of a report: Tributary has it, or will never take it as it is, or will get it later. */
export type Outcome =
  | { state: 'recorded'; status: number; answer: Answer }
  | { state: 'refused'; status: number; problem: string }
  | { state: 'kept'; reason: string }

/** A report under way. A kept one that is sent later gets another outcome. */
export type Delivery = { report: Report; outcome: Promise<Outcome> }

const MAX_TRIES = 4
/** Tributary gives up by itself after nine seconds, with a 503; without an answer by now, it is lost. */
const TIMEOUT_MS = 12_000
/** Doubled at each try. */
const FIRST_PAUSE_MS = 250
/** If told to wait longer than this, the report is kept for later. */
const LONGEST_PAUSE_MS = 10_000

type Failure = { state: 'failed'; reason: string; retryAfterMs: number | undefined }

/**
 * Tributary, as the merchant's backend sees it. Reporting never throws and makes no customer wait.
 *
 * What is kept is kept in memory here. A real shop keeps it in its database, so that a restart loses nothing.
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
      // No answer proves nothing: the report may have been saved. Sending it again is right in both cases.
      return { state: 'failed', reason: `No answer: ${(error as Error).message}.`, retryAfterMs: undefined }
    }
  }

  const send = async (report: Report): Promise<Outcome> => {
    for (let tries = 1; ; tries++) {
      const result = await attempt(report)
      if (result.state !== 'failed') return result

      // The random half keeps a thousand shops from coming back all at once after an outage.
      const backoff = FIRST_PAUSE_MS * 2 ** (tries - 1) * (0.5 + Math.random() / 2)
      const wait = result.retryAfterMs ?? backoff
      if (tries === MAX_TRIES || wait > LONGEST_PAUSE_MS) return { state: 'kept', reason: result.reason }
      await pause(wait)
    }
  }

  const follow = async (delivery: Delivery): Promise<void> => {
    const outcome = await delivery.outcome
    if (outcome.state === 'kept') {
      kept.push(delivery)
    } else if (outcome.state === 'refused') {
      // A mistake of ours, and the same mistake tomorrow: somebody has to read this.
      const { kind, body } = delivery.report
      console.error(`Tributary refused the ${kind} ${body.externalId}: ${outcome.status} ${outcome.problem}`)
    } else {
      // Tributary answers, so now is the time for what was kept: one success draws the next.
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
    /** Sends a report as it was sent before. Nothing is counted twice. */
    repeat: ({ report: same }: Delivery): Delivery => report(same),
  }
}
