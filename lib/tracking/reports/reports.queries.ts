/** Saves decided reports: event, customer and commission, in one write. */

import { namesDeletedRow } from '../../db/deleted-rows.ts'
import { newId } from '../../db/ids.ts'
import { breaks, type Client, isConflict } from '../../db/neon.ts'
import type { Credit } from '../../rules/attribution/attribution.ts'
import { holdRequest } from '../../rules/holds/hold-facts.ts'
import { IDENTITY_KEY, identityOf } from '../../rules/identities/identities.ts'
import { purchaseKeyOf } from '../../rules/purchases/facts.ts'
import { isProcessorId, SALE_EXPECTED } from '../../rules/purchases/processors.ts'
import { type SettledRefund, settleWaiting } from '../../rules/refunds/refunds.ts'
import { ruledHoldOf, tierIn } from '../../rules/steps/steps.ts'
import {
  type DecidedRequest,
  type DecideHolds,
  saveDeciding,
} from '../holds/undecided-holds.queries.ts'
import {
  changesOf,
  type DecidedReport,
  identitiesOf,
  referrerOf,
  renumbers,
} from './decided-report.ts'
import { type LateReport, lateOf } from './late-reports.ts'

/** What the response to a report is made from. */
export type RecordedEvent = {
  id: string
  attributed: boolean
  /** Null until the merchant has reported the event. */
  bodyHash: string | null
  /** Whether webhooks are queued with it. */
  isAnnounced?: boolean | null
}

/** A conflict: the customer has changed, or what it names was deleted. Load and decide again. */
type SaveResult = { status: 'saved'; event: RecordedEvent } | { status: 'conflict' }

/**
 * Saves a decided report: event, customer and commission together, or none of them, in one database
 * round trip. A report that refers a customer of payments received before is saved without its
 * hash: these have to be recomputed.
 *
 * Of concurrent copies of a report, the first one inserts the event, and the others return it.
 */
export const saveReport = async (
  db: Client,
  { holds, ...report }: SavedReport,
  decideHolds: DecideHolds,
): Promise<SaveResult> => {
  try {
    const event = await saveDeciding(holds, decideHolds, async (holds) => {
      const [row] = await db.query<{ event: RecordedEvent }>('select save_report($1) as event', [
        JSON.stringify({ ...report, holds }),
      ])
      if (!row) throw new Error('A call of a function returned no row.')
      return row.event
    })
    return { status: 'saved', event }
  } catch (error) {
    if (isConflict(error) || namesDeletedRow(error) || breaks(error, IDENTITY_KEY))
      return { status: 'conflict' }
    throw error
  }
}

/** What save_report of schema.sql saves. */
export type SavedReport = Omit<ReturnType<typeof toSaved>, 'holds'> & { holds: DecidedRequest[] }

/** A report as save_report takes it. What is absent is null or left out there. */
export const toSaved = (decided: DecidedReport) => {
  const { workspaceId, report, bodyHash, decision, occurredAt, receivedAt } = decided
  const { kind, externalId, customerExternalId, eventName, metadata, lines, country } = report
  const { sale, code } = report
  const { clickId, credit } = decision
  const waiting = sale && settleWaiting(decision, decided.refunds, { ...sale, externalId })
  const eventId = newId()
  return {
    workspaceId,
    eventId,
    kind,
    externalId,
    customerExternalId,
    eventName,
    metadata: metadata ?? undefined,
    lines,
    country,
    coupon: sale && code?.by === 'coupon' ? code.value : undefined,
    amountCents: sale ? Number(sale.amountCents) : undefined,
    currency: sale?.currency,
    clickId,
    bodyHash,
    steps: waiting?.steps ?? decision.steps,
    occurredAt,
    receivedAt,
    purchaseKey: sale ? purchaseKeyOf(externalId) : undefined,
    // No processor reported to the workspace when it was loaded, so nothing was compared.
    isUnreviewed: sale !== null && !decided.mayBeDuplicate && !isProcessorId(externalId),
    refunds: waiting?.settled.map(toSettled),
    returnedCents: waiting?.returnedCents ? Number(waiting.returnedCents) : undefined,
    holds: credit ? holdsOf(eventId, decided) : [],
    ...(credit ? toCredited(decided, credit, waiting?.reversedCents ?? 0n) : toUncredited(decided)),
  }
}

/** A sale that credits nobody may be credited by a report that comes late. */
const toUncredited = (decided: DecidedReport) => {
  const { report, customer, occurredAt } = decided
  if (report.kind === 'lead') {
    const { emailVerified, customerEmail: email } = report
    return customer && emailVerified && email
      ? { verified: { customerId: customer.id, email } }
      : {}
  }
  const late: LateReport = { isReferred: false, isNamed: false, isPaid: true, since: occurredAt }
  if (customer)
    return {
      customer: { id: customer.id, revision: customer.revision },
      late: renumbers(decided) ? late : undefined,
    }
  return { identities: [identityOf(report.customerExternalId)] }
}

const toSettled = (refund: SettledRefund) => ({
  ...refund,
  amountCents: Number(refund.amountCents),
})

const toCredited = (decided: DecidedReport, credit: Credit, reversedCents: bigint) => {
  const { report, customer, adoptsSales, decision } = decided
  const { commission, stepsWhenBeaten } = decision
  const { partner, attributedBy: by } = credit
  const identities = identitiesOf(report, customer)
  const referrer = referrerOf(decided)
  const changes = customer && changesOf(decided, customer, credit, referrer)
  return {
    partnerId: partner.id,
    attributedBy: by,
    customer: customer ? { id: customer.id, revision: customer.revision, ...changes } : undefined,
    newCustomer: customer
      ? undefined
      : { id: newId(), email: report.customerEmail, name: report.customerName },
    identities: identities.length ? identities : undefined,
    adoptsSales,
    paymentsBefore: decided.paymentsBefore,
    tier: tierIn(decision.steps) ?? undefined,
    referrer: referrer
      ? {
          partnerId: referrer.partner.id,
          attribution: referrer.partner.attribution,
          source: referrer.source,
          clickedAt: referrer.clickedAt,
        }
      : undefined,
    commission: commission
      ? {
          ...commission,
          id: newId(),
          programId: partner.programId,
          amountCents: Number(commission.amountCents),
          products: commission.products.length ? commission.products : undefined,
          reversal: reversedCents
            ? { id: newId(), amountCents: -Number(reversedCents) }
            : undefined,
        }
      : undefined,
    stepsWhenBeaten: commission?.oneTime ? stepsWhenBeaten : undefined,
    late: lateOf(decided, changes, referrer),
  }
}

/** What a report is compared with, and why a rule holds what it earns: one request, or none. */
const holdsOf = (eventId: string, { mayBeDuplicate, decision }: DecidedReport) => {
  const { commission, steps } = decision
  const reason = commission ? ruledHoldOf(decision) : null
  const duplicates = mayBeDuplicate && commission !== null
  const expected = mayBeDuplicate && !commission && steps.some(({ code }) => code === SALE_EXPECTED)
  return reason || duplicates || expected
    ? [
        holdRequest(
          { eventId, isNew: true, rule: reason && { reason, isNew: true } },
          { duplicates, expected },
        ),
      ]
    : []
}
