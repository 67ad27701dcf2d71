/**
 * Pairs of customers whom a checkout names as one, and what managers decide about them.
 * docs/stripe.md, "Possible merges".
 */
import { sql } from 'kysely'
import { type Act, auditEntry } from '../audit/audit.queries.ts'
import type { Db } from '../db/connection.ts'
import { newId } from '../db/ids.ts'
import { isConflict } from '../db/neon.ts'
import type { PageRequest } from '../db/page-request.ts'
import type {
  MergeDecision,
  MergeStatus,
  PossibleMerge,
} from '../rules/identities/possible-merges.ts'

/** One of the two, as it is now. */
export type MergeSide = {
  id: string
  externalId: string
  email: string | null
  partnerId: string | null
  partnerSlug: string | null
  partnerName: string | null
  /** What it has paid, by currency. */
  paid: { currency: string; sales: number; amountCents: number }[]
}

export type PossibleMergeRow = {
  id: string
  status: MergeStatus
  /** Who paid, and whom the checkout names. */
  customer: MergeSide
  namedCustomer: MergeSide
  checkoutId: string
  /** The sale of the checkout, once it is known. */
  saleId: string | null
  createdAt: Date
  resolvedAt: Date | null
  resolvedBy: string | null
}

/** Saves a pair, once. */
export const savePossibleMerge = async (
  db: Db,
  workspaceId: string,
  pair: PossibleMerge & { checkoutId: string },
  now: Date,
): Promise<void> => {
  const { customerId, namedCustomerId, checkoutId } = pair
  await sql`
    insert into possible_merges
      (id, workspace_id, customer_id, named_customer_id, checkout_id, created_at)
    values (${newId()}, ${workspaceId}, ${customerId}, ${namedCustomerId}, ${checkoutId}, ${now})
    on conflict (customer_id, named_customer_id) do nothing`.execute(db)
}

/** A pair that an id or a manager has merged since is one customer. */
const STATUS = sql<MergeStatus>`
  case when coalesce(a.merged_into, a.id) = coalesce(b.merged_into, b.id) then 'merged'
       else coalesce(m.resolution, 'open') end`

const PAIRS = sql`
  possible_merges m
  join customers a on a.id = m.customer_id
  join customers b on b.id = m.named_customer_id`

const side = (customer: 'a' | 'b') => sql`(
  select jsonb_build_object(
    'id', c.id, 'externalId', c.external_id, 'email', c.email,
    'partnerId', p.id, 'partnerSlug', p.slug, 'partnerName', p.name,
    'paid', (select coalesce(jsonb_agg(jsonb_build_object(
               'currency', currency, 'sales', sales, 'amountCents', cents) order by currency), '[]')
             from (select e.currency, count(*) as sales, sum(e.amount_cents) as cents
                   from events e where e.customer_id = c.id and e.kind = 'sale'
                   group by e.currency) s))
  from customers c left join partners p on p.id = c.partner_id
  where c.id = coalesce(${sql.ref(`${customer}.merged_into`)}, ${sql.ref(`${customer}.id`)}))`

export type PossibleMergeFilter = PageRequest & { status?: MergeStatus | undefined; id?: string }

/** The pairs of a workspace, newest first. */
export const listPossibleMerges = async (
  db: Db,
  workspaceId: string,
  { id, status, cursor, limit }: PossibleMergeFilter,
): Promise<PossibleMergeRow[]> => {
  const { rows } = await sql<PossibleMergeRow>`
    select m.id, ${STATUS} as status, ${side('a')} as customer, ${side('b')} as "namedCustomer",
           m.checkout_id as "checkoutId",
           (select s.event_id from processor_events s
            where s.workspace_id = m.workspace_id and s.keys && array[m.checkout_id]
              and s.event_id is not null limit 1) as "saleId",
           m.created_at as "createdAt", m.resolved_at as "resolvedAt", m.resolved_by as "resolvedBy"
    from ${PAIRS}
    where m.workspace_id = ${workspaceId}
      ${id === undefined ? sql`` : sql`and m.id = ${id}`}
      ${status === undefined ? sql`` : sql`and ${STATUS} = ${status}`}
      ${status === 'open' ? sql`and m.resolved_at is null` : sql``}
      ${cursor === undefined ? sql`` : sql`and m.id < ${cursor}`}
    order by m.id desc limit ${limit}`.execute(db)
  return rows
}

/** @param id a UUID */
export const findPossibleMerge = async (
  db: Db,
  workspaceId: string,
  id: string,
): Promise<PossibleMergeRow | undefined> =>
  (await listPossibleMerges(db, workspaceId, { id, limit: 1 }))[0]

/** How many wait for a manager, as a query. @param limit the count stops there */
export const countPossibleMergesQuery = (workspaceId: string, limit: number) => sql<number>`(
  select count(*)::int from (
    select from ${PAIRS}
    where m.workspace_id = ${workspaceId} and m.resolved_at is null and ${STATUS} = 'open'
    limit ${limit}) m)`

/** One id of each of the two: tying them makes them one customer. */
const BOTH = sql`(
  select jsonb_agg(jsonb_build_object('kind', i.kind, 'value', i.value))
  from ${PAIRS}
  cross join lateral (values (coalesce(a.merged_into, a.id)), (coalesce(b.merged_into, b.id))) c (id)
  cross join lateral (select kind, value from customer_identities
                      where customer_id = c.id and kind <> 'email'
                      order by created_at, kind, value limit 1) i
  where m.id = pair.id)`

/**
 * Saves what a manager decides, and merges the customers or leaves them.
 *
 * @returns false if the pair was decided meanwhile
 */
export const savePairDecision = async (
  db: Db,
  act: Act,
  { id, customer, namedCustomer, checkoutId }: PossibleMergeRow,
  decision: MergeDecision,
): Promise<boolean> => {
  const { workspaceId, actor, now } = act
  const [subjectId = customer.id] = [customer.id, namedCustomer.id].sort()
  const merge = sql`
    select tie_customers(pair.workspace_id, ${BOTH}, 'purchase', ${checkoutId}, ${newId()},
                         ${now}::timestamptz)
    from possible_merges pair where pair.id = ${id}`
  try {
    await db.batch([
      sql`select assert_unchanged(exists (
            select from possible_merges
            where workspace_id = ${workspaceId} and id = ${id} and resolved_at is null for update))`.compile(
        db,
      ),
      ...(decision === 'merged' ? [merge.compile(db)] : []),
      db
        .updateTable('possible_merges')
        .set({ resolved_at: now, resolution: decision, resolved_by: actor })
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', id)
        .compile(),
      auditEntry(db, {
        ...act,
        action: decision === 'merged' ? 'customer.merged' : 'customer.merge_dismissed',
        subjectId,
        details: { externalId: customer.externalId, namedExternalId: namedCustomer.externalId },
      }).compile(),
    ])
    return true
  } catch (error) {
    if (isConflict(error)) return false
    throw error
  }
}
