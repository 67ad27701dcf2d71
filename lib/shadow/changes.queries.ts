/**
 * What is to be compared: commissions that were uploaded, and sales of ours that are new or have
 * changed. Sales and commissions are compared by customer: all that is known of one customer, its
 * bucket, is compared at once, whenever something of it has changed.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import type { Reason } from './comparison/compare.ts'
import type { ShadowRun } from './comparison/compared-run.queries.ts'

/** The bucket of the event `e`. */
const bucketOfEvent = sql`coalesce(e.customer_id::text, 'ext:' || e.customer_external_id)`

/**
 * The event that the commission `c` names by an id; of a purchase recorded twice, the credited one.
 */
const namedEvent = (workspaceId: string) => sql`
  select coalesce(
    (select case when is_counted(e.steps) then e.id else coalesce(
              (select o.id from jsonb_array_elements(e.steps) s
               cross join lateral (select id from events where workspace_id = ${workspaceId} and kind = 'sale'
                                     and external_id = s #>> '{facts,externalId}' offset 0) o
               where s ->> 'code' = 'same_purchase' limit 1), e.id) end
     from unnest(c.sale_ids) with ordinality as own (id, place)
     cross join lateral (select id, steps from events where workspace_id = ${workspaceId} and kind = 'sale'
                           and external_id = own.id offset 0) e
     order by own.place limit 1),
    (select p.event_id
     from (select event_id, workspace_id from processor_events where keys && c.sale_ids offset 0) p
     where p.workspace_id = ${workspaceId} and p.event_id is not null order by p.event_id limit 1)) as id`

/** The customer that the commission `c` names: by an id, else by an unambiguous address. */
const namedCustomer = (workspaceId: string) => sql`
  select coalesce(
    (select i.customer_id from customer_identities i
     where i.workspace_id = ${workspaceId} and i.value = c.customer_ref and i.kind <> 'email' limit 1),
    (select min(i.customer_id::text)::uuid from customer_identities i
     where i.workspace_id = ${workspaceId} and i.kind = 'email' and i.value = c.customer_email
     having count(distinct i.customer_id) = 1)) as id`

/** A commission with the sale of ours that it names, and its bucket. */
export type Resolved = {
  id: string
  eventId: string | null
  bucket: string
  /** Changes with the commission. */
  version: string
  /** The bucket in which it was compared last. */
  former: string | null
}

/**
 * Finds the sale and the bucket of commissions, and saves nothing. In the order in which uploads
 * lock them. @param which selects their ids
 */
const resolve = (workspaceId: string, which: RawBuilder<unknown>) => sql<Resolved>`
  with given as materialized (${which})
  select c.id, named.id as "eventId", c.xmin::text as version,
         (select r.bucket from shadow_comparisons r where r.platform_commission_id = c.id) as former,
         coalesce((select ${bucketOfEvent} from events e where e.id = named.id), customer.id::text,
                  (select 'ext:' || c.customer_ref from events e
                   where e.workspace_id = ${workspaceId} and e.customer_external_id = c.customer_ref and e.customer_id is null
                     and e.kind = 'sale' limit 1),
                  'row:' || c.id) as bucket
  from given
  cross join lateral (select *, xmin from platform_commissions where id = given.id offset 0) c
  cross join lateral (${namedEvent(workspaceId)} offset 0) named
  cross join lateral (${namedCustomer(workspaceId)} offset 0) customer
  order by c.key`

/**
 * The next commissions that were uploaded or changed, in a walk by their ids: at its beginning, the
 * index has a dead entry of each that was compared, for as long as an older transaction is open.
 * The next walk finds those that have changed behind it.
 */
export const listUploaded = async (
  db: Db,
  { workspaceId, programId, waitingAfter }: ShadowRun,
  limit: number,
): Promise<Resolved[]> => {
  const next = (after: string | null) => sql`
    select id from platform_commissions
    where program_id = ${programId} and compared_at is null and (${after}::uuid is null or id > ${after}::uuid) order by id limit ${limit}`
  const { rows } = await resolve(workspaceId, next(waitingAfter)).execute(db)
  return rows.length > 0 || waitingAfter === null
    ? rows
    : (await resolve(workspaceId, next(null)).execute(db)).rows
}

/**
 * A sale in Tributary.
 *
 * @property by the ID that dates its last change: its own, or that of a newer commission of it
 */
export type ChangedSale = { id: string; by: string }

/**
 * The sales of ours that are new, or whose commissions are, after an id: at most `limit` of each.
 * In the order of the indexes, in which it ends soon: without statistics Postgres would sort all
 * that is left, at each step.
 */
export const listChangedSales = async (
  db: Db,
  { workspaceId, programId }: ShadowRun,
  after: string,
  limit: number,
): Promise<(ChangedSale & { kind: 'event' | 'commission' })[]> => {
  const [, , sales] = await db.batch([
    sql`set local enable_sort to off`.compile(db),
    sql`set local enable_bitmapscan to off`.compile(db),
    sql<ChangedSale & { kind: 'event' | 'commission' }>`
      (select e.id, e.id as by, 'event' as kind from events e
       where e.workspace_id = ${workspaceId} and e.id > ${after}::uuid and e.kind = 'sale' order by e.id limit ${limit})
      union all
      (select c.event_id, c.id, 'commission' from commissions c
       where c.workspace_id = ${workspaceId} and c.id > ${after}::uuid and c.program_id = ${programId} and c.event_id is not null
       order by c.id limit ${limit})`.compile(db),
  ])
  return sales
}

export type Stale = { buckets: string[]; resolved: Resolved[] }

/**
 * The buckets of sales of ours, and the commissions that may be of them, but for those that were
 * compared when the change had been committed for certain: a transaction may commit an id that is
 * `lateMs` old.
 */
export const findStale = async (
  db: Db,
  { workspaceId, programId }: ShadowRun,
  sales: ChangedSale[],
  lateMs: number,
): Promise<Stale> => {
  const chosen = sql`
    chosen as materialized (
      select e.id, e.customer_id, e.external_id, e.customer_external_id, ${bucketOfEvent} as bucket,
             uuid_extract_timestamp(own.by) + ${lateMs} * interval '1 ms' as committed_at
      from jsonb_to_recordset(${JSON.stringify(sales)}::jsonb) as own (id uuid, by uuid)
      cross join lateral (select * from events where id = own.id offset 0) e
      where e.workspace_id = ${workspaceId}
    )`
  const buckets = sql<{ bucket: string }>`
    with ${chosen}
    select distinct c.bucket from chosen c
    where not exists (select from shadow_comparisons r
                      where r.program_id = ${programId} and r.event_id = c.id and r.bucket = c.bucket and r.compared_at >= c.committed_at)`
  const theirs = sql`
    with ${chosen}, named as (
      select external_id as id, committed_at from chosen
      union all
      select unnest(p.keys), committed_at from chosen
      cross join lateral (select keys from processor_events where event_id = chosen.id offset 0) p
    ), identities as (
      select i.kind, i.value, committed_at from chosen
      cross join lateral (select kind, value from customer_identities where customer_id = chosen.customer_id offset 0) i
      union all select 'external', customer_external_id, committed_at from chosen where customer_id is null
    )
    select p.id from chosen c cross join lateral (
      select id, program_id, compared_at from platform_commissions where event_id = c.id offset 0) p
    where p.program_id = ${programId} and p.compared_at < c.committed_at
    union
    select p.id from named n cross join lateral (
      select id, program_id, compared_at from platform_commissions where sale_ids @> array[n.id] offset 0) p
    where p.program_id = ${programId} and p.compared_at < n.committed_at
    union
    select p.id from identities i cross join lateral (
      select id, compared_at from platform_commissions where program_id = ${programId} and customer_ref = i.value and i.kind <> 'email'
      union all
      select id, compared_at from platform_commissions where program_id = ${programId} and customer_email = i.value and i.kind = 'email'
      offset 0) p
    where p.compared_at < i.committed_at`
  const [own, resolved] = await db.batch([
    buckets.compile(db),
    resolve(workspaceId, theirs).compile(db),
  ])
  return { buckets: own.map(({ bucket }) => bucket), resolved }
}

/**
 * The buckets of sales whose partner is now named, or not named, by a commission, which may be of
 * another customer.
 *
 * @param reason of sales that were compared when that was not so
 */
const ofPartners = (programId: string, reason: Reason, isNamed: boolean, limit: number) => sql`
  select r.bucket
  from (select distinct partner_id as id from shadow_comparisons where program_id = ${programId} and reason = ${reason}) compared
  cross join lateral (
    select from partners p
    where p.id = compared.id
      and exists (select from platform_commissions c where c.program_id = ${programId} and c.partner_email = p.email) = ${isNamed}
    offset 0) changed
  cross join lateral (
    select bucket from shadow_comparisons
    where program_id = ${programId} and partner_id = compared.id and reason = ${reason} offset 0) r
  limit ${limit}`

/**
 * The buckets of three kinds of sales: those that were newer than the uploaded commissions, and are
 * not any more; those whose partner is now named by a commission; and those whose partner is not
 * named any more.
 */
export const takeStale = async (
  db: Db,
  { programId }: ShadowRun,
  limit: number,
): Promise<string[]> => {
  const { rows } = await sql<{ bucket: string }>`
    select bucket from (
      select bucket from shadow_comparisons
      where program_id = ${programId} and reason = 'not_uploaded_yet'
        and here_at <= (select max(sold_at) from platform_commissions where program_id = ${programId})
      limit ${limit}) overtaken
    union
    select bucket from (${ofPartners(programId, 'partner_not_there', true, limit)}) named
    union
    select bucket from (${ofPartners(programId, 'not_reported_there', false, limit)}) unnamed`.execute(
    db,
  )
  return rows.map(({ bucket }) => bucket)
}
