/** What was paid to whom in a year. */
import { sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import type { PageRequest } from '../db/page-request.ts'

/** What a person was paid in a currency. */
export type PaidInYear = {
  /** One of the person's partners, the same for all currencies. */
  partnerId: string
  email: string
  name: string | null
  country: string | null
  vatId: string | null
  documentsReceived: boolean
  currency: string
  payouts: number
  stripeCents: bigint
  manualCents: bigint
  /** What came back or was reversed of these payouts, until now. */
  returnedCents: bigint
  netCents: bigint
}

/**
 * What each person was paid in a calendar year, in UTC, by address and currency. Partners of one
 * address are one person.
 *
 * @param page people, with all of their currencies, after the one of the partner `cursor`;
 *   everybody if undefined
 */
export const listPaidInYear = async (
  db: Db,
  workspaceId: string,
  year: number,
  { cursor, limit }: Partial<PageRequest> = {},
): Promise<PaidInYear[]> => {
  const isPaid = sql`po.paid_at >= make_timestamptz(${year}, 1, 1, 0, 0, 0, 'UTC')
                     and po.paid_at < make_timestamptz(${year + 1}, 1, 1, 0, 0, 0, 'UTC')`
  const isNext = cursor
    ? sql`and p.email > (select c.email from partners c where c.workspace_id = ${workspaceId} and c.id = ${cursor})`
    : sql``
  const { rows } = await sql<PaidInYear>`
    with people as materialized (
      -- Partners are read in order, program by program, and payouts looked up for one after the other, until the page is full.
      select distinct on (p.email) p.email, p.id as partner_id
      from programs g cross join lateral (
        select p.email, p.id from partners p
        where p.program_id = g.id ${isNext} and exists (select from payouts po where po.partner_id = p.id and ${isPaid} offset 0)
        order by p.email limit ${limit ?? null}::int) p
      where g.workspace_id = ${workspaceId}
      order by p.email, p.id limit ${limit ?? null}::int
    ), paid as (
      select p.email, people.partner_id, po.currency, count(*)::int as payouts, max(p.name) as name,
             bool_and(p.documents_received_at is not null) as documents,
             coalesce(sum(po.amount_cents) filter (where po.stripe_account_id is not null), 0)::bigint as stripe,
             coalesce(sum(po.amount_cents) filter (where po.stripe_account_id is null), 0)::bigint as manual,
             sum(case when po.returned_at is not null then po.amount_cents else po.reversed_cents end)::bigint as returned
      from people cross join lateral (
        select * from partners o where o.workspace_id = ${workspaceId} and o.email = people.email offset 0) p
      join payouts po on po.partner_id = p.id and ${isPaid}
      group by p.email, people.partner_id, po.currency
    )
    select paid.partner_id as "partnerId", paid.email, coalesce(y.name, paid.name) as name, y.country, y.vat_id as "vatId",
           paid.documents as "documentsReceived", paid.currency, paid.payouts, stripe as "stripeCents",
           manual as "manualCents", returned as "returnedCents", stripe + manual - returned as "netCents"
    from paid left join payees y on y.workspace_id = ${workspaceId} and y.email = paid.email
    order by paid.email, paid.currency`.execute(db)
  return rows
}

/** The years in which the workspace has paid anybody, newest first. */
export const listYears = async (db: Db, workspaceId: string): Promise<number[]> => {
  const { rows } = await sql<{ first: number; last: number }>`
    select extract(year from min(paid_at) at time zone 'UTC')::int as first,
           extract(year from max(paid_at) at time zone 'UTC')::int as last
    from payouts where workspace_id = ${workspaceId} and paid_at is not null
    having min(paid_at) is not null`.execute(db)
  return rows.flatMap(({ first, last }) =>
    Array.from({ length: last - first + 1 }, (_, back) => last - back),
  )
}
