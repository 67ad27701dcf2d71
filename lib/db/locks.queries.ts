/** Advisory locks. Each is released at the end of its batch. */
import { sql } from 'kysely'

/** Serializes the sales that came with a click, by a report and by a payment processor. */
export const lockClick = (workspaceId: string, clickId: string) =>
  sql<unknown>`select pg_advisory_xact_lock(hashtextextended(${`${workspaceId} click ${clickId}`}, 0))`

/** Locks per workspace and kind of identity. An import takes all of those of its rows, and Postgres has a few thousand. */
const IDENTITY_LOCKS = 256

/**
 * Serializes what is recorded under an identity whose customer is unknown with what says whose the identity is, so that the
 * one saved later sees the other. The first statement of a batch, before it locks rows. Sorted, so that batches with several
 * identities cannot deadlock.
 *
 * @param strength `shared` for what says whose they are, `exclusive` for what is recorded under one of them
 */
export const lockIdentities = (
  workspaceId: string,
  identities: { kind: string; value: string }[],
  strength: 'shared' | 'exclusive',
) =>
  sql<unknown>`
    select ${strength === 'shared' ? sql`pg_advisory_xact_lock_shared(key)` : sql`pg_advisory_xact_lock(key)`}
    from (select distinct hashtextextended(${workspaceId} || ' ' || kind, abs(hashtext(value)::bigint) % ${IDENTITY_LOCKS}) as key
          from jsonb_to_recordset(${JSON.stringify(identities)}::jsonb) as i (kind text, value text) order by key) locks`

/**
 * Serializes the statements that assign commissions to payouts or release them. A payout pays a partner's whole
 * balance, so no part of it may be claimed concurrently.
 */
export const lockPayouts = (workspaceId: string) =>
  sql<unknown>`select pg_advisory_xact_lock(hashtextextended(${`${workspaceId} payouts`}, 0))`

/** Serializes the creation of workspaces, which is limited. */
export const lockSignup = sql<unknown>`select pg_advisory_xact_lock(hashtextextended('signup', 0))`
