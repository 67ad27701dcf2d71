/** The results of a shadow run, as managers read them. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import type { PageRequest } from '../../db/page-request.ts'
import type { Outcome, Reason } from './compare.ts'

/** The progress of a shadow run. */
export type ShadowState = {
  startedAt: Date
  endedAt: Date | null
  uploaded: number
  /** Those that are not compared yet. */
  waiting: number
  newestSoldAt: Date | null
}

/** The total of one outcome in one currency. Each side counts in its own currency. */
export type OutcomeSum = {
  outcome: Outcome
  currency: string
  sales: number
  hereCents: bigint
  thereCents: bigint
}

/** Days, both included: `2026-01-31`. */
export type Days = { from?: string | undefined; to?: string | undefined }

const within = ({ from, to }: Days) => sql`
  (${from ?? null}::date is null or r.day >= ${from ?? null}::date) and (${to ?? null}::date is null or r.day <= ${to ?? null}::date)`

/** Each side of the results `r`, in its own currency. A sale counts once. */
const sides = sql`
  cross join lateral (
    select coalesce(r.here_currency, r.there_currency) as currency, 1 as sales, coalesce(r.here_cents, 0) as here,
           case when r.here_currency is distinct from r.there_currency and r.here_currency is not null then 0
                else coalesce(r.there_cents, 0) end as there
    union all
    select r.there_currency, 0, 0, r.there_cents where r.here_currency <> r.there_currency) side`

const SUMS = sql`
  sum(side.sales)::int as sales, sum(side.here)::bigint as "hereCents", sum(side.there)::bigint as "thereCents"`

const stateQuery = (workspaceId: string, programId: string) => sql<ShadowState>`
  select r.started_at as "startedAt", r.ended_at as "endedAt",
         (select count(*) from platform_commissions where program_id = r.program_id)::int as uploaded,
         (select count(*) from platform_commissions where program_id = r.program_id and compared_at is null)::int as waiting,
         (select max(sold_at) from platform_commissions where program_id = r.program_id) as "newestSoldAt"
  from shadow_runs r where r.workspace_id = ${workspaceId} and r.program_id = ${programId}
  order by r.started_at desc limit 1`

const sumsQuery = (workspaceId: string, programId: string, days: Days) => sql<OutcomeSum>`
  select r.outcome, side.currency, ${SUMS}
  from shadow_comparisons r ${sides}
  where r.workspace_id = ${workspaceId} and r.program_id = ${programId} and ${within(days)}
  group by r.outcome, side.currency order by r.outcome, side.currency`

/** The latest shadow run of a program, with sums by outcome; undefined without a run. */
export const readShadowState = async (
  db: Db,
  workspaceId: string,
  programId: string,
  days: Days = {},
) => {
  const [[state], sums] = await db.batch([
    stateQuery(workspaceId, programId).compile(db),
    sumsQuery(workspaceId, programId, days).compile(db),
  ])
  return state && { state, sums }
}

export type DaySum = Omit<OutcomeSum, 'outcome'> & { day: string; differences: number }

/** The days of a period, newest first. */
export const listDays = async (
  db: Db,
  workspaceId: string,
  programId: string,
  days: Days,
  limit: number,
): Promise<DaySum[]> => {
  const { rows } = await sql<DaySum>`
    select r.day::text, side.currency, ${SUMS}, sum(case when r.outcome <> 'same' then side.sales else 0 end)::int as differences
    from shadow_comparisons r ${sides}
    where r.workspace_id = ${workspaceId} and r.program_id = ${programId} and ${within(days)}
    group by r.day, side.currency order by r.day desc, side.currency limit ${limit}`.execute(db)
  return rows
}

export type ComparisonFilter = PageRequest &
  Days & {
    outcome?: Outcome | undefined
    reason?: Reason | undefined
    partnerId?: string | undefined
  }

export type ComparisonRow = {
  id: string
  day: string
  outcome: Outcome
  reason: Reason | null
  eventId: string | null
  saleExternalId: string | null
  partnerId: string | null
  partnerEmail: string | null
  hereCents: bigint | null
  hereCurrency: string | null
  thereKey: string | null
  therePartnerEmail: string | null
  thereSaleIds: string[] | null
  soldAt: Date | null
  thereCents: bigint | null
  thereCurrency: string | null
}

const matches = (filter: ComparisonFilter): RawBuilder<unknown> => {
  const { outcome, reason, partnerId } = filter
  return sql.join(
    [
      within(filter),
      ...(outcome ? [sql`r.outcome = ${outcome}`] : []),
      ...(reason ? [sql`r.reason = ${reason}`] : []),
      ...(partnerId ? [sql`r.partner_id = ${partnerId}`] : []),
    ],
    sql` and `,
  )
}

/** The results of a program, newest day first. The cursor is the last id of the page before. */
export const listComparisons = async (
  db: Db,
  workspaceId: string,
  programId: string,
  filter: ComparisonFilter,
): Promise<ComparisonRow[]> => {
  const { cursor, limit } = filter
  const isNext = cursor
    ? sql`(r.day, r.id) < (select day, id from shadow_comparisons where program_id = ${programId} and id = ${cursor})`
    : sql`true`
  const { rows } = await sql<ComparisonRow>`
    select r.id, r.day::text, r.outcome, r.reason, r.event_id as "eventId", e.external_id as "saleExternalId",
           r.partner_id as "partnerId", p.email as "partnerEmail", r.here_cents as "hereCents", r.here_currency as "hereCurrency",
           t.key as "thereKey", t.partner_email as "therePartnerEmail", t.sale_ids as "thereSaleIds", t.sold_at as "soldAt",
           r.there_cents as "thereCents", r.there_currency as "thereCurrency"
    from (select r.* from shadow_comparisons r
          where r.workspace_id = ${workspaceId} and r.program_id = ${programId} and ${matches(filter)} and ${isNext}
          order by r.day desc, r.id desc limit ${limit}) r
    left join events e on e.id = r.event_id
    left join partners p on p.id = r.partner_id
    left join platform_commissions t on t.id = r.platform_commission_id
    order by r.day desc, r.id desc`.execute(db)
  return rows
}

/** How many results have each reason, most frequent first. */
export const listReasons = async (
  db: Db,
  workspaceId: string,
  programId: string,
  days: Days,
): Promise<{ outcome: Outcome; reason: Reason; sales: number }[]> => {
  const { rows } = await sql<{ outcome: Outcome; reason: Reason; sales: number }>`
    select r.outcome, r.reason, count(*)::int as sales from shadow_comparisons r
    where r.workspace_id = ${workspaceId} and r.program_id = ${programId} and r.reason is not null and ${within(days)}
    group by r.outcome, r.reason order by sales desc, r.reason`.execute(db)
  return rows
}
