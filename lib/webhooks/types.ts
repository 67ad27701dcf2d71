/** What webhooks report. The names are those of schema.sql, whose triggers queue them. */
export const WEBHOOK_TYPES = [
  'partner.created',
  'partner.approved',
  'partner.banned',
  'lead.created',
  'sale.created',
  'refund.created',
  'commission.created',
  'commission.reversed',
  'payout.created',
  'payout.paid',
  'payout.failed',
  'import.finished',
  'import.undone',
] as const
export type WebhookType = (typeof WEBHOOK_TYPES)[number]

/** Sent when a manager tests an endpoint. Nobody subscribes to it. */
export const TEST_TYPE = 'webhook.test'

export type EventType = WebhookType | typeof TEST_TYPE

/** A limit, because each enabled endpoint costs a row per event. */
export const MAX_ENDPOINTS = 10
