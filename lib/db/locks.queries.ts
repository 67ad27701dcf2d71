/** Advisory locks. Each is released at the end of its batch. */
import { sql } from 'kysely'

/**
 * Serializes what is recorded under an identity whose customer is unknown with what says whose the
 * identity is, so that the one saved later sees the other. The first statement of a batch, before
 * it locks rows. Sorted, so that batches with several identities cannot deadlock.
 *
 * @param strength `shared` for what says whose they are, `exclusive` for what is recorded under one
 *   of them
 */
export const lockIdentities = (
  workspaceId: string,
  identities: { kind: string; value: string }[],
  strength: 'shared' | 'exclusive',
) =>
  sql<unknown>`select lock_identities(${workspaceId}, ${JSON.stringify(identities)}, ${strength === 'exclusive'})`

/**
 * Locks the customers who have these identities. None of them is merged into another one before the
 * end of the batch. A statement that waits for a customer itself goes on with the one that it has
 * found, though that one is merged meanwhile.
 */
export const lockCustomers = (workspaceId: string, identities: { kind: string; value: string }[]) =>
  sql<unknown>`select lock_customers(${workspaceId}, ${JSON.stringify(identities)}::jsonb)`

/**
 * The same of identities of one customer each. Rolls the batch back if two of them are of one by
 * now.
 */
export const lockCustomersEach = (
  workspaceId: string,
  identities: { kind: string; value: string }[],
) =>
  sql<unknown>`select assert_unchanged(${identities.length} = coalesce(
    cardinality(lock_customers(${workspaceId}, ${JSON.stringify(identities)}::jsonb)), 0))`

/**
 * Locks a customer, and rolls the batch back if it was merged into another one since it was read.
 */
export const lockUnmerged = (workspaceId: string, id: string) => sql<unknown>`
  select assert_unchanged(exists (
    select from customers where workspace_id = ${workspaceId} and id = ${id}::uuid and merged_into is null for update))`

/**
 * Serializes the statements that assign commissions to payouts or release them. A payout pays a
 * partner's whole balance, so no part of it may be claimed concurrently.
 */
export const lockPayouts = (workspaceId: string) =>
  sql<unknown>`select pg_advisory_xact_lock(hashtextextended(${`${workspaceId} payouts`}, 0))`

/**
 * Serializes what creates partners or gives them slugs. Imports take many at once, and would
 * deadlock without it; and a slug is either in `partners` or in `links`, which no constraint can
 * say.
 */
export const lockPartners = (workspaceId: string) =>
  sql<unknown>`select pg_advisory_xact_lock(hashtextextended(${`partners.import ${workspaceId}`}, 0))`

/** Serializes the creation of workspaces, which is limited. */
export const lockSignup = sql<unknown>`select pg_advisory_xact_lock(hashtextextended('signup', 0))`
