/** What is reported: a sale, a lead, or a refund of a sale. */
export const EVENT_KINDS = ['sale', 'lead', 'refund'] as const
export type EventKind = (typeof EVENT_KINDS)[number]

/** A kind as the first word of a heading. */
export const KIND_NAMES: Record<EventKind, string> = {
  sale: 'Sale',
  lead: 'Lead',
  refund: 'Refund',
}
