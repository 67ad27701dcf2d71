/** Reads partners. lib/imports/partners and new-partner.queries.ts create them. */
import { type ExpressionBuilder, expressionBuilder, type RawBuilder, sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import type { PageRequest } from '../../db/page-request.ts'
import type { Tables } from '../../db/tables.ts'
import type { PayoutAccountStatus } from '../../payouts/payouts.ts'
import { rewardOf } from '../../programs/rewards.queries.ts'
import type { PartnerStatus } from '../../tenancy/workspaces/tables.ts'
import { normalizeEmail } from '../../values/emails.ts'
import { slugKey } from '../../values/slugs.ts'
import type { Coupon } from '../links/coupons.queries.ts'

export type PartnerFilter = PageRequest & {
  programId?: string | undefined
  /** Normalized. */
  email?: string | undefined
  slugKey?: string | undefined
  groupId?: string | undefined
  status?: PartnerStatus | undefined
  /** UUIDs: only these partners. */
  ids?: readonly string[] | undefined
  /** Matches part of an email address, a name or a slug. Case-insensitive. */
  query?: string | undefined
}

/** A partner's Stripe account. */
type PartnerAccount = {
  status: PayoutAccountStatus
  country: string
  stripeAccountId: string | null
  paysBank: boolean | null
  /** When the hold of an account that replaced another one ends; null for a first account. */
  effectiveAt: string | null
}

export type PartnerRow = Awaited<ReturnType<typeof listPartners>>[number]

type PartnerExpressions = ExpressionBuilder<Tables & { p: Tables['partners'] }, 'p'>

/** A pattern of LIKE, with wildcards in the text escaped. */
const contains = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`

/** Addresses and slug keys are in lower case: no ILIKE, which takes three times as long. */
const matches = (eb: PartnerExpressions, workspaceId: string, text: string) => {
  const pattern = contains(slugKey(text))
  return eb.or([
    eb('p.email', 'like', contains(normalizeEmail(text) ?? text)),
    eb('p.name', 'ilike', contains(text)),
    eb('p.slug_key', 'like', pattern),
    hasLink(eb, workspaceId, sql`l.slug_key like ${pattern}`),
  ])
}

/** Whether one of the partner's links has the slug. */
const hasSlug = (eb: PartnerExpressions, workspaceId: string, key: string) =>
  eb.or([eb('p.slug_key', '=', key), hasLink(eb, workspaceId, sql`l.slug_key = ${key}`)])

/** Whether a further link `l` of the partner meets a condition. */
const hasLink = (eb: PartnerExpressions, workspaceId: string, condition: RawBuilder<unknown>) =>
  eb(
    'p.id',
    'in',
    sql<string>`(select l.partner_id from links l where l.workspace_id = ${workspaceId} and ${condition})`,
  )

/** A partner, even of an undone import, for a batch. @param id a UUID, or an expression for one */
export const partnerQuery = (db: Db, workspaceId: string, id: string | RawBuilder<string>) =>
  selectPartners(db, workspaceId).where('p.id', '=', id)

/** @param id a UUID */
export const findPartner = (
  db: Db,
  workspaceId: string,
  id: string,
): Promise<PartnerRow | undefined> =>
  partnerQuery(db, workspaceId, id).where('p.undone_at', 'is', null).executeTakeFirst()

/** The partners of a workspace, newest first. */
export const listPartners = (db: Db, workspaceId: string, filter: PartnerFilter) =>
  partnersQuery(db, workspaceId, filter).execute()

/** The same query, for a batch. */
export const partnersQuery = (db: Db, workspaceId: string, filter: PartnerFilter) =>
  selectPartners(db, workspaceId)
    .where(isListed(workspaceId, filter))
    .where((eb) => (filter.cursor ? eb('p.id', '<', filter.cursor) : eb.lit(true)))
    .orderBy('p.id', 'desc')
    .limit(filter.limit)

/** Whether the partner `p` passes a filter. Partners whose import was undone do not. */
export const isListed = (workspaceId: string, filter: Omit<PartnerFilter, keyof PageRequest>) => {
  const eb = expressionBuilder<Tables & { p: Tables['partners'] }, 'p'>()
  return eb.and([
    eb('p.workspace_id', '=', workspaceId),
    eb('p.undone_at', 'is', null),
    ...(filter.programId ? [eb('p.program_id', '=', filter.programId)] : []),
    ...(filter.email ? [eb('p.email', '=', filter.email)] : []),
    ...(filter.slugKey ? [hasSlug(eb, workspaceId, filter.slugKey)] : []),
    ...(filter.groupId ? [eb('p.group_id', '=', filter.groupId)] : []),
    ...(filter.status ? [eb('p.status', '=', filter.status)] : []),
    ...(filter.ids ? [eb('p.id', 'in', filter.ids)] : []),
    ...(filter.query ? [matches(eb, workspaceId, filter.query)] : []),
  ])
}

export const selectPartners = (db: Db, workspaceId: string) =>
  db
    .selectFrom('partners as p')
    .where('p.workspace_id', '=', workspaceId)
    .innerJoin('programs as pr', 'pr.id', 'p.program_id')
    .leftJoin('groups as g', 'g.id', 'p.group_id')
    .select([
      'p.id',
      'p.program_id as programId',
      'p.group_id as groupId',
      rewardOf('p.reward_id').as('reward'),
      'p.email',
      'p.name',
      'p.slug',
      'p.status',
      'p.is_test as isTest',
      'p.undone_at as undoneAt',
      'p.created_at as createdAt',
      'p.documents_received_at as documentsReceivedAt',
      sql<number | null>`p.minimum_payout_cents::float8`.as('minimumPayoutCents'),
      sql<number>`pr.minimum_payout_cents::float8`.as('programMinimumCents'),
      'pr.name as programName',
      'pr.site_url as siteUrl',
      'g.name as groupName',
      sql<Coupon[]>`(
        select coalesce(jsonb_agg(jsonb_build_object('couponId', ca.coupon_id, 'couponLabel', ca.label)
                                  order by ca.id), '[]')
        from coupon_aliases ca where ca.workspace_id = p.workspace_id and ca.partner_id = p.id)`.as(
        'coupons',
      ),
      sql<PartnerAccount | null>`(
        select jsonb_build_object('status', a.status, 'country', a.country, 'stripeAccountId', a.stripe_account_id,
                                  'paysBank', a.pays_bank, 'effectiveAt', a.effective_at)
        from payout_accounts a
        where a.workspace_id = p.workspace_id and a.email = p.email and a.disconnected_at is null)`.as(
        'payoutAccount',
      ),
    ])

/** The programs and groups to filter by: a row per group, and one per program without groups. */
export const programsAndGroupsQuery = (db: Db, workspaceId: string) =>
  db
    .selectFrom('programs as pr')
    .where('pr.workspace_id', '=', workspaceId)
    .leftJoin('groups as g', 'g.program_id', 'pr.id')
    .select([
      'pr.id as programId',
      'pr.name as programName',
      'g.id as groupId',
      'g.name as groupName',
    ])
    .orderBy('pr.name')
    .orderBy('pr.id')
    .orderBy('g.name')
    .orderBy('g.id')

/** The groups of the partner's program, by name. */
export const groupsOfPartnerQuery = (db: Db, workspaceId: string, partnerId: string) =>
  db
    .selectFrom('groups as g')
    .innerJoin('partners as p', 'p.program_id', 'g.program_id')
    .where('g.workspace_id', '=', workspaceId)
    .where('p.workspace_id', '=', workspaceId)
    .where('p.id', '=', partnerId)
    .select(['g.id', 'g.name'])
    .orderBy('g.name')
    .orderBy('g.id')
