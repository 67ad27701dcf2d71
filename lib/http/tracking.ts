/** What a reported sale and a reported lead have in common: the way from the report to the answer. */
import type { Context } from 'hono'
import { loadReportFacts, type RecordedEvent, saveReport } from '../data/reports.ts'
import { decide, type Report } from '../domain/decisions.ts'
import { invalidApiKey } from './api-keys.ts'
import type { AppEnv } from './app.ts'
import { ApiError } from './errors.ts'
import { canonicalJson } from './json.ts'
import { sha256 } from './sha256.ts'

type ReportContext = Context<AppEnv & { Variables: { apiKeyHash: string } }>

/** A decision is made again when its new customer turns out not to be new: once is enough, unless the customer is busy. */
const MAX_DECISIONS = 3

/**
 * Loads, decides, saves and answers. The answer goes out after the commit, and a repeat gets the first one's
 * answer; when its body says something else, `Idempotency-Mismatch: true` goes with it. Spec 4.1 and 4.2.
 *
 * @throws {ApiError} `invalid_api_key`, `try_again`
 */
export const recordReport = async (c: ReportContext, report: Report): Promise<Response> => {
  const { db, now, apiKeyHash } = c.var
  const bodyHash = await hashReport(report)

  for (let decisions = 0; decisions < MAX_DECISIONS; decisions++) {
    const facts = await loadReportFacts(db, apiKeyHash, report)
    if (!facts) throw invalidApiKey()
    if (facts.recorded) return trackingResponse(c, facts.recorded, bodyHash)

    const decision = decide(report, facts, now)
    const event = await saveReport(db, { workspaceId: facts.workspaceId, report, bodyHash, decision, now })
    if (event) return trackingResponse(c, event, bodyHash)
  }
  const message = 'Other events of this customer came in at the same time. Repeat the call as it is.'
  throw new ApiError('try_again', message, { retryAfter: 1 })
}

const trackingResponse = (c: ReportContext, event: RecordedEvent, bodyHash: string): Response => {
  if (event.bodyHash !== bodyHash) c.header('Idempotency-Mismatch', 'true')
  return c.json({ eventId: event.attributed ? event.id : null, attributed: event.attributed })
}

/** What tells two reports apart: all that was reported, with the defaults filled in and the keys in order. */
const hashReport = (report: Report): Promise<string> => {
  const sale = report.sale && { ...report.sale, amountCents: String(report.sale.amountCents) }
  return sha256(canonicalJson({ ...report, sale }))
}
