/** Mismatches: reports that differ from the event with their ID. They change nothing. */
import type { Message, Translate } from '../../languages/message.ts'
import * as m from '../../languages/messages.ts'
import type { RefundReport } from '../../rules/refunds/refund.ts'
import type { EventKind } from '../../rules/steps/event-kinds.ts'
import type { Report } from '../../rules/steps/report.ts'

/** A field's values, of at most 500 characters each; null where there is nothing. */
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
  const { customerExternalId, clickId, occurredAt, sale, lines = null, country = null } = report
  return {
    customerExternalId,
    clickId,
    eventName,
    metadata,
    customerCountry: country,
    ...(sale && { amountCents: Number(sale.amountCents), currency: sale.currency, lines }),
    ...(occurredAt && { occurredAt }),
  }
}

/** Older ones need no attention: the manager has seen them, or the backend stopped sending them. */
const RECENT_DAYS = 7

export const recentSince = (now: Date): Date => new Date(now.getTime() - RECENT_DAYS * 86_400_000)

const FIELD_NAMES: Record<string, Message> = {
  customerExternalId: m.layout_customer,
  saleExternalId: m.events_field_sale,
  eventName: m.events_field_event_name,
  amountCents: m.events_field_amount,
  currency: m.layout_currency,
  lines: m.events_lines,
  customerCountry: m.events_country,
  clickId: m.events_field_click,
  occurredAt: m.events_field_time,
}

/** A field as managers read it. */
export const fieldName = (t: Translate, field: string): string => {
  const known = FIELD_NAMES[field]
  return known ? t(known) : t(m.events_field_metadata, { key: field.replace('metadata.', '') })
}

/** What a manager does about it. */
export const adviceOn = (kind: EventKind, differences: Difference[]): Message => {
  const fields = new Set(differences.map(({ field }) => field))
  if (kind !== 'refund' && fields.has('customerExternalId')) return m.events_advice_other_order
  if (fields.has('clickId') || fields.has('customerExternalId')) return m.events_advice_correct
  if (fields.has('amountCents') || fields.has('currency')) return m.events_advice_refund
  return m.events_advice_repeat
}
