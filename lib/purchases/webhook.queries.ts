/** What the webhook reads and writes of Stripe's events: whose they are, that they came, and what they led to. */
import { sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import { newId } from '../db/ids.ts'
import { isNamed } from '../workspace/workspaces.queries.ts'
import type { StripeOutcome } from './outcomes.ts'
import type { StripeEvent } from './stripe/events.schemas.ts'

/** Where a workspace's events arrive: by which secrets they are signed, and whether any has come yet. */
export type Endpoint = { workspaceId: string; secrets: string[]; isNew: boolean }

/** The endpoint of an address, a workspace's slug or id. Undefined for no such workspace. */
export const findEndpoint = (db: Db, address: string): Promise<Endpoint | undefined> =>
  db
    .selectFrom('workspaces as w')
    .where(isNamed(address))
    .select([
      'w.id as workspaceId',
      sql<
        string[]
      >`array(select ciphertext from stripe_secrets s where s.workspace_id = w.id order by s.slot)`.as(
        'secrets',
      ),
      sql<boolean>`not exists (select from stripe_events e where e.workspace_id = w.id and e.stripe_id not like 'reconcile\\_%')`.as(
        'isNew',
      ),
    ])
    .executeTakeFirst()

/**
 * Keeps an event, once.
 *
 * @returns its row, and whether it was worked through before
 */
export const saveStripeEvent = async (
  db: Db,
  workspaceId: string,
  event: StripeEvent,
  now: Date,
): Promise<{ id: string; isDone: boolean }> => {
  const { rows } = await sql<{ id: string; isDone: boolean }>`
    insert into stripe_events (id, workspace_id, stripe_id, type, livemode, customer, keys, facts, occurred_at, received_at)
    values (${newId()}, ${workspaceId}, ${event.stripeId}, ${event.type}, ${event.livemode}, ${event.customer},
            array(select jsonb_array_elements_text(${JSON.stringify(event.keys)}::jsonb)),
            ${JSON.stringify(event.facts)}::jsonb, ${event.occurredAt}, ${now})
    on conflict (workspace_id, stripe_id) do update set stripe_id = excluded.stripe_id
    returning id, outcome is not null as "isDone"
  `.execute(db)
  const [row] = rows
  if (!row) throw new Error('An insert that returns its row gave none.')
  return row
}

/**
 * Says what an event led to, which ends it. What was said once stays; but of two copies at once, the one that did
 * nothing may be the first to say so.
 */
export const saveOutcome = async (
  db: Db,
  { id, saleId, outcome }: { id: string; saleId: string | null; outcome: StripeOutcome },
): Promise<void> => {
  await db
    .updateTable('stripe_events')
    .set({ outcome: JSON.stringify(outcome), event_id: saleId })
    .where('id', '=', id)
    .where(sql<boolean>`coalesce(outcome ->> 'code', 'nothing_changed') = 'nothing_changed'`)
    .execute()
}

/** How many sales are found at once. */
const LATER_SALES = 20

/** That a customer of Stripe's was brought to a partner at some time. */
export type Brought = { customer: string; partnerId: string; at: Date }

/**
 * The next sales of a customer that were paid after a partner had brought it, but were told before that was known:
 * they are credited to nobody, or for the customer's sake to somebody else. The first first, by their external ids.
 *
 * @param besides sales that have been looked at
 */
export const laterSales = async (
  db: Db,
  workspaceId: string,
  { customer, partnerId, at }: Brought,
  besides: string[],
): Promise<string[]> => {
  const { rows } = await sql<{ externalId: string }>`
    select distinct e.occurred_at, e.external_id as "externalId"
    from stripe_events s
    join events e on e.workspace_id = s.workspace_id and e.kind = 'sale' and e.external_id = any(s.keys)
    where s.workspace_id = ${workspaceId} and s.customer = ${customer}
      and coalesce(e.attributed_by, 'customer') = 'customer' and e.partner_id is distinct from ${partnerId}
      and e.occurred_at >= ${at} and not ${JSON.stringify(besides)}::jsonb ? e.external_id
    order by e.occurred_at, e.external_id
    limit ${LATER_SALES}
  `.execute(db)
  return rows.map(({ externalId }) => externalId)
}
