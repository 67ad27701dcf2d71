/**
 * `queued`: not attempted yet. `retrying`: is attempted again. `delivered`: answered with 2xx.
 * `failed`: is not attempted again unless it is resent.
 */
export const DELIVERY_STATUSES = ['queued', 'retrying', 'delivered', 'failed'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]
