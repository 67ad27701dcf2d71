/** Locks that a batch takes first and that end with it. */
import { sql } from 'kysely'

/**
 * Serializes decisions about a customer's partner that depend on the present one.
 *
 * @param externalId the merchant's id of the customer, or the payment processor's
 */
export const lockCustomer = (workspaceId: string, externalId: string) =>
  sql<unknown>`select pg_advisory_xact_lock(hashtextextended(${`${workspaceId} ${externalId}`}, 0))`

/**
 * Lets what takes a workspace's commissions for payouts, or lets go of them, through one at a time: what a partner is
 * owed is a sum, and half of it may not be claimed while the other half is.
 */
export const lockPayouts = (workspaceId: string) =>
  sql<unknown>`select pg_advisory_xact_lock(hashtextextended(${`${workspaceId} payouts`}, 0))`
