/**
 * The portal's start page: the programs, balances and activity of an email address. All queries of this room filter by
 * the address that the session has verified, so a partner reads only its own data.
 */
import { sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import { payoutAccountsQuery, unreachableQuery } from '../payouts/accounts.queries.ts'
import { hasKey, hasManualPayouts } from '../payouts/methods.queries.ts'
import { paymentChoicesQuery } from '../payouts/payment-details.queries.ts'
import type { Period } from '../periods.ts'
import { sumWith } from '../tracking/commissions.queries.ts'
import { isHoldOfCommission } from '../tracking/holds.queries.ts'
import { firstIdAt } from '../workspace/overview.queries.ts'

export type Partnership = PortalData['partnerships'][number]
export type Balance = PortalData['balances'][number]

/** A point of a chart. `earned` is an amount, per currency; the other series are counts. */
type Activity = {
  partnerId: string
  series: 'clicks' | 'leads' | 'sales' | 'earned'
  currency: string | null
  slot: string
  value: bigint
}

/** Makes one database round trip. */
export const readPortal = async (db: Db, email: string, period: Period, now: Date) => {
  const [partnerships, balances, accounts, unreachable, activity, choices] = await db.batch([
    partnershipsQuery(db, email).compile(),
    balancesQuery(db, email, now).compile(),
    payoutAccountsQuery(db, email).compile(),
    unreachableQuery(db, email).compile(),
    activityQuery(email, period).compile(db),
    paymentChoicesQuery(email, now).compile(db),
  ])
  return { partnerships, balances, accounts, unreachable, activity, choices }
}

export type PortalData = Awaited<ReturnType<typeof readPortal>>

/** The programs of an email address, grouped by workspace because one connected account serves all of a workspace. */
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
      'pr.payout_days as payoutDays',
      sql<bigint>`coalesce(p.minimum_payout_cents, pr.minimum_payout_cents)`.as('minimumPayoutCents'),
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
      hasKey(sql.ref('p.workspace_id')).as('paysByStripe'),
      eb
        .selectFrom('stripe_keys as k')
        .whereRef('k.workspace_id', '=', 'p.workspace_id')
        .select('k.transfer_countries')
        .as('transferCountries'),
      hasManualPayouts(sql.ref('p.workspace_id')).as('paysByBank'),
    ])
    .orderBy('w.name')
    .orderBy('p.workspace_id')
    .orderBy('pr.name')
    .orderBy('p.id')

/** Earnings by program, currency and status. */
const balancesQuery = (db: Db, email: string, now: Date) =>
  db
    .selectFrom('commissions as c')
    .innerJoin('partners as p', 'p.id', 'c.partner_id')
    .leftJoin('payouts as po', 'po.id', 'c.payout_id')
    .leftJoin('commission_holds as h', (join) => join.on(isHoldOfCommission))
    .where('p.email', '=', email)
    .select([
      'c.partner_id as partnerId',
      'c.currency',
      sumWith('held', now).as('heldCents'),
      sumWith('pending', now).as('pendingCents'),
      sumWith('payable', now).as('payableCents'),
      sumWith('processing', now).as('processingCents'),
      sumWith('paid', now).as('paidCents'),
    ])
    .groupBy(['c.partner_id', 'c.currency'])
    .orderBy('c.currency')

const slotOf = (moment: string, { unit }: Period) =>
  sql`to_char(date_trunc(${sql.lit(unit)}, ${sql.ref(moment)} at time zone 'UTC'), 'YYYY-MM-DD')`

/**
 * The activity of a period. Commissions and their reversals count on the day of the event, so a bar shows the net
 * result of that day. Rows are created at or after the time of their event, and ids sort by creation time, so the first
 * id of the period bounds the index scan.
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
      and not e.steps @> '[{"code": "same_purchase"}]' -- counted with the other event
    group by 1, 2, 4
    union all
    select c.partner_id, 'earned', c.currency, ${slotOf('e.occurred_at', period)}, sum(c.amount_cents)::bigint
    from mine join commissions c on c.partner_id = mine.id
              join events e on e.id = c.event_id
    where c.id >= ${first} and e.occurred_at >= ${since}
    group by 1, 3, 4`
}
