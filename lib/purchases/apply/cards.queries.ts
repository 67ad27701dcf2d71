/** Payments that were made with the same card or bank account. */
import { sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import type { KnownFacts } from '../../rules/plans/plan.ts'
import type { Purchase } from '../../rules/plans/purchase.ts'
import { externalIdOf } from '../../rules/purchases/facts.ts'
import { textArray } from '../../tracking/events/received.queries.ts'

/**
 * Payments by others with one card, newest first: more than a family or a firm makes in a year. It
 * limits Stripe's test cards, with which everybody pays.
 */
const PAYMENTS = 50

/** The fingerprint in an event, `p`, as processor_events_fingerprint_idx has it. */
const FINGERPRINT = sql`(p.facts -> 0 ->> 'fingerprint')`

/** Payments by others with the cards of a purchase, `own`: its cards, keys and customer. */
const othersOf = (workspaceId: string) => sql`
  select o.keys, o.customer, o.facts -> 0 ->> 'billingEmail' as email
  from unnest(own.cards) as card (fingerprint)
  cross join lateral (
    select p.keys, p.customer, p.facts from processor_events p
    where p.workspace_id = ${workspaceId} and ${FINGERPRINT} = card.fingerprint
      and not p.keys && own.keys and (p.customer is null or p.customer is distinct from own.customer)
    order by p.id desc limit ${PAYMENTS}) o`

/** Who else has paid with the cards of a purchase, `wanted`, as one JSON value: see `SharedCard`. */
export const sharedCard = (workspaceId: string) => sql`(
  with own as (select wanted.cards, wanted.keys, wanted.customer),
  other as materialized (select o.* from own cross join lateral (${othersOf(workspaceId)}) o),
  payer as materialized (
    select distinct i.customer_id as id from other join customer_identities i
      on i.workspace_id = ${workspaceId} and i.value = other.customer
        and i.kind <> 'email' and i.kind <> 'guest')
  select jsonb_build_object('isShared', exists (select from other), 'emails', array(
    select email from other where email is not null
    union select c.email from payer join customers c on c.id = payer.id where c.email is not null
    union select i.value from payer join customer_identities i on i.customer_id = payer.id and i.kind = 'email')))`

/**
 * Marks the sales to be recomputed whose partner may be one of those who have paid with the same
 * card: those of the purchase itself, and of the others.
 *
 * @returns the customers of these sales
 */
export const markCardSales = async (
  db: Db,
  workspaceId: string,
  keys: string[],
  { cards, customer, email, billingEmails }: Purchase,
  { card, customer: known }: Pick<KnownFacts, 'card' | 'customer'>,
): Promise<string[]> => {
  const own = { cards, keys: keys.map(externalIdOf), customer }
  const emails = [email, ...billingEmails, ...(known?.emails ?? []), ...card.emails]
  const { rows } = await sql<{ id: string }>`
    with own as (
      select * from jsonb_to_record(${JSON.stringify(own)}::jsonb) as own (cards text[], keys text[], customer text)
    ), other as materialized (select o.* from own cross join lateral (${othersOf(workspaceId)}) o),
    address as materialized (select unnest(${textArray(emails.filter((one) => one !== null))}) as email),
    sale as (
      select e.* from (select keys from own union all select keys from other) paid
      join events e on e.workspace_id = ${workspaceId} and e.kind = 'sale' and e.external_id = any(paid.keys)
      union
      select e.* from other
      join customer_identities i on i.workspace_id = ${workspaceId} and i.value = other.customer
        and i.kind <> 'email' and i.kind <> 'guest'
      join events e on e.customer_id = i.customer_id and e.kind = 'sale'
    ), theirs as (
      select sale.customer_id, min(sale.occurred_at) as occurred_at
      from sale join partners p on p.id = sale.partner_id
      where sale.commission_id is not null and not sale.steps @> '[{"code": "self_referral"}]'
        and exists (
          select from address a
          where addresses_alike(p.email, a.email) or exists (
            select from former_partner_addresses f where f.partner_id = p.id and addresses_alike(f.email, a.email)))
      group by sale.customer_id
    ), locked as (
      select c.id, theirs.occurred_at from theirs join customers c on c.id = theirs.customer_id
      order by c.id for no key update of c
    )
    update customers c set replan_from = least(c.replan_from, locked.occurred_at), revision = c.revision + 1
    from locked where c.workspace_id = ${workspaceId} and c.id = locked.id
    returning c.id`.execute(db)
  return rows.map(({ id }) => id)
}
