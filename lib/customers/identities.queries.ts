/** Identities as parts of statements. */
import { type SqlBool, sql } from 'kysely'
import { erasedMark } from '../rules/identities/identities.ts'

/** An address, or null where an erasure has replaced it by a mark. */
export const unlessErased = (column: string) =>
  sql<
    string | null
  >`case when ${sql.ref(column)} not like ${erasedMark('%')} then ${sql.ref(column)} end`

/**
 * Whether an identity, `i`, is listed: an erased address ties purchases and names nobody. An id
 * that was an address stays an id, by which its sales are found.
 */
export const isListed = sql<SqlBool>`not (i.kind = 'email' and i.value like ${erasedMark('%')})`

/** Whether a customer, `cu`, is known by this value: by any id, or as a guest by an address. */
export const isKnownBy = (workspaceId: string, value: string) => sql<SqlBool>`cu.id in (
  select customer_id from customer_identities
  where workspace_id = ${workspaceId} and value = ${value} and kind <> 'email')`

/** Whether a customer, `cu`, has this address: reported, or typed into a checkout. */
export const hasEmail = (workspaceId: string, email: string) => sql<SqlBool>`cu.id in (
  select customer_id from customer_identities where workspace_id = ${workspaceId} and value = ${email} and kind = 'email'
  union select id from customers where workspace_id = ${workspaceId} and email = ${email})`

/**
 * Whether a commission, `c`, is of the customer who is known by this id. Commissions name the
 * customer of the time when they were made, who may have been merged since.
 */
export const isOfCustomer = (workspaceId: string, value: string) => sql<SqlBool>`c.customer_id in (
  with found as (
    select customer_id as id from customer_identities
    where workspace_id = ${workspaceId} and value = ${value} and kind <> 'email'
  )
  select id from found union select merged.id from found join customers merged on merged.merged_into = found.id)`
