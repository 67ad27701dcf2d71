/** Advisory locks. Each is released at the end of its batch. */
import { sql } from 'kysely'

/**
 * Serializes reports with an unknown identity and statements that tie the identity to a customer,
 * so that the later one sees the earlier one. The first statement of a batch, before row locks.
 * Sorted, so that batches with several identities cannot deadlock.
 *
 * @param strength `shared` to tie identities, `exclusive` to record something under one of them
 */
export const lockIdentities = (
  workspaceId: string,
  identities: { kind: string; value: string }[],
  strength: 'shared' | 'exclusive',
) =>
  sql<unknown>`select lock_identities(${workspaceId}, ${JSON.stringify(identities)}, ${strength === 'exclusive'})`

/**
 * Locks the customers with these identities: none of them is merged before the end of the batch. A
 * statement that waits for one of them continues with the customer that it has found, even if that
 * one is merged meanwhile.
 */
export const lockCustomers = (workspaceId: string, identities: { kind: string; value: string }[]) =>
  sql<unknown>`select lock_customers(${workspaceId}, ${JSON.stringify(identities)}::jsonb)`

/**
 * The same, for identities of different customers. Rolls the batch back if two of them are of one
 * customer now.
 */
export const lockCustomersEach = (
  workspaceId: string,
  identities: { kind: string; value: string }[],
) =>
  sql<unknown>`select assert_unchanged(${identities.length} = coalesce(
    cardinality(lock_customers(${workspaceId}, ${JSON.stringify(identities)}::jsonb)), 0))`

/** Locks a customer. Rolls the batch back if the customer was merged since the read. */
export const lockUnmerged = (workspaceId: string, id: string) => sql<unknown>`
  select assert_unchanged(exists (
    select from customers where workspace_id = ${workspaceId} and id = ${id}::uuid and merged_into is null for update))`

/**
 * Serializes statements that assign commissions to payouts or release them. A payout pays a
 * partner's whole balance, so no part of it may be claimed concurrently.
 */
export const lockPayouts = (workspaceId: string) =>
  sql<unknown>`select pg_advisory_xact_lock(hashtextextended(${`${workspaceId} payouts`}, 0))`

/**
 * Serializes statements that create partners or give them slugs. Imports of many partners could
 * deadlock, and no constraint keeps a slug unique across `partners` and `links`.
 */
export const lockPartners = (workspaceId: string) =>
  sql<unknown>`select pg_advisory_xact_lock(hashtextextended(${`partners.import ${workspaceId}`}, 0))`

/** Serializes the creation of workspaces, which is limited. */
export const lockSignup = sql<unknown>`select pg_advisory_xact_lock(hashtextextended('signup', 0))`
