/** What a reported sale and a reported lead have in common: the way from the report to the answer. */
import type { Context } from 'hono'
import { loadReportFacts, type RecordedEvent, saveReport } from '../data/reports.ts'
import type { Facts } from '../domain/attribution.ts'
import type { Decision, Report } from '../domain/decisions.ts'
import { invalidApiKey } from './api-keys.ts'
import type { AppEnv } from './app.ts'
import { ApiError } from './errors.ts'
import { canonicalJson } from './json.ts'

type ReportContext = Context<AppEnv & { Variables: { apiKeyHash: string } }>

/** A decision is made again when its new customer turns out not to be new: once is enough, unless the customer is busy. */
const MAX_DECISIONS = 3

/**
 * Loads, decides, saves and answers. The answer goes out after the commit, and a repeat gets the first one's
 * answer; when its body says something else, `Idempotency-Mismatch: true` goes with it. Spec 4.1 and 4.2.
 *
 * @throws {ApiError} `invalid_api_key`, `try_again`
 */
export const recordReport = async (
  c: ReportContext,
  report: Report,
  decide: (report: Report, facts: Facts, now: Date) => Decision,
): Promise<Response> => {
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
  throw new ApiError(
    'try_again',
    'Other events of this customer came in at the same time. Repeat the call as it is.',
    {
      retryAfter: 1,
    },
  )
}

const trackingResponse = (c: ReportContext, event: RecordedEvent, bodyHash: string): Response => {
  if (event.bodyHash !== bodyHash) c.header('Idempotency-Mismatch', 'true')
  return c.json({ eventId: event.attributed ? event.id : null, attributed: event.attributed })
}

/** SHA-256 of what was reported, defaults filled in, so that a repeat that spells out a default is still a repeat. */
const hashReport = async (report: Report): Promise<string> => {
  const sale = report.sale && { ...report.sale, amountCents: String(report.sale.amountCents) }
  const bytes = new TextEncoder().encode(canonicalJson({ ...report, sale }))
  return btoa(String.fromCharCode(...new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))))
}
