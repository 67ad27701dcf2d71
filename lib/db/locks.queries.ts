/** Advisory locks. Each is released at the end of its batch. */
import { sql } from 'kysely'

/** Serializes the sales that came with a click, by a report and by a payment processor. */
export const lockClick = (workspaceId: string, clickId: string) =>
  sql<unknown>`select pg_advisory_xact_lock(hashtextextended(${`${workspaceId} click ${clickId}`}, 0))`

/**
 * Serializes the statements that assign commissions to payouts or release them. A payout pays a partner's whole
 * balance, so no part of it may be claimed concurrently.
 */
export const lockPayouts = (workspaceId: string) =>
  sql<unknown>`select pg_advisory_xact_lock(hashtextextended(${`${workspaceId} payouts`}, 0))`
