/** Records a reported refund. */
import type { Context } from 'hono'
import type { KeyEnv } from '../../auth/keys/api-keys.ts'
import { newId } from '../../db/ids.ts'
import { ApiError } from '../../http/errors.ts'
import { noteForLog } from '../../http/logging.ts'
import type { ReportQueues } from '../../http/rpc/nudge.service.ts'
import type { TrackingEnv } from '../../http/tracking-app.ts'
import { sha256 } from '../../platform/sha256.ts'
import { lostRace } from '../../platform/unavailable.ts'
import { decideRefund } from '../../rules/refunds/decide-refund.ts'
import type { RefundReport } from '../../rules/refunds/refund.ts'
import { canonicalJson } from '../../values/json.ts'
import type { IncompleteRefund, ReportsService } from '../reports/purchases.rpc.ts'
import type { RecordedEvent } from '../reports/reports.queries.ts'
import { keyRefusal, respondRecorded } from '../reports/respond.service.ts'
import {
  loadRefundFacts,
  type RefundFacts,
  type SavedRefund,
  saveRefund,
} from './refunds.queries.ts'

/**
 * Loads, decides, saves and responds, like `recordReport`. A refund of a sale that a processor
 * reports too is saved first, and then planned with the processor's events.
 *
 * @throws {ApiError} `invalid_api_key`, `insufficient_scope`; `currency_mismatch` if the currency
 *   is not that of the sale
 */
export const recordRefund = async <E extends KeyEnv & TrackingEnv & ReportQueues>(
  c: Context<E>,
  report: RefundReport,
  purchases: ReportsService,
): Promise<Response> => {
  const { db, now, apiKeyHash } = c.var
  const bodyHash = await refundHash(report)
  const load = async () => {
    const facts = await loadRefundFacts(db, apiKeyHash, report, now)
    if (typeof facts === 'string') throw keyRefusal(facts)
    const { keyId, workspaceId } = facts
    noteForLog(c, { actor: `key ${keyId}`, keyHash: undefined, workspaceId })
    return facts
  }
  const save = (refund: SavedRefund) => saveRefund(db, refund)
  return respondRecorded(
    c,
    await decideAndSave(report, bodyHash, now, { load, save, join: purchases.joinReport }),
    report,
    bodyHash,
  )
}

/** The hash of a report, by which a repeat that differs is found. */
export const refundHash = (report: RefundReport): Promise<string> =>
  sha256(canonicalJson({ kind: 'refund', ...report }))

/** How a refund is read, saved, and joined with what a processor has reported of its sale. */
type Steps = {
  load: () => Promise<RefundFacts>
  /** @returns null if the sale has changed since it was read */
  save: (refund: SavedRefund) => Promise<RecordedEvent | null>
  join: (
    workspaceId: string,
    refund: IncompleteRefund,
  ) => Promise<{ id: string; attributed: boolean }>
}

/** Of concurrent refunds of one sale, one succeeds in each round. */
const ROUNDS = 24

/** Decides a refund and saves it, whoever reports it. @throws {ApiError} `currency_mismatch` */
export const decideAndSave = async (
  report: RefundReport,
  bodyHash: string,
  now: Date,
  { load, save, join }: Steps,
): Promise<RecordedEvent> => {
  const { externalId, saleExternalId, requested } = report
  for (let round = 0; round < ROUNDS; round++) {
    const facts = await load()
    const { workspaceId, recorded, saleCurrency, isJoined, refunds } = facts
    if (recorded?.bodyHash) return recorded
    if (!recorded) assertCurrency(requested.currency, saleCurrency)
    const id = newId()
    const sale = isJoined ? null : facts.sale
    const decision = decideRefund({ id, requested }, saleExternalId, sale, refunds)
    const hash = isJoined ? null : bodyHash
    const event =
      recorded ??
      (await save({ id, workspaceId, report, sale, isJoined, bodyHash: hash, decision, now }))
    if (!event) continue
    if (event.bodyHash !== null) return event
    const incomplete = { kind: 'refund', externalId, saleExternalId, bodyHash } as const
    const { isAnnounced = null } = event
    return { ...(await join(workspaceId, incomplete)), bodyHash, isAnnounced }
  }
  throw lostRace('the same sale')
}

const assertCurrency = (currency: string | null, saleCurrency: string | null): void => {
  if (currency === null || saleCurrency === null || currency === saleCurrency) return
  throw new ApiError(
    'currency_mismatch',
    `The sale is in ${saleCurrency}. A refund has the currency of its sale: leave \`currency\` out, or send ${saleCurrency}.`,
  )
}
