/** Reports under the ID of an event that differ from the one that it was recorded by. They change nothing. */
import type { EventKind } from './event-kinds.ts'
import type { RefundReport } from './refund.ts'
import type { Report } from './report.ts'

/** What a field of the event is, and what the other report had; null where there is nothing. At most 500 characters of each. */
export type Difference = { field: string; recorded: string | null; reported: string | null }

/** The fields of a report that are kept with its event, and can be compared. */
export const comparableFields = (report: Report | RefundReport) => {
  const { eventName, metadata } = report
  if ('requested' in report) {
    const { saleExternalId, requested } = report
    return {
      saleExternalId,
      eventName,
      metadata,
      amountCents: requested.amountCents,
      currency: requested.currency,
    }
  }
  const { customerExternalId, clickId, occurredAt, sale } = report
  return {
    customerExternalId,
    clickId,
    eventName,
    metadata,
    ...(sale && { amountCents: Number(sale.amountCents), currency: sale.currency }),
    ...(occurredAt && { occurredAt }),
  }
}

/** Older ones need no attention: the manager has seen them, or the backend stopped sending them. */
const RECENT_DAYS = 7

export const recentSince = (now: Date): Date => new Date(now.getTime() - RECENT_DAYS * 86_400_000)

const FIELD_NAMES: Record<string, string> = {
  customerExternalId: 'Customer',
  saleExternalId: 'Sale',
  eventName: 'Event name',
  amountCents: 'Amount in minor units',
  currency: 'Currency',
  clickId: 'Click',
  occurredAt: 'Time',
}

/** A field as managers read it. */
export const fieldName = (field: string): string =>
  FIELD_NAMES[field] ?? field.replace('metadata.', 'Metadata ')

/** What a manager does about it. */
export const adviceOn = (kind: EventKind, differences: Difference[]): string => {
  const fields = new Set(differences.map(({ field }) => field))
  if (kind !== 'refund' && fields.has('customerExternalId'))
    return 'Probably two different orders with the same ID. Begin the IDs of each system with a prefix, and report the second one again.'
  if (fields.has('clickId') || fields.has('customerExternalId'))
    return 'The first report stands. Correct the sale, or credit it by hand.'
  if (fields.has('amountCents') || fields.has('currency'))
    return 'The first amount stands. Report a refund if less was paid; if it is another order, give it an ID of its own.'
  return 'The first report stands. Send a repeat with the same body.'
}
