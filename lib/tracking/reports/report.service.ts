/** Records a reported sale or lead. */
import type { Context } from 'hono'
import type { KeyEnv } from '../../auth/keys/api-keys.ts'
import { noteForLog } from '../../http/logging.ts'
import type { ReportQueues } from '../../http/rpc/nudge.service.ts'
import type { TrackingEnv } from '../../http/tracking-app.ts'
import { sha256 } from '../../platform/sha256.ts'
import { lostRace } from '../../platform/unavailable.ts'
import { decide } from '../../rules/decisions/decide.ts'
import { tiedByLead } from '../../rules/identities/identities.ts'
import { judgedAt, receivedAt } from '../../rules/steps/occurred-at.ts'
import type { Report } from '../../rules/steps/report.ts'
import { canonicalJson } from '../../values/json.ts'
import type { DecidedReport } from './decided-report.ts'
import { loadReportFacts, type ReportFacts } from './facts.queries.ts'
import type { ReportsService } from './purchases.rpc.ts'
import { type RecordedEvent, saveReport, toSaved } from './reports.queries.ts'
import { keyRefusal, respondRecorded } from './respond.service.ts'

/**
 * Loads, decides, saves and responds. The response is sent after the commit. A repeat gets the
 * first response; if its body differs, with `Idempotency-Mismatch: true`. Spec, sections 4.1 and
 * 4.2.
 *
 * @throws {ApiError} `invalid_api_key`, `insufficient_scope`
 */
export const recordReport = async <E extends KeyEnv & TrackingEnv & ReportQueues>(
  c: Context<E>,
  report: Report,
  purchases: ReportsService,
): Promise<Response> => {
  const bodyHash = await hashReport(report)
  const event = await record(c, report, bodyHash, purchases)
  return respondRecorded(c, event, report, bodyHash)
}

/**
 * A customer is new once. After that, reports conflict only with changes of the owner, and with
 * sales of the customer that are decided by their number.
 */
const ROUNDS = 20

const record = async <E extends KeyEnv & TrackingEnv>(
  c: Context<E>,
  report: Report,
  bodyHash: string,
  purchases: ReportsService,
): Promise<RecordedEvent> => {
  const { db, apiKeyHash } = c.var
  for (let round = 0; round < ROUNDS; round++) {
    // Later than what it conflicts with: sales that are numbered are saved in their order.
    const now = receivedAt(round === 0 ? c.var.now : new Date())
    const facts = await loadReportFacts(db, apiKeyHash, report, now)
    if (typeof facts === 'string') throw keyRefusal(facts)
    const { keyId, workspaceId, recorded } = facts
    noteForLog(c, { actor: `key ${keyId}`, keyHash: undefined, workspaceId })
    const result = recorded
      ? ({ status: 'saved', event: recorded } as const)
      : await saveReport(
          db,
          toSaved(decideLoaded(report, facts, bodyHash, now)),
          purchases.decideHolds,
        )
    if (result.status === 'conflict') continue
    return completeReport(result.event, { report, facts, bodyHash }, purchases)
  }
  throw lostRace('the same customer')
}

/** Decides a loaded report. One to be joined with what was received before has no hash yet. */
export const decideLoaded = (
  report: Report,
  facts: ReportFacts,
  bodyHash: string,
  now: Date,
): DecidedReport => {
  const {
    workspaceId,
    customer,
    adoptsSales,
    refunds,
    click,
    code,
    hasProcessorEvents,
    mayBeDuplicate,
    history,
  } = facts
  const isJoined = hasProcessorEvents || tiedByLead(report).length > 0
  const occurredAt = judgedAt(report, now)
  return {
    workspaceId,
    report,
    customer,
    adoptsSales,
    mayBeDuplicate,
    refunds,
    click,
    code,
    decision: decide(report, facts, occurredAt),
    paymentsBefore: history?.payments,
    bodyHash: isJoined ? null : bodyHash,
    occurredAt,
    receivedAt: now,
  }
}

/** Completes a saved report that has to be joined with what was received before it. */
export const completeReport = async (
  event: RecordedEvent,
  { report, facts, bodyHash }: { report: Report; facts: ReportFacts; bodyHash: string },
  { joinReport }: Pick<ReportsService, 'joinReport'>,
): Promise<RecordedEvent> => {
  if (event.bodyHash !== null) return event
  const { kind, externalId, customerExternalId, metadata, lines, country, code } = report
  const clickId = facts.click?.id ?? null
  const reported = { kind, externalId, customerExternalId, metadata, lines, country, code }
  const { isAnnounced = null } = event
  const joined = await joinReport(facts.workspaceId, { ...reported, clickId, bodyHash })
  return { ...joined, bodyHash, isAnnounced }
}

/** A hash of the report, with defaults and sorted keys, to recognise a repeat that differs. */
export const hashReport = (report: Report): Promise<string> => {
  const sale = report.sale && { ...report.sale, amountCents: String(report.sale.amountCents) }
  return sha256(canonicalJson({ ...report, sale }))
}
