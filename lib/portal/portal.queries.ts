/**
 * What a partner sees of itself, in every program of its address: everything in this file and its neighbours
 * (portal-*.ts) is asked for by the address that was proved by signing in, which is what keeps it to its reader.
 */
import { sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import { payoutAccountsQuery } from '../payouts/accounts.queries.ts'
import type { Period } from '../periods.ts'
import { sumWith } from '../tracking/commissions.queries.ts'
import { firstIdAt } from '../workspace/overview.queries.ts'

export type Partnership = PortalData['partnerships'][number]
export type Balance = PortalData['balances'][number]

/** What is counted: `earned` is money, of each currency on its own. */
type Activity = {
  partnerId: string
  series: 'clicks' | 'leads' | 'sales' | 'earned'
  currency: string | null
  slot: string
  value: bigint
}

/** Everything of a partner's first page, in one fetch. */
export const readPortal = async (db: Db, email: string, period: Period, now: Date) => {
  const [partnerships, balances, accounts, activity] = await db.batch([
    partnershipsQuery(db, email).compile(),
    balancesQuery(db, email, now).compile(),
    payoutAccountsQuery(db, email).compile(),
    activityQuery(email, period).compile(db),
  ])
  return { partnerships, balances, accounts, activity }
}

export type PortalData = Awaited<ReturnType<typeof readPortal>>

/**
 * The programs in which an address is a partner, with the slug and the coupons it has there. Those of one workspace
 * stand together, since one account at Stripe serves them all.
 */
const partnershipsQuery = (db: Db, email: string) =>
  db
    .selectFrom('partners as p')
    .innerJoin('programs as pr', 'pr.id', 'p.program_id')
    .innerJoin('workspaces as w', 'w.id', 'p.workspace_id')
    .where('p.email', '=', email)
    .select((eb) => [
      'p.id',
      'p.slug',
      'p.status',
      'p.program_id as programId',
      'p.workspace_id as workspaceId',
      'pr.name as program',
      'pr.site_url as siteUrl',
      'pr.payout_schedule as payoutSchedule',
      'pr.minimum_payout_cents as minimumPayoutCents',
      'w.name as workspace',
      eb
        .selectFrom('coupon_aliases as ca')
        .whereRef('ca.partner_id', '=', 'p.id')
        .select((coupon) =>
          sql<string[]>`array_agg(${coupon.fn.coalesce('ca.label', 'ca.coupon_id')} order by ca.id)`.as(
            'codes',
          ),
        )
        .as('coupons'),
      eb
        .exists(eb.selectFrom('stripe_keys as k').whereRef('k.workspace_id', '=', 'p.workspace_id'))
        .as('paysByStripe'),
    ])
    .orderBy('w.name')
    .orderBy('p.workspace_id')
    .orderBy('pr.name')
    .orderBy('p.id')

/** What an address has earned in each of its programs, by currency and by what has become of it. */
const balancesQuery = (db: Db, email: string, now: Date) =>
  db
    .selectFrom('commissions as c')
    .innerJoin('partners as p', 'p.id', 'c.partner_id')
    .leftJoin('payouts as po', 'po.id', 'c.payout_id')
    .where('p.email', '=', email)
    .select([
      'c.partner_id as partnerId',
      'c.currency',
      sumWith('pending', now).as('pendingCents'),
      sumWith('payable', now).as('payableCents'),
      sumWith('processing', now).as('processingCents'),
      sumWith('paid', now).as('paidCents'),
    ])
    .groupBy(['c.partner_id', 'c.currency'])
    .orderBy('c.currency')

/** The slot of a period into which a moment falls. */
const slotOf = (moment: string, { unit }: Period) =>
  sql`to_char(date_trunc(${sql.lit(unit)}, ${sql.ref(moment)} at time zone 'UTC'), 'YYYY-MM-DD')`

/**
 * What there was in a period. A commission counts when its event took place, and what was taken back of it counts
 * there too, so that the bar of a day says what has come of that day in the end. An event and its commissions are
 * never written down before it takes place: their ids, which are in the order of time, bound what is looked at.
 */
const activityQuery = (email: string, period: Period) => {
  const { since } = period
  const first = firstIdAt(since)
  return sql<Activity>`
    with mine as (select id from partners where email = ${email})
    select c.partner_id as "partnerId", 'clicks' as series, null::text as currency,
           ${slotOf('c.created_at', period)} as slot, count(*) as value
    from mine join clicks c on c.partner_id = mine.id
    where c.created_at >= ${since}
    group by 1, 4
    union all
    select e.partner_id, e.kind || 's', null, ${slotOf('e.occurred_at', period)}, count(*)
    from mine join events e on e.partner_id = mine.id
    where e.id >= ${first} and e.occurred_at >= ${since}
      and not e.steps @> '[{"code": "same_purchase"}]' -- which another one counts for
    group by 1, 2, 4
    union all
    select c.partner_id, 'earned', c.currency, ${slotOf('e.occurred_at', period)}, sum(c.amount_cents)::bigint
    from mine join commissions c on c.partner_id = mine.id
              join events e on e.id = c.event_id
    where c.id >= ${first} and e.occurred_at >= ${since}
    group by 1, 3, 4`
}
