/** What a comparison reads of both sides, and what it saves. */
import { sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import type { HoldReason } from '../../rules/steps/holds.ts'
import type { Step } from '../../rules/steps/steps.ts'
import type { Resolved } from '../changes.queries.ts'
import type { ShadowRun } from './compared-run.queries.ts'
import type { ComparedSale } from './comparison.ts'

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

/**
 * What both sides have in these buckets since the run began, and the newest uploaded time.
 *
 * @param resolved commissions whose buckets are not saved yet
 */
export const loadBuckets = async (
  db: Db,
  { workspaceId, programId, startedAt }: ShadowRun,
  buckets: string[],
  resolved: Resolved[],
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
           -- From the end of the index: what was compared has left dead entries at its beginning.
           coalesce((select true from platform_commissions t where t.program_id = ${programId} and t.partner_email = p.email
                     order by t.state desc limit 1), false) as "isPartnerThere",
           (select h.reason from commission_holds h where h.commission_id = c.id and h.resolved_at is null) as "heldFor",
           (e.partner_id is not null and p.id is null) as "isOfOtherProgram"
    from own e
    left join lateral (select * from commissions where id = e.commission_id and program_id = ${programId} offset 0) c on true
    left join lateral (select * from partners where id = e.partner_id and program_id = ${programId} offset 0) p on true
    where e.kind = 'sale' and is_counted(e.steps)`
  const there = sql<ThereRow>`
    with resolved as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(resolved)}::jsonb) as r (id uuid, "eventId" uuid, bucket text)
    ), own as (
      select c.id, c.event_id, c.bucket from ${given}
      cross join lateral (select id, event_id, bucket from platform_commissions where program_id = ${programId} and bucket = b.bucket offset 0) c
      where c.id not in (select id from resolved)
      union all
      select id, "eventId", bucket from resolved
    )
    select own.id, own.bucket, own.event_id as "eventId", c.sold_at as at, c.sale_cents as "saleCents", c.currency,
           c.amount_cents as "amountCents", c.state, c.partner_email as "partnerEmail",
           (own.event_id is null and exists (
              select from processor_events p
              where p.workspace_id = ${workspaceId} and p.outcome ->> 'code' = 'wrong_mode'
                and p.occurred_at between c.sold_at - interval '10 minutes' and c.sold_at + interval '10 minutes')) as "isOtherMode"
    from own cross join lateral (select * from platform_commissions where id = own.id offset 0) c
    where c.sold_at >= ${startedAt}::timestamptz or own.event_id is not null`
  const [heres, theres, [newest]] = await db.batch([
    here.compile(db),
    there.compile(db),
    sql<{
      at: Date | null
    }>`select max(sold_at) as at from platform_commissions where program_id = ${programId}`.compile(
      db,
    ),
  ])
  return { here: heres, there: theres, newestAt: newest?.at ?? null }
}

export type FoundStep = {
  buckets: string[]
  resolved: Resolved[]
  found: ComparedSale[]
  /** The new position in sales of ours; null if it has not moved. */
  after: string | null
  /** The last uploaded commission of the walk; null at its end. */
  waitingAfter: string | null
}

/**
 * Replaces the results of these buckets in one transaction, unless another comparison has leased
 * the run meanwhile. Commissions that have changed meanwhile are compared again. So are those whose
 * sale is of another customer now, who was not compared with them.
 */
export const saveComparisons = async (
  db: Db,
  { workspaceId, programId, owner, readAt }: ShadowRun,
  { buckets, resolved, found, after, waitingAfter }: FoundStep,
): Promise<void> => {
  const rows = JSON.stringify(found, (_, value) =>
    typeof value === 'bigint' ? String(value) : value,
  )
  const isOwn = sql`exists (
    select from shadow_runs where program_id = ${programId} and ended_at is null and compare_owner = ${owner}::uuid)`
  await db.batch([
    sql`update shadow_runs set compared_after = coalesce(${after}::uuid, compared_after), waiting_after = ${waitingAfter}::uuid
        where workspace_id = ${workspaceId} and program_id = ${programId} and ended_at is null and compare_owner = ${owner}::uuid`.compile(
      db,
    ),
    sql`delete from shadow_comparisons
        where program_id = ${programId} and bucket in (select jsonb_array_elements_text(${JSON.stringify(buckets)}::jsonb)) and ${isOwn}`.compile(
      db,
    ),
    sql`with moved as (
          delete from shadow_comparisons
          where program_id = ${programId} and ${isOwn}
            and event_id in (select r."eventId" from jsonb_to_recordset(${rows}::jsonb) as r ("eventId" uuid))
          returning platform_commission_id
        )
        update platform_commissions set compared_at = null where id in (select platform_commission_id from moved)`.compile(
      db,
    ),
    sql`insert into shadow_comparisons (id, workspace_id, program_id, bucket, event_id, platform_commission_id, day, here_at,
                                        outcome, reason, here_cents, here_currency, there_cents, there_currency, partner_id, compared_at)
        select r.id, ${workspaceId}::uuid, ${programId}::uuid, r.bucket, r."eventId", r."platformCommissionId", r.day, r."hereAt",
               r.outcome, r.reason, r."hereCents", r."hereCurrency", r."thereCents", r."thereCurrency", r."partnerId", ${readAt}::timestamptz
        from jsonb_to_recordset(${rows}::jsonb)
          as r(id uuid, bucket text, "eventId" uuid, "platformCommissionId" uuid, day date, "hereAt" timestamptz, outcome text,
               reason text, "hereCents" bigint, "hereCurrency" text, "thereCents" bigint, "thereCurrency" text, "partnerId" uuid)
        where ${isOwn}
        on conflict (program_id, id) do nothing`.compile(db),
    sql`update platform_commissions c set event_id = r."eventId", bucket = r.bucket, compared_at = ${readAt}::timestamptz
        from jsonb_to_recordset(${JSON.stringify(resolved)}::jsonb) as r (id uuid, "eventId" uuid, bucket text, version text)
        where c.id = r.id and c.xmin::text = r.version and ${isOwn}`.compile(db),
  ])
}
