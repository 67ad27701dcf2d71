/**
 * The portal's start page: the programs, balances and activity of an email address. All queries of
 * this room filter by the address that the session has verified, so that partners read only their
 * own data.
 */
import { sql } from 'kysely'
import { ownApplicationsQuery } from '../applications/applications.queries.ts'
import { openAgreementsQuery } from '../applications/join-pages.queries.ts'
import { BRAND_COLUMNS, contactIn } from '../brand/brands.queries.ts'
import type { PriorSum } from '../customers/prior-earnings.ts'
import type { Db } from '../db/connection.ts'
import type { Language } from '../languages/languages.ts'
import { payoutAccountsQuery, unreachableQuery } from '../payouts/accounts/accounts.queries.ts'
import { hasKey, hasManualPayouts } from '../payouts/details/methods.queries.ts'
import { paymentChoicesQuery } from '../payouts/details/payment-details.queries.ts'
import type { RewardTerms } from '../rules/rewards/rewards.ts'
import { activityQuery } from '../totals/activity.queries.ts'
import { ownEarnedQuery } from '../totals/balances.queries.ts'
import type { Period } from '../values/periods.ts'
import { tierOfToday } from './tier.queries.ts'

export type Partnership = Awaited<
  ReturnType<ReturnType<typeof partnershipsQuery>['execute']>
>[number]
export type Balance = PortalData['balances'][number]
export type OwnBonus = PortalData['bonuses'][number]

/** The language of a partner, for its mails. Nothing is written if it has not changed. */
const rememberLanguage = (email: string, language: Language) => sql`
  update partners set language = ${language} where email = ${email} and language is distinct from ${language}`

/** Makes one database round trip, and one for each program with tiers. */
export const readPortal = async (
  db: Db,
  email: string,
  period: Period,
  now: Date,
  language: Language,
) => {
  const [
    ,
    partnerships,
    balances,
    accounts,
    unreachable,
    activity,
    choices,
    applications,
    agreements,
    bonuses,
  ] = await db.batch([
    rememberLanguage(email, language).compile(db),
    partnershipsQuery(db, email).compile(),
    ownEarnedQuery(email, now).compile(db),
    payoutAccountsQuery(db, email).compile(),
    unreachableQuery(db, email).compile(),
    activityQuery(email, period).compile(db),
    paymentChoicesQuery(email, now).compile(db),
    ownApplicationsQuery(email).compile(db),
    openAgreementsQuery(email).compile(db),
    ownBonusesQuery(db, email).compile(),
  ])
  return {
    partnerships,
    balances,
    accounts,
    unreachable,
    activity,
    choices,
    applications,
    agreements,
    bonuses,
    tiers: await tiersOf(db, partnerships, now),
  }
}

/** The present tiers of partners, by partner, where the program has tiers. */
const tiersOf = async (db: Db, partnerships: Partnership[], now: Date) => {
  const having = partnerships.filter(
    ({ tiers, status, mode }) => tiers && status !== 'banned' && mode === 'live',
  )
  const tiers = await Promise.all(having.map(({ id }) => tierOfToday(db, id, now)))
  return new Map(having.map(({ id }, i) => [id, tiers[i] ?? null]))
}

export type PortalData = Awaited<ReturnType<typeof readPortal>>

/**
 * The programs of an email address, grouped by workspace, because one connected account serves a
 * whole workspace.
 */
const partnershipsQuery = (db: Db, email: string) =>
  db
    .selectFrom('partners as p')
    .innerJoin('programs as pr', 'pr.id', 'p.program_id')
    .innerJoin('workspaces as w', 'w.id', 'p.workspace_id')
    .leftJoin('groups as g', 'g.id', 'p.group_id')
    .leftJoin('brands as b', 'b.program_id', 'p.program_id')
    .where('p.email', '=', email)
    .select(BRAND_COLUMNS)
    .select((eb) => [
      // Of a sale, as `decideReward` finds it.
      sql<RewardTerms>`reward_of(coalesce(p.reward_id, g.sale_reward_id, pr.reward_id))`.as(
        'reward',
      ),
      sql<RewardTerms | null>`reward_of(g.lead_reward_id)`.as('leadReward'),
      'p.id',
      'p.slug',
      'p.status',
      'p.program_id as programId',
      'p.workspace_id as workspaceId',
      'pr.name as program',
      'pr.site_url as siteUrl',
      'pr.mode',
      'pr.tiers',
      'pr.bonuses',
      'pr.payout_schedule as payoutSchedule',
      'pr.payout_days as payoutDays',
      'pr.payout_schedule_since as payoutScheduleSince',
      sql<bigint>`coalesce(p.minimum_payout_cents, pr.minimum_payout_cents)`.as(
        'minimumPayoutCents',
      ),
      'w.name as workspace',
      contactIn(sql.ref('p.workspace_id')).as('contact'),
      eb
        .selectFrom('coupon_aliases as ca')
        .whereRef('ca.partner_id', '=', 'p.id')
        .select((coupon) =>
          sql<
            string[]
          >`array_agg(${coupon.fn.coalesce('ca.label', 'ca.coupon_id')} order by ca.id)`.as(
            'codes',
          ),
        )
        .as('coupons'),
      eb
        .selectFrom('links as l')
        .whereRef('l.partner_id', '=', 'p.id')
        .select(sql<string[]>`array_agg(l.slug order by l.id desc)`.as('slugs'))
        .as('furtherSlugs'),
      sql<PriorSum[]>`(
        select coalesce(jsonb_agg(to_jsonb(s) order by s.currency), '[]') from (
          select cu.prior ->> 'currency' as currency, count(*) as customers,
                 coalesce(sum((cu.prior ->> 'commissions')::bigint), 0) as commissions,
                 coalesce(sum((cu.prior ->> 'amountCents')::bigint), 0) as "amountCents"
          from customers cu where cu.partner_id = p.id and cu.prior is not null and cu.prior ->> 'partnerId' = p.id::text
          group by 1
          having greatest(sum((cu.prior ->> 'commissions')::bigint), sum((cu.prior ->> 'amountCents')::bigint)) > 0) s)`.as(
        'priors',
      ),
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

/**
 * The bonuses whose milestones a partner has reached, with what is left of each. One that was reached
 * before it was added to the program has no commission. One that refunds have undone is reinstated
 * when its milestone is reached again, but for what managers have taken back.
 */
const ownBonusesQuery = (db: Db, email: string) =>
  db
    .selectFrom('partner_bonuses as b')
    .innerJoin('partners as p', 'p.id', 'b.partner_id')
    .leftJoin('commissions as c', 'c.id', 'b.commission_id')
    .where('p.email', '=', email)
    .select([
      'b.partner_id as partnerId',
      'b.name',
      sql<bigint | null>`(
        select c.amount_cents + coalesce(sum(r.amount_cents), 0)::bigint from commissions r where r.reverses_id = c.id)`.as(
        'amountCents',
      ),
      sql<boolean>`coalesce((
        select sum(r.amount_cents) < 0
        from commissions r left join adjustments a on a.commission_id = r.id
        where r.reverses_id = c.id and a.commission_id is null and not exists (
          select from commission_holds h where h.commission_id = c.id and h.resolution = 'rejected')), false)`.as(
        'isUndone',
      ),
      'c.currency',
      'c.created_at as earnedAt',
    ])
    .orderBy('c.created_at')
    .orderBy('b.name')
