/**
 * How a merchant reports with the client of clients/node: in the background, and what could not be
 * delivered is queued.
 *
 * Reports are idempotent. A report's `externalId` is the merchant's own and never changes, so
 * retries count once.
 */
import {
  createTributary as createClient,
  type Lead,
  type Recorded,
  type Sale,
  TributaryError,
} from '../../../clients/node/src/client.ts'

export type Report =
  | { kind: 'lead'; path: '/api/track/lead'; body: Lead }
  | { kind: 'sale'; path: '/api/track/sale'; body: Sale }

/** The response of both endpoints. */
type Answer = Omit<Recorded, 'idempotencyMismatch'>

/** A report's outcome: recorded, refused for good, or queued to be sent later. */
export type Outcome =
  | { state: 'recorded'; status: number; answer: Answer }
  | { state: 'refused'; status: number; problem: string }
  | { state: 'kept'; reason: string }

/** A report and its outcome. A queued report that is sent later gets a new outcome. */
export type Delivery = { report: Report; outcome: Promise<Outcome> }

/** A customer's page shows a queued report after this time. */
const DEADLINE_MS = 10_000

/**
 * Creates the shop's reporting. Reporting never throws, and no customer waits for it.
 *
 * Reports are queued in memory here. A real shop should queue them in its database, so that a
 * restart loses none.
 *
 * @example
 * ```ts
 * const tributary = createTributary({ url: 'https://track.example.com', apiKey })
 * tributary.reportSale({ externalId: invoice.id, customerExternalId: user.id, amountCents: 2900, ... })
 * ```
 */
export const createTributary = ({ url, apiKey }: { url: string; apiKey: string }) => {
  const { track } = createClient({ url, apiKey, deadlineMs: DEADLINE_MS })
  const kept: Delivery[] = []

  const send = async ({ kind, body }: Report): Promise<Outcome> => {
    try {
      const { eventId, attributed } = await (kind === 'lead' ? track.lead(body) : track.sale(body))
      return { state: 'recorded', status: 200, answer: { eventId, attributed } }
    } catch (error) {
      if (!(error instanceof TributaryError)) throw error
      const { status, body: problem, message, retryable } = error
      if (status && !retryable) return { state: 'refused', status, problem: problem ?? message }
      return { state: 'kept', reason: status ? `Tributary answered ${status}.` : message }
    }
  }

  const follow = async (delivery: Delivery): Promise<void> => {
    const outcome = await delivery.outcome
    if (outcome.state === 'kept') {
      kept.push(delivery)
    } else if (outcome.state === 'refused') {
      // A bug in this client, which retrying won't fix: someone must read this.
      const { kind, body } = delivery.report
      console.error(
        `Tributary refused the ${kind} ${body.externalId}: ${outcome.status} ${outcome.problem}`,
      )
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
