/** What all reports answer. */
import type { Context } from 'hono'
import { insufficientScope, invalidApiKey } from '../../auth/keys/api-keys.ts'
import { foldSometimes, nudge, type ReportQueues } from '../../http/rpc/nudge.service.ts'
import type { TrackingEnv } from '../../http/tracking-app.ts'
import { type Mismatch, noteMismatches } from './keep-mismatches.queries.ts'
import type { RecordedEvent } from './reports.queries.ts'
import type { TrackingResponse } from './reports.responses.ts'

/** Set for reports that differ from their events: `true`, or their places in a batch. */
export const MISMATCH_HEADER = 'Idempotency-Mismatch'

/** Why a key was refused by the query that loads a report's facts. */
export const keyRefusal = (refusal: 'unknown_key' | 'insufficient_scope') =>
  refusal === 'unknown_key' ? invalidApiKey() : insufficientScope('track')

/**
 * Responds with the event of a report. A repeat gets the first response; if its body differs, with
 * `Idempotency-Mismatch: true`, and it is kept for the manager to see. Spec, section 2.
 */
export const respondRecorded = <E extends ReportQueues & TrackingEnv>(
  c: Context<E>,
  event: RecordedEvent,
  report: Mismatch['report'],
  bodyHash: string,
): Response => {
  if (event.isAnnounced) nudge(c, 'WEBHOOKS')
  foldSometimes(c)
  if (isMismatch(event, bodyHash)) {
    c.header(MISMATCH_HEADER, 'true')
    keepMismatches(c, [{ eventId: event.id, bodyHash, report }])
  }
  return c.json<TrackingResponse>(trackingResponse(event))
}

/** After the response, best effort: a repeat is a mismatch again. */
export const keepMismatches = <E extends TrackingEnv>(
  c: Context<E>,
  mismatches: Mismatch[],
): void => {
  if (mismatches.length === 0) return
  c.executionCtx.waitUntil(noteMismatches(c.var.db, mismatches, c.var.now).catch(() => undefined))
}

/** Whether an event was recorded from a report with another body. */
export const isMismatch = (event: RecordedEvent, bodyHash: string): boolean =>
  event.bodyHash !== bodyHash

export const trackingResponse = ({
  id,
  attributed,
}: Pick<RecordedEvent, 'id' | 'attributed'>): TrackingResponse => ({
  eventId: attributed ? id : null,
  attributed,
})
