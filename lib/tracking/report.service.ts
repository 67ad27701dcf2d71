/** What a reported sale and a reported lead have in common: the way from the report to the answer. */
import type { Context } from 'hono'
import { invalidApiKey, type KeyEnv } from '../auth/api-keys.ts'
import { rpc } from '../http/rpc.ts'
import { canonicalJson } from '../json.ts'
import type { SaleReport, StripeService } from '../purchases/purchases.rpc.ts'
import { sha256 } from '../sha256.ts'
import { decide, type Report } from './decide.ts'
import { loadReportFacts } from './facts.queries.ts'
import { type RecordedEvent, saveReport } from './reports.queries.ts'
import type { TrackingResponse } from './reports.responses.ts'

/**
 * Loads, decides, saves and answers. The answer goes out after the commit, and a repeat gets the first one's
 * answer; when its body says something else, `Idempotency-Mismatch: true` goes with it. Spec 4.1 and 4.2.
 *
 * @throws {ApiError} `invalid_api_key`
 */
export const recordReport = async (c: Context<KeyEnv>, report: Report): Promise<Response> => {
  const { db, now, apiKeyHash } = c.var
  const bodyHash = await hashReport(report)

  const record = async (): Promise<RecordedEvent | null> => {
    const facts = await loadReportFacts(db, apiKeyHash, report)
    if (!facts) throw invalidApiKey()
    const { workspaceId, recorded, isToldByStripe } = facts
    // Where Stripe has told of the sale, a report has ended only once it is settled with that.
    const saved = { workspaceId, report, bodyHash: isToldByStripe ? null : bodyHash, now }
    const event = recorded ?? (await saveReport(db, { ...saved, decision: decide(report, facts, now) }))
    if (event?.bodyHash !== null) return event
    // Stripe was faster. What it knows and what the merchant knows of the sale are settled where Stripe's events are.
    const { externalId, customerExternalId } = report
    const joined = await stripe(c).joinReport(workspaceId, {
      externalId,
      customerExternalId,
      clickId: facts.click?.id ?? null,
      bodyHash,
    })
    return { ...joined, bodyHash }
  }
  // Another report may make a customer between our read and our write, where the decision needed a new one.
  // The customer is there for good then, so deciding once more is enough.
  const event = (await record()) ?? (await record())
  if (!event) throw new Error('A customer was new, then was not, then was new again.')

  if (event.bodyHash !== bodyHash) c.header('Idempotency-Mismatch', 'true')
  return c.json<TrackingResponse>({
    eventId: event.attributed ? event.id : null,
    attributed: event.attributed,
  })
}

/** What tells two reports apart: all that was reported, with the defaults filled in and the keys in order. */
const hashReport = (report: Report): Promise<string> => {
  const sale = report.sale && { ...report.sale, amountCents: String(report.sale.amountCents) }
  return sha256(canonicalJson({ ...report, sale }))
}

/** The Worker that settles what Stripe tells. Only sales can meet it, so only the Worker of sales knows it. */
const stripe = ({ env }: Context<KeyEnv & { Bindings: { STRIPE_WEBHOOK?: StripeService } }>) => ({
  joinReport: (workspaceId: string, report: SaleReport) => {
    if (!env.STRIPE_WEBHOOK) throw new Error('This Worker is not bound to the stripe-webhook Worker.')
    return rpc('stripe-webhook', env.STRIPE_WEBHOOK.joinReport(workspaceId, report))
  },
})
