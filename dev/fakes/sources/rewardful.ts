/**
 * Rewardful's REST API, as its reference describes it:
 * https://developers.rewardful.com/rest-api/overview.
 */
import type { PlatformApi } from './api.ts'
import type {
  OldCommission,
  OldCoupon,
  OldCustomer,
  OldPartner,
  OldProgram,
  OldReward,
} from './program.ts'

const SITE = 'https://shop.example'

const link = (slug: string) => ({
  id: `link-${slug}`,
  url: `${SITE}/?via=${slug}`,
  token: slug,
  visitors: 10,
  leads: 2,
  conversions: 1,
})

const affiliateOf = (id: string, { partners }: OldProgram) => {
  const found = partners.find((partner) => partner.id === id)
  return found && { id, email: found.email, first_name: found.firstName, last_name: found.lastName }
}

const affiliate = (partner: OldPartner, expand: string[]) => ({
  id: partner.id,
  created_at: '2024-05-09T16:18:59.920Z',
  first_name: partner.firstName,
  last_name: partner.lastName,
  email: partner.email,
  paypal_email: null,
  state: partner.state,
  stripe_customer_id: null,
  coupon: null,
  ...(expand.includes('campaign') && {
    campaign: { id: `campaign-${partner.group}`, name: partner.group },
  }),
  ...(expand.includes('links') && { links: partner.slugs.map(link) }),
  ...(expand.includes('commission_stats') && {
    commission_stats: {
      currencies: Object.fromEntries(
        Object.entries(partner.balances).map(([currency, cents]) => [
          currency,
          { unpaid: { cents, dollars: cents / 100 }, due: { cents: 0, dollars: 0 } },
        ]),
      ),
    },
  }),
})

const coupon = ({ id, externalId, code, partnerId, isArchived }: OldCoupon) => ({
  id,
  external_id: externalId,
  token: code,
  leads: 0,
  conversions: 0,
  affiliate_id: partnerId,
  archived: isArchived,
  archived_at: isArchived ? '2026-01-01T00:00:00.000Z' : null,
})

const campaign = ({ id, group, percent, cents, months }: OldReward) => ({
  id,
  created_at: '2024-05-09T16:18:59.920Z',
  name: group,
  url: SITE,
  private: false,
  private_tokens: false,
  commission_amount_cents: cents,
  commission_amount_currency: cents === null ? null : 'USD',
  minimum_payout_cents: 0,
  max_commission_period_months: months,
  max_commissions: null,
  days_before_referrals_expire: 30,
  days_until_commissions_are_due: 30,
  parameter_type: 'query',
  stripe_coupon_id: null,
  default: group === 'Default',
  reward_type: cents === null ? 'percent' : 'amount',
  commission_percent: percent,
  minimum_payout_currency: 'USD',
  affiliates: 12,
})

const referral = (customer: OldCustomer, expand: string[], program: OldProgram) => ({
  id: customer.id,
  link: customer.slug && link(customer.slug),
  visits: 3,
  customer:
    customer.customerId || customer.email
      ? { id: customer.customerId, name: 'A buyer', email: customer.email, platform: 'stripe' }
      : null,
  ...(expand.includes('affiliate') && { affiliate: affiliateOf(customer.partnerId, program) }),
  created_at: customer.referredAt,
  became_lead_at: customer.startedAt,
  became_conversion_at: customer.startedAt,
  deactivated_at: customer.isDeactivated ? '2026-02-01T00:00:00.000Z' : null,
  conversion_state: customer.state,
  stripe_account_id: customer.customerId && 'acct_1',
  stripe_customer_id: customer.customerId,
})

const commission = (row: OldCommission, expand: string[], program: OldProgram) => ({
  id: row.id,
  created_at: row.soldAt,
  amount: row.cents,
  currency: row.currency,
  state: row.state,
  due_at: row.soldAt,
  paid_at: row.state === 'paid' ? row.soldAt : null,
  voided_at: row.state === 'voided' ? row.soldAt : null,
  ...(expand.includes('sale') && {
    sale: {
      id: `sale-${row.id}`,
      currency: row.currency,
      charged_at: row.soldAt,
      stripe_charge_id: row.chargeId,
      charge_amount_cents: row.saleCents,
      refund_amount_cents: 0,
      tax_amount_cents: 0,
      sale_amount_cents: row.saleCents,
      referral: row.customer && referral(row.customer, [], program),
      affiliate: affiliateOf(row.partnerId, program),
    },
  }),
})

const MOST = 100
const USUAL = 25

/** A page, newest first. A full last page is followed by an empty one. */
const pageOf = <Row>(rows: Row[], query: URLSearchParams, present: (row: Row) => object) => {
  const limit = Math.min(Number(query.get('limit') ?? USUAL) || USUAL, MOST)
  const page = Math.max(Number(query.get('page') ?? 1) || 1, 1)
  const data = rows.toReversed().slice((page - 1) * limit, page * limit)
  const body = {
    pagination: {
      previous_page: page > 1 ? page - 1 : null,
      current_page: page,
      next_page: data.length === limit ? page + 1 : null,
      count: data.length,
      limit,
      total_pages: Math.ceil(rows.length / limit),
      total_count: rows.length,
    },
    data: data.map(present),
  }
  return { status: 200, body }
}

export const REWARDFUL_API: PlatformApi = {
  tokenOf: ({ headers }) => {
    const [, encoded = ''] = /^Basic (.+)$/.exec(headers.authorization ?? '') ?? []
    const [, token] = /^(.+):$/.exec(Buffer.from(encoded, 'base64').toString()) ?? []
    return token
  },
  refusal: { status: 401, body: { error: 'Invalid API Secret.' } },
  limitHeaders: ({ most, left, resetSeconds }) => ({
    'RateLimit-Limit': String(most),
    'RateLimit-Remaining': String(left),
    'RateLimit-Reset': String(resetSeconds),
  }),
  answer: ({ pathname, searchParams: query }, { program }) => {
    const expand = query.getAll('expand[]')
    if (pathname === '/affiliates')
      return pageOf(program.partners, query, (row) => affiliate(row, expand))
    if (pathname === '/campaigns') return pageOf(program.rewards, query, campaign)
    if (pathname === '/affiliate_coupons') return pageOf(program.coupons, query, coupon)
    if (pathname === '/referrals') {
      const states = query.getAll('conversion_state[]')
      const rows = program.customers.filter(
        ({ state }) => states.length === 0 || states.includes(state),
      )
      return pageOf(rows, query, (row) => referral(row, expand, program))
    }
    if (pathname === '/commissions')
      return pageOf(program.commissions, query, (row) => commission(row, expand, program))
    return undefined
  },
}
