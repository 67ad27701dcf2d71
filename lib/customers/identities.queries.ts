/** Identities as parts of statements. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Evidence, Identity } from './identities.ts'

/** Broken by a concurrent write that gives a strong identity to another customer. */
export const IDENTITY_KEY = 'customer_identities_workspace_id_kind_value_key'

/** The id of the customer with a strong identity. The condition on the kind is the predicate of the index. */
export const customerIdBy = (workspaceId: RawBuilder<unknown>, { kind, value }: Identity) => sql`
  select ci.customer_id from customer_identities ci
  where ci.workspace_id = ${workspaceId} and ci.kind = ${kind} and ci.value = ${value} and ci.kind <> 'email'`

/** Whether a customer, `cu`, is known by this value: by any id, or as a guest by an address. */
export const isKnownBy = (workspaceId: string, value: string) => sql<SqlBool>`cu.id in (
  select customer_id from customer_identities
  where workspace_id = ${workspaceId} and value = ${value} and kind <> 'email')`

/** Whether a customer, `cu`, has this address, as the merchant reported it or as it was typed into a checkout. */
export const hasEmail = (workspaceId: string, email: string) => sql<SqlBool>`cu.id in (
  select customer_id from customer_identities where workspace_id = ${workspaceId} and value = ${email} and kind = 'email'
  union select id from customers where workspace_id = ${workspaceId} and email = ${email})`

/**
 * Whether a commission, `c`, is of the customer who is known by this id. Commissions name the customer of the time when
 * they were made, who may have been merged since.
 */
export const isOfCustomer = (workspaceId: string, value: string) => sql<SqlBool>`c.customer_id in (
  with found as (
    select customer_id as id from customer_identities
    where workspace_id = ${workspaceId} and value = ${value} and kind <> 'email'
  )
  select id from found union select merged.id from found join customers merged on merged.merged_into = found.id)`

/**
 * Adds the identities that a report names to the customers of a part of the statement, `customer`. Fails with IDENTITY_KEY if one of them belongs
 * to another customer.
 */
export const insertIdentities = (
  workspaceId: string,
  identities: Identity[],
  { source, evidence }: Evidence,
  now: Date,
) =>
  identities.length === 0
    ? sql`select`
    : sql`
      insert into customer_identities (workspace_id, customer_id, kind, value, source, evidence, created_at)
      select ${workspaceId}::uuid, customer.id, i.kind, i.value, ${source}, ${evidence}, ${now}::timestamptz
      from customer, jsonb_to_recordset(${JSON.stringify(identities)}::jsonb) as i (kind text, value text)
      on conflict (customer_id, kind, value) do update set source = excluded.source, evidence = excluded.evidence
        where customer_identities.kind = 'email' and customer_identities.source = 'import'`
