/**
 * What a comparison reads and writes. Sales and commissions are compared by customer: all that is known of one customer, its
 * bucket, is compared at once, whenever something of it has changed.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import type { HoldReason } from '../tracking/holds.ts'
import type { Step } from '../tracking/steps.ts'
import type { ComparedSale } from './comparison.ts'

/** The shadow run that is compared. */
export type ShadowRun = {
  workspaceId: string
  programId: string
  startedAt: Date
  /** The last event or commission of ours that was compared. */
  comparedAfter: string | null
}

/** How long one comparison works on a run before another one may. A step takes less than a second. */
const LEASE = sql`interval '30 seconds'`

/** Takes the run for a comparison, or goes on with it. @returns undefined if another one works on it, or it has ended */
export const leaseRun = async (
  db: Db,
  workspaceId: string,
  programId: string,
  owner: string,
): Promise<ShadowRun | undefined> => {
  const { rows } = await sql<ShadowRun>`
    update shadow_runs set compare_owner = ${owner}::uuid, compare_until = now() + ${LEASE}
    where workspace_id = ${workspaceId} and program_id = ${programId} and ended_at is null
      and (compare_owner = ${owner}::uuid or compare_until is null or compare_until < now())
    returning workspace_id as "workspaceId", program_id as "programId", started_at as "startedAt",
              compared_after as "comparedAfter"`.execute(db)
  return rows[0]
}

/** Lets others go on. */
export const releaseRun = async (
  db: Db,
  { workspaceId, programId }: ShadowRun,
  owner: string,
): Promise<void> => {
  await sql`
    update shadow_runs set compare_until = null
    where workspace_id = ${workspaceId} and program_id = ${programId} and compare_owner = ${owner}::uuid`.execute(
    db,
  )
}

/** The bucket of the event `e`. */
const bucketOfEvent = sql`coalesce(e.customer_id::text, 'ext:' || e.customer_external_id)`

/** The event that the commission `c` names by one of its ids; of a purchase that is recorded twice, the one that is credited. */
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

/** The customer that the commission `c` names: by an id, else by an address that is of one customer. */
const namedCustomer = (workspaceId: string) => sql`
  select coalesce(
    (select i.customer_id from customer_identities i
     where i.workspace_id = ${workspaceId} and i.value = c.customer_ref and i.kind <> 'email' limit 1),
    (select min(i.customer_id::text)::uuid from customer_identities i
     where i.workspace_id = ${workspaceId} and i.kind = 'email' and i.value = c.customer_email
     having count(distinct i.customer_id) = 1)) as id`

/**
 * Finds again the sale and the bucket of commissions. @param which selects their ids @returns the buckets that they are in, and were in
 */
const resolve = (workspaceId: string, which: RawBuilder<unknown>) => sql<{
  bucket: string | null
  former: string | null
}>`
  with given as materialized (${which}), found as materialized (
    select c.id, named.id as event_id,
           coalesce((select ${bucketOfEvent} from events e where e.id = named.id), customer.id::text,
                    (select 'ext:' || c.customer_ref from events e
                     where e.workspace_id = ${workspaceId} and e.customer_external_id = c.customer_ref and e.customer_id is null
                       and e.kind = 'sale' limit 1),
                    'row:' || c.id) as bucket
    from given
    cross join lateral (select * from platform_commissions where id = given.id offset 0) c
    cross join lateral (${namedEvent(workspaceId)}) named
    cross join lateral (${namedCustomer(workspaceId)}) customer
  )
  update platform_commissions c set event_id = found.event_id, bucket = found.bucket, compared_at = now()
  from found where c.id = found.id
  returning new.bucket as bucket, old.bucket as former`

/** The buckets of the next commissions that were uploaded or changed, of which nothing else is marked as compared. */
export const takeUploaded = async (db: Db, { workspaceId, programId }: ShadowRun, limit: number) => {
  const next = sql`select id from platform_commissions
                   where program_id = ${programId} and compared_at is null order by id limit ${limit}`
  const { rows } = await resolve(workspaceId, next).execute(db)
  return { count: rows.length, buckets: bucketsOf(rows) }
}

const bucketsOf = (rows: { bucket: string | null; former: string | null }[]): string[] => [
  ...new Set(rows.flatMap(({ bucket, former }) => [bucket, former]).filter((bucket) => bucket !== null)),
]

/** The sales of ours that are new, or whose commissions are, after an id: at most `limit` of each. */
export const listChangedSales = async (
  db: Db,
  { workspaceId, programId }: ShadowRun,
  after: string,
  limit: number,
): Promise<{ id: string; by: string; kind: 'event' | 'commission' }[]> => {
  const { rows } = await sql<{ id: string; by: string; kind: 'event' | 'commission' }>`
    (select e.id, e.id as by, 'event' as kind from events e
     where e.workspace_id = ${workspaceId} and e.id > ${after}::uuid and e.kind = 'sale' order by e.id limit ${limit})
    union all
    (select c.event_id, c.id, 'commission' from commissions c
     where c.workspace_id = ${workspaceId} and c.id > ${after}::uuid and c.program_id = ${programId} and c.event_id is not null
     order by c.id limit ${limit})`.execute(db)
  return rows
}

/** The buckets of sales of ours, and of the commissions that may be of them. */
export const takeSales = async (
  db: Db,
  { workspaceId, programId }: ShadowRun,
  eventIds: string[],
): Promise<string[]> => {
  const ids = JSON.stringify(eventIds)
  const chosen = sql`
    chosen as materialized (
      select e.id, e.customer_id, e.external_id, e.customer_external_id, ${bucketOfEvent} as bucket
      from jsonb_array_elements_text(${ids}::jsonb) as own (id) join events e on e.id = own.id::uuid
      where e.workspace_id = ${workspaceId}
    )`
  const theirs = sql`
    with ${chosen}, named as (
      select external_id as id from chosen
      union
      select unnest(p.keys) from chosen cross join lateral (select keys from processor_events where event_id = chosen.id offset 0) p
    ), identities as (
      select i.kind, i.value from chosen join customer_identities i on i.customer_id = chosen.customer_id
      union all select 'external', customer_external_id from chosen where customer_id is null
    )
    select p.id from chosen cross join lateral (
      select id, program_id from platform_commissions where event_id = chosen.id offset 0) p
    where p.program_id = ${programId}
    union
    select p.id from named cross join lateral (
      select id, program_id from platform_commissions where sale_ids @> array[named.id] offset 0) p
    where p.program_id = ${programId}
    union
    select p.id from identities i cross join lateral (
      select id from platform_commissions where program_id = ${programId} and customer_ref = i.value and i.kind <> 'email'
      union all
      select id from platform_commissions where program_id = ${programId} and customer_email = i.value and i.kind = 'email'
      offset 0) p`
  const [own, resolved] = await db.batch([
    sql<{ bucket: string }>`with ${chosen} select distinct bucket from chosen`.compile(db),
    resolve(workspaceId, theirs).compile(db),
  ])
  return [...new Set([...own.map(({ bucket }) => bucket), ...bucketsOf(resolved)])]
}

/** The buckets of sales that were newer than what was uploaded, and are not any more. */
export const takeStale = async (db: Db, { programId }: ShadowRun, limit: number): Promise<string[]> => {
  const { rows } = await sql<{ bucket: string }>`
    select distinct bucket from (
      select bucket from shadow_comparisons
      where program_id = ${programId} and reason = 'not_uploaded_yet'
        and here_at <= (select max(sold_at) from platform_commissions where program_id = ${programId})
      limit ${limit}) stale`.execute(db)
  return rows.map(({ bucket }) => bucket)
}

/** A sale of ours as JSON: times and large numbers are text. */
export type HereRow = {
  id: string
  bucket: string
  at: Date
  amountCents: bigint
  currency: string
  steps: Step[]
  grossCents: bigint
  earnsCents: bigint
  earnsCurrency: string | null
  partnerId: string | null
  partnerEmail: string | null
  isPartnerThere: boolean
  heldFor: HoldReason | null
  isOfOtherProgram: boolean
}

export type ThereRow = {
  id: string
  bucket: string
  eventId: string | null
  at: Date
  saleCents: bigint | null
  currency: string
  amountCents: bigint
  state: string
  partnerEmail: string | null
  isOtherMode: boolean
}

/** All that both sides know of these buckets since the run began, and the newest time that was uploaded. */
export const loadBuckets = async (
  db: Db,
  { workspaceId, programId, startedAt }: ShadowRun,
  buckets: string[],
): Promise<{ here: HereRow[]; there: ThereRow[]; newestAt: Date | null }> => {
  const given = sql`jsonb_array_elements_text(${JSON.stringify(buckets)}::jsonb) as b (bucket)`
  const here = sql<HereRow>`
    with own as (
      select e.*, b.bucket from ${given}
      cross join lateral (
        select * from events where customer_id = case when b.bucket !~ '^(ext|row):' then b.bucket::uuid end
          and occurred_at >= ${startedAt}::timestamptz offset 0) e
      where e.workspace_id = ${workspaceId}
      union all
      select e.*, b.bucket from ${given}
      cross join lateral (
        select * from events where workspace_id = ${workspaceId} and customer_id is null and kind = 'sale'
          and customer_external_id = case when b.bucket like 'ext:%' then substr(b.bucket, 5) end offset 0) e
      where e.occurred_at >= ${startedAt}::timestamptz
    )
    select e.id, e.bucket, e.occurred_at as at, e.amount_cents as "amountCents", e.currency, e.steps,
           coalesce(c.amount_cents, 0)::bigint as "grossCents",
           coalesce(c.amount_cents + (select coalesce(sum(r.amount_cents), 0) from commissions r where r.reverses_id = c.id), 0)::bigint
             as "earnsCents",
           c.currency as "earnsCurrency", p.id as "partnerId", p.email as "partnerEmail",
           exists (select from platform_commissions t where t.program_id = ${programId} and t.partner_email = p.email) as "isPartnerThere",
           (select h.reason from commission_holds h where h.commission_id = c.id and h.resolved_at is null) as "heldFor",
           (e.partner_id is not null and p.id is null) as "isOfOtherProgram"
    from own e
    left join lateral (select * from commissions where id = e.commission_id and program_id = ${programId} offset 0) c on true
    left join lateral (select * from partners where id = e.partner_id and program_id = ${programId} offset 0) p on true
    where e.kind = 'sale' and is_counted(e.steps)`
  const there = sql<ThereRow>`
    select c.id, c.bucket, c.event_id as "eventId", c.sold_at as at, c.sale_cents as "saleCents", c.currency,
           c.amount_cents as "amountCents", c.state, c.partner_email as "partnerEmail",
           (c.event_id is null and exists (
              select from processor_events p
              where p.workspace_id = ${workspaceId} and p.outcome ->> 'code' = 'wrong_mode'
                and p.occurred_at between c.sold_at - interval '10 minutes' and c.sold_at + interval '10 minutes')) as "isOtherMode"
    from ${given}
    cross join lateral (select * from platform_commissions where program_id = ${programId} and bucket = b.bucket offset 0) c
    where c.sold_at >= ${startedAt}::timestamptz or c.event_id is not null`
  const [heres, theres, [newest]] = await db.batch([
    here.compile(db),
    there.compile(db),
    sql<{
      at: Date | null
    }>`select max(sold_at) as at from platform_commissions where program_id = ${programId}`.compile(db),
  ])
  return { here: heres, there: theres, newestAt: newest?.at ?? null }
}

/** Replaces what was found of these buckets. @param after up to where sales of ours are compared now; null if that has not moved */
export const saveComparisons = async (
  db: Db,
  { workspaceId, programId }: ShadowRun,
  buckets: string[],
  found: ComparedSale[],
  after: string | null,
): Promise<void> => {
  const rows = JSON.stringify(found, (_, value) => (typeof value === 'bigint' ? String(value) : value))
  await db.batch([
    sql`delete from shadow_comparisons where program_id = ${programId}
        and bucket in (select jsonb_array_elements_text(${JSON.stringify(buckets)}::jsonb))`.compile(db),
    sql`insert into shadow_comparisons (id, workspace_id, program_id, bucket, event_id, platform_commission_id, day, here_at,
                                        outcome, reason, here_cents, here_currency, there_cents, there_currency, partner_id)
        select r.id, ${workspaceId}::uuid, ${programId}::uuid, r.bucket, r."eventId", r."platformCommissionId", r.day, r."hereAt",
               r.outcome, r.reason, r."hereCents", r."hereCurrency", r."thereCents", r."thereCurrency", r."partnerId"
        from jsonb_to_recordset(${rows}::jsonb)
          as r(id uuid, bucket text, "eventId" uuid, "platformCommissionId" uuid, day date, "hereAt" timestamptz, outcome text,
               reason text, "hereCents" bigint, "hereCurrency" text, "thereCents" bigint, "thereCurrency" text, "partnerId" uuid)
        on conflict (program_id, id) do nothing`.compile(db),
    ...(after === null
      ? []
      : [
          sql`update shadow_runs set compared_after = ${after}::uuid
              where workspace_id = ${workspaceId} and program_id = ${programId} and ended_at is null`.compile(
            db,
          ),
        ]),
  ])
}
