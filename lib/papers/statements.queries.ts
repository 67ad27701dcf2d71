/** The changes of a partner's balance, from the ledger. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import type { EntryKind, EntrySum, Month } from '../rules/statements/statements.ts'
import { NEVER } from '../rules/steps/commissions.ts'

/** Payouts that have changed the balance of a partner. */
const payoutsOf = (partnerId: RawBuilder<unknown>) => sql`
  select po.paid_at as at, 'payout' as kind, po.currency, -po.amount_cents as cents, po.id, po.reference
  from payouts po where po.partner_id = ${partnerId} and po.paid_at is not null
  union all
  select coalesce(po.returned_at, po.released_at), 'returned_payout', po.currency, po.amount_cents, po.id, po.reference
  from payouts po
  where po.partner_id = ${partnerId} and po.paid_at is not null and num_nonnulls(po.returned_at, po.released_at) > 0`

/** The changes by commissions, by month and kind: folded totals and unfolded deltas. */
const earningsOf = (partner: RawBuilder<unknown>) => sql`
  select t.starts_on as at, t.value as kind, t.currency, t.amount_cents as cents from totals t
  where t.of_id = (select id from ${partner}) and t.dimension = 'kind'
  union all
  select t.entered_on, t.kind, t.currency, t.open_cents + t.claimed_cents from total_deltas t
  where t.workspace_id = (select workspace_id from ${partner}) and t.partner_id = (select id from ${partner})
    and t.entered_on is not null`

/** One line of a statement. */
export type Entry = {
  at: string
  kind: EntryKind
  currency: string
  cents: bigint
  id: string
  /** Of a payout. */
  reference: string | null
}

export type StatementPartner = {
  id: string
  name: string | null
  email: string
  program: string
  workspace: string
  createdAt: Date
}

const partnerQuery = (db: Db, id: string) =>
  db
    .selectFrom('partners as p')
    .innerJoin('programs as g', 'g.id', 'p.program_id')
    .innerJoin('workspaces as w', 'w.id', 'p.workspace_id')
    .where('p.id', '=', id)
    .select([
      'p.id',
      'p.name',
      'p.email',
      'g.name as program',
      'w.name as workspace',
      'p.created_at as createdAt',
    ])

/**
 * A partner's sums and lines of a month, in one database round trip.
 *
 * @param of    the workspace or the address that the partner must belong to
 * @param id    a UUID
 * @param limit of lines
 * @returns undefined if there is no such partner
 */
export const readStatement = async (
  db: Db,
  of: { workspaceId: string } | { email: string },
  id: string,
  { start, end }: Month,
  limit: number,
) => {
  const isOwn =
    'workspaceId' in of
      ? sql<boolean>`p.workspace_id = ${of.workspaceId}`
      : sql<boolean>`p.email = ${of.email}`
  const own = sql`(select p.id, p.workspace_id from partners p where p.id = ${id} and ${isOwn}) own`
  const ownId = sql`(select id from ${own})`
  const firstDay = sql`${start.toISOString().slice(0, 10)}::date`
  const [[partner], sums, lines] = await db.batch([
    partnerQuery(db, id).where(isOwn).compile(),
    sql<EntrySum>`
      select currency, kind, coalesce(sum(cents) filter (where is_before), 0)::bigint as "beforeCents",
             coalesce(sum(cents) filter (where not is_before), 0)::bigint as cents
      from (
        select kind, currency, cents, at < ${firstDay} as is_before from (${earningsOf(own)}) as earnings
        where at < ${firstDay} + interval '1 month'
        union all
        select kind, currency, cents, at < ${start}::timestamptz from (${payoutsOf(ownId)}) as payouts
        where at < ${end}::timestamptz) as entries
      group by currency, kind order by currency`.compile(db),
    sql<Entry>`
      select to_char(at at time zone 'UTC', 'YYYY-MM-DD') as at, kind, currency, cents, id, reference
      from (
        (select c.created_at as at, c.kind, c.currency, c.amount_cents as cents, c.id, null::text as reference
         from commissions c
         where c.partner_id = ${ownId} and c.created_at >= ${start}::timestamptz and c.created_at < ${end}::timestamptz
           and c.payable_at < ${NEVER}::timestamptz
         order by c.created_at, c.id limit ${limit})
        union all
        select * from (${payoutsOf(ownId)}) as payouts
        where at >= ${start}::timestamptz and at < ${end}::timestamptz) as entries
      order by entries.at, id limit ${limit}`.compile(db),
  ])
  return partner && { partner, sums, lines }
}

/** The partners of an address, for the choice of a statement. */
export const listOwnPartners = (db: Db, email: string) =>
  db
    .selectFrom('partners as p')
    .innerJoin('programs as g', 'g.id', 'p.program_id')
    .where('p.email', '=', email)
    .select(['p.id', 'g.name as program', 'p.created_at as createdAt'])
    .orderBy('g.name')
    .orderBy('p.id')
    .execute()
