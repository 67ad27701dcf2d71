/**
 * The status of a delivery: `queued` has not been tried, `retrying` is tried again, `delivered` was
 * answered with 2xx, `failed` is not tried again unless it is resent.
 */
export const DELIVERY_STATUSES = ['queued', 'retrying', 'delivered', 'failed'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]
