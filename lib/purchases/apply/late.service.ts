/** Recomputes what was received before a report or an import that it depends on. */

import { tieCustomers } from '../../customers/tie.queries.ts'
import type { Db } from '../../db/connection.ts'
import { tiedByLead } from '../../rules/identities/identities.ts'
import { receivedAt } from '../../rules/steps/occurred-at.ts'
import { endOfWait, receivedQuery, saveOutcome } from '../../tracking/events/received.queries.ts'
import { endReport, findLead, noteReport } from '../../tracking/reports/late-reports.queries.ts'
import type { IncompleteRefund, IncompleteReport } from '../../tracking/reports/purchases.rpc.ts'
import { applyPurchase, replanReferred } from './apply.service.ts'
import { markedCustomers } from './replan.queries.ts'

/**
 * Recomputes the sales of customers whom an import has marked, before its answer. What one request
 * has no time or fetches for stays marked, so the cron continues there.
 *
 * @param connect as for `continueReplans`
 */
export const replanImported = async (
  connect: () => Db | null,
  workspaceId: string,
  customerIds: string[],
  now: Date,
): Promise<void> => {
  for (const id of customerIds) {
    const db = connect()
    if (!db) return
    await replanReferred(db, workspaceId, id, now)
  }
}

/**
 * Continues what interrupted requests have left marked, and payments of addresses that have many of
 * them. A customer that fails delays no other.
 *
 * @param connect a connection has the deadline of one request, so each customer gets its own. null
 *   leaves the others to the next run
 * @returns how many were continued, and the failures of the others, which the next run tries again
 */
export const continueReplans = async (
  connect: () => Db | null,
  now: Date,
): Promise<{ applied: number; failures: unknown[] }> => {
  const first = connect()
  const customers = first ? await markedCustomers(first) : []
  const failures: unknown[] = []
  let applied = 0
  for (const { id, workspaceId } of customers) {
    const db = connect()
    if (!db) break
    await replanReferred(db, workspaceId, id, now).then(
      () => applied++,
      (error: unknown) => failures.push(error),
    )
  }
  return { applied, failures }
}

/**
 * Applies the payments that have waited long enough for an invoice or a checkout. One that fails
 * delays no other.
 *
 * @param connect a connection has the deadline of one request, so each payment gets its own. null
 *   leaves the others to the next run
 * @returns how many were applied, and the failures of the others, which the next run tries again
 */
export const endWaits = async (
  connect: () => Db | null,
  now: Date,
): Promise<{ applied: number; failures: unknown[] }> => {
  const first = connect()
  const events = first ? await endOfWait(first, now) : []
  const failures: unknown[] = []
  let applied = 0
  for (const { id, workspaceId, keys } of events) {
    const db = connect()
    if (!db) break
    try {
      const outcome = await applyPurchase(db, workspaceId, keys, { trigger: 'sale', now })
      await saveOutcome(db, id, outcome)
      applied++
    } catch (error) {
      failures.push(error)
    }
  }
  return { applied, failures }
}

/**
 * Completes a report that came after a payment. An interrupted report has not ended: it is
 * completed when the merchant repeats it.
 */
export const joinReport = async (
  db: Db,
  workspaceId: string,
  report: IncompleteReport | IncompleteRefund,
  now: Date,
) => {
  if (report.kind === 'refund')
    await applyPurchase(db, workspaceId, [report.saleExternalId], { trigger: 'return', now })
  else await (report.kind === 'sale' ? joinSale : joinLead)(db, workspaceId, report, now)
  return endReport(db, workspaceId, report)
}

const joinSale = async (
  db: Db,
  workspaceId: string,
  report: IncompleteReport,
  now: Date,
): Promise<void> => {
  const keys = [report.externalId]
  const { statement, read } = receivedQuery(workspaceId, [keys])
  const [, rows] = await db.batch([
    noteReport(workspaceId, report, receivedAt(now)).compile(db),
    statement.compile(db),
  ])
  // Recomputes what is marked, too.
  await applyPurchase(db, workspaceId, keys, { trigger: 'sale', now }, read(rows)[0])
}

const joinLead = async (
  db: Db,
  workspaceId: string,
  report: IncompleteReport,
  now: Date,
): Promise<void> => {
  const saved = await findLead(db, workspaceId, report.externalId)
  if (!saved) return
  const identities = tiedByLead({ ...report, ...saved })
  const customerId = identities.length
    ? await tieCustomers(
        db,
        workspaceId,
        identities,
        { source: 'lead', evidence: report.externalId },
        now,
      )
    : saved.customerId
  if (customerId) await replanReferred(db, workspaceId, customerId, now)
}
