/**
 * FirstPromoter's API, version 2, as its reference describes it:
 * https://docs.firstpromoter.com/api-reference-v2.
 */
import type { PlatformApi } from './api.ts'
import { bearerOf } from './api.ts'
import type { OldCommission, OldCoupon, OldCustomer, OldPartner, OldProgram } from './program.ts'

const MOST = 100
const USUAL = 20

/** A page, newest first. */
const pageOf = <Row>(rows: Row[], query: URLSearchParams): Row[] => {
  const size = Math.min(Number(query.get('per_page') ?? USUAL) || USUAL, MOST)
  const page = Math.max(Number(query.get('page') ?? 1) || 1, 1)
  return rows.toReversed().slice((page - 1) * size, page * size)
}

/** Ids are numbers. */
const numberOf = (id: string): number => Number(id.slice(-12)) + 1

const STATES = { active: 'accepted', pending: 'pending', disabled: 'blocked' } as const

const promoterOf = ({
  id,
  email,
  firstName,
  lastName,
  state,
  group,
  slugs,
  balances,
}: OldPartner) => ({
  id: numberOf(id),
  email,
  name: [firstName, lastName].filter(Boolean).join(' '),
  profile: { first_name: firstName, last_name: lastName },
  archived_at: null,
  // A promoter has a link per campaign.
  promoter_campaigns: slugs.map((slug, n) => ({
    id: numberOf(id) * 100 + n,
    promoter_id: numberOf(id),
    state: n === 0 ? STATES[state] : 'not_set',
    campaign: { id: 1, name: group },
    coupon: null,
    ref_token: slug,
    ref_link: `https://shop.example/?fpr=${slug}`,
  })),
  balances: { cash: balances.USD ?? null, credits: null, points: null },
})

const promoCodeOf = ({ id, code, externalId, partnerId, isArchived, isManual }: OldCoupon) => ({
  id: numberOf(id),
  code,
  reward: { id: 1, name: '20 %' },
  ext_id: isManual ? null : externalId,
  description: null,
  company_id: 1,
  promoter_campaign_id: numberOf(partnerId) * 100,
  metadata: {},
  details: {},
  archived_at: isArchived ? '2026-01-01T00:00:00.000Z' : null,
})

const campaignOf = (id: string, { partners }: OldProgram) => {
  const partner = partners.find((one) => one.id === id)
  return {
    promoter_id: numberOf(id),
    promoter: partner && { id: numberOf(id), email: partner.email },
  }
}

const referralOf = (customer: OldCustomer, program: OldProgram) => ({
  id: numberOf(customer.id),
  email: customer.email,
  uid: customer.customerId,
  state: customer.isDeactivated ? 'denied' : customer.state === 'lead' ? 'signup' : 'active',
  entry_source: customer.slug ? 'cookie' : 'coupon',
  created_at: customer.referredAt,
  customer_since: customer.startedAt,
  promoter_campaign: campaignOf(customer.partnerId, program),
})

const commissionOf = (row: OldCommission, program: OldProgram) => ({
  id: numberOf(row.id),
  status: row.state === 'voided' ? 'denied' : row.state === 'pending' ? 'pending' : 'approved',
  is_paid: row.state === 'paid',
  commission_type: 'sale',
  unit: 'cash',
  amount: row.cents,
  sale_amount: row.saleCents,
  original_sale_currency: row.currency,
  event_id: row.chargeId,
  created_at: row.soldAt,
  referral: row.customer && {
    id: numberOf(row.customer.id),
    uid: row.customer.customerId,
    email: row.customer.email,
  },
  promoter_campaign: campaignOf(row.partnerId, program),
})

export const FIRSTPROMOTER_API: PlatformApi = {
  tokenOf: bearerOf,
  refusal: { status: 401, body: null },
  limitHeaders: () => ({}),
  answer: ({ pathname, searchParams: query }, { program, accountId }, { headers }) => {
    if (headers['account-id'] !== accountId) return { status: 403, body: { message: 'Forbidden' } }
    const customers = program.customers.filter(({ state }) => state !== 'visitor')
    if (pathname === '/promoters')
      return {
        status: 200,
        body: { data: pageOf(program.partners, query).map(promoterOf), meta: { pending_count: 0 } },
      }
    // Its reference has neither pages nor a limit.
    if (pathname === '/promo_codes')
      return { status: 200, body: program.coupons.toReversed().map(promoCodeOf) }
    if (pathname === '/referrals')
      return { status: 200, body: pageOf(customers, query).map((row) => referralOf(row, program)) }
    if (pathname === '/commissions')
      return {
        status: 200,
        body: { data: pageOf(program.commissions, query).map((row) => commissionOf(row, program)) },
      }
    return undefined
  },
}
