/** Payments whose buyer typed an address that the merchant reported as a customer's. */
import { sql } from 'kysely'
import type { Db } from '../db/connection.ts'

/** Whether a processor's event, `event`, is of a payment that nobody is credited with: its sale, `sale`, or one that is not recorded yet. */
export const isUncredited = (event: string, sale: string) => {
  const [p, s] = [sql.ref(event), sql.ref(sale)]
  return sql`cardinality(${p}.keys) > 0 and (
    coalesce(${p}.outcome ->> 'code', 'waiting') = 'waiting' or ${s}.id is not null and ${s}.partner_id is null)`
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/** An event of a payment, and the ids of its purchase. Events are found in the order in which they occurred. */
export type AddressedPayment = { keys: string[]; occurredAt: Date; id: string }

/**
 * Finds the next uncredited payment with one of a customer's addresses, from the earliest time on at which the customer is
 * known to have been referred. Those of the customer itself are not among them.
 *
 * @param after the one found before
 */
export const nextByAddress = async (
  db: Db,
  workspaceId: string,
  customerId: string,
  after: AddressedPayment | null,
): Promise<AddressedPayment | undefined> => {
  const { rows } = await sql<AddressedPayment>`
    with customer as (
      select coalesce(merged_into, id) as id from customers where workspace_id = ${workspaceId} and id = ${customerId}
    )
    select p.keys, p.occurred_at as "occurredAt", p.id
    from customer c
    join customer_identities i on i.customer_id = c.id and i.kind = 'email'
    join processor_events p on p.workspace_id = ${workspaceId} and p.email = i.value
    left join events s on s.id = p.event_id
    where ${isUncredited('p', 's')} and s.customer_id is distinct from c.id
      and p.occurred_at >= (select date_trunc('second', min(coalesce(r.clicked_at, r.referred_at)))
                            from referrals r where r.customer_id = c.id)
      and (p.occurred_at, p.id) > (${after?.occurredAt ?? new Date(0)}::timestamptz, ${after?.id ?? FIRST_ID}::uuid)
    order by p.occurred_at, p.id limit 1
  `.execute(db)
  return rows[0]
}
