/** Advisory locks. Each is the first statement of a batch and is released at its end. */
import { sql } from 'kysely'

/**
 * Serializes decisions about a customer's partner that depend on the present one.
 *
 * @param externalId the merchant's id of the customer, or the payment processor's
 */
export const lockCustomer = (workspaceId: string, externalId: string) =>
  sql<unknown>`select pg_advisory_xact_lock(hashtextextended(${`${workspaceId} ${externalId}`}, 0))`

/**
 * Serializes the statements that assign commissions to payouts or release them. A payout pays a partner's whole
 * balance, so no part of it may be claimed concurrently.
 */
export const lockPayouts = (workspaceId: string) =>
  sql<unknown>`select pg_advisory_xact_lock(hashtextextended(${`${workspaceId} payouts`}, 0))`
