/** Advisory locks. Each is released at the end of its batch. */
import { sql } from 'kysely'

/** Serializes the sales that came with a click, by a report and by a payment processor. */
export const lockClick = (workspaceId: string, clickId: string) =>
  sql<unknown>`select pg_advisory_xact_lock(hashtextextended(${`${workspaceId} click ${clickId}`}, 0))`

/** Locks per workspace. An import takes all of those of its addresses, and Postgres has a few thousand. */
const ADDRESS_LOCKS = 256

/**
 * Serializes what pays under an address with what says whose the address is, so that the one saved later sees the other. The
 * first statement of a batch, before it locks rows. Sorted, so that batches with several addresses cannot deadlock.
 *
 * @param who several reports may hold the lock of an address, or one payment
 */
export const lockAddresses = (workspaceId: string, addresses: string[], who: 'reports' | 'payment') =>
  sql<unknown>`
    select ${who === 'reports' ? sql`pg_advisory_xact_lock_shared(key)` : sql`pg_advisory_xact_lock(key)`}
    from (select distinct hashtextextended(${`${workspaceId} address`}, abs(hashtext(value)::bigint) % ${ADDRESS_LOCKS}) as key
          from jsonb_array_elements_text(${JSON.stringify(addresses)}::jsonb) order by key) locks`

/**
 * Serializes the statements that assign commissions to payouts or release them. A payout pays a partner's whole
 * balance, so no part of it may be claimed concurrently.
 */
export const lockPayouts = (workspaceId: string) =>
  sql<unknown>`select pg_advisory_xact_lock(hashtextextended(${`${workspaceId} payouts`}, 0))`
