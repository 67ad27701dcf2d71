/** Payments whose buyer typed an address that the merchant reported as a customer's. */
import { sql } from 'kysely'
import type { Db } from '../../db/connection.ts'

/** An event of a payment, in the order in which they occurred, and the ids of its purchase. */
export type AddressedPayment = { keys: string[]; occurredAt: Date; id: string }

/**
 * Finds the next payment that one of a customer's addresses may match, and moves the mark,
 * `addressed_from`, to it: the next request continues there after an interruption. It leaves out
 * payments of the customer itself, and payments from before it was referred.
 *
 * @param last the one found before
 * @returns undefined if none is left
 */
export const nextByAddress = async (
  db: Db,
  workspaceId: string,
  customerId: string,
  last: AddressedPayment | null,
): Promise<AddressedPayment | undefined> => {
  const { rows } = await sql<AddressedPayment>`
    with customer as (
      select c.id, c.addressed_from,
             coalesce(c.addressed_from = ${last?.occurredAt ?? null}::timestamptz, false) as is_continued
      from customers named join customers c on c.id = coalesce(named.merged_into, named.id)
      where named.workspace_id = ${workspaceId} and named.id = ${customerId} and c.addressed_from is not null
    ), next as materialized (
      select p.keys, p.occurred_at, p.id
      from customer c
      join customer_identities i on i.customer_id = c.id and i.kind = 'email'
      join processor_events p on p.workspace_id = ${workspaceId} and p.email = i.value and p.occurred_at >= c.addressed_from
      left join events s on s.id = p.event_id
      where is_matchable(p.keys, p.facts, p.outcome, s.id, s.partner_id, s.attributed_by::text, s.addressed_id)
        and s.customer_id is distinct from c.id
        and greatest(p.occurred_at, s.occurred_at) >= (select date_trunc('second', min(coalesce(r.clicked_at, r.referred_at)))
                              from referrals r where r.customer_id = c.id)
        and (not c.is_continued or (p.occurred_at, p.id) > (${last?.occurredAt ?? null}::timestamptz, ${last?.id ?? null}::uuid))
      order by p.occurred_at, p.id limit 1
    ), moved as (
      update customers set addressed_from = (select occurred_at from next)
      from customer c where customers.id = c.id and customers.addressed_from = c.addressed_from
    )
    select keys, occurred_at as "occurredAt", id from next
  `.execute(db)
  return rows[0]
}
