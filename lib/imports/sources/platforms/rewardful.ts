/**
 * Rewardful's REST API: https://developers.rewardful.com/rest-api/overview. Lists are newest first,
 * and paged by number. docs/imports.md says what its reference confirms.
 */

import { rewardRow } from '../rewards/read-reward.ts'
import { readCampaignReward } from '../rewards/rewardful-rewards.ts'
import type { Balance, SourceCommission, SourceLink, SourceRow } from '../source-rows.ts'
import {
  addressOf,
  currencyOf,
  type Fields,
  fieldsOf,
  integerOf,
  listOf,
  momentOf,
  nameOf,
  textOf,
} from './json.ts'
import {
  basicAuth,
  commissionRow,
  couponRow,
  customerRow,
  definePlatform,
  leftOut,
  partnerRow,
} from './platform.ts'

const linksOf = (value: unknown): SourceLink[] =>
  listOf(value).flatMap((item) => {
    const { token, url } = fieldsOf(item)
    const slug = textOf(token)
    return slug ? [{ slug, url: textOf(url) }] : []
  })

/** What is not paid yet, whether it is due or still pending. */
const balancesOf = (stats: unknown): Balance[] =>
  Object.entries(fieldsOf(fieldsOf(stats).currencies)).flatMap(([code, sums]) => {
    const currency = currencyOf(code)
    const cents = integerOf(fieldsOf(fieldsOf(sums).unpaid).cents)
    return currency && cents ? [{ currency, cents }] : []
  })

/** A campaign. Affiliates name theirs. */
const readReward = (id: string, item: Fields): SourceRow => {
  const group = textOf(item.name)
  return rewardRow({ id, name: group ?? id, group, item }, readCampaignReward(item))
}

const readPartner = (id: string, affiliate: Fields): SourceRow =>
  partnerRow({
    id,
    email: addressOf(affiliate.email),
    name: nameOf(affiliate.first_name, affiliate.last_name),
    status: textOf(affiliate.state),
    group: textOf(fieldsOf(affiliate.campaign).name),
    links: linksOf(affiliate.links),
    // The list of coupons says which are archived.
    coupons: [],
    balances: balancesOf(affiliate.commission_stats),
  })

const readCoupon = (id: string, coupon: Fields): SourceRow =>
  couponRow(
    {
      id,
      code: textOf(coupon.token),
      partnerId: textOf(coupon.affiliate_id),
      externalId: textOf(coupon.external_id),
    },
    coupon.archived === true || textOf(coupon.archived_at) !== null,
  )

/** A referral by a coupon alone has no link. One whose customer was deleted has no customer. */
const readCustomer = (id: string, referral: Fields): SourceRow => {
  const customer = fieldsOf(referral.customer)
  const affiliate = fieldsOf(referral.affiliate)
  const externalId = textOf(customer.id) ?? textOf(referral.stripe_customer_id)
  const email = addressOf(customer.email)
  if (textOf(referral.deactivated_at)) return leftOut(id, 'deactivated', email ?? externalId)
  return customerRow({
    id,
    externalId,
    email,
    partnerId: textOf(affiliate.id) ?? textOf(referral.affiliate_id),
    partnerEmail: addressOf(affiliate.email),
    referredAt: momentOf(referral.created_at),
    startedAt: momentOf(referral.became_conversion_at),
  })
}

const STATES = ['pending', 'due', 'paid', 'voided'] as const

const stateOf = (commission: Fields): SourceCommission['state'] => {
  if (textOf(commission.voided_at)) return 'voided'
  return STATES.find((state) => state === commission.state) ?? 'other'
}

const readCommission = (id: string, commission: Fields): SourceRow => {
  const sale = fieldsOf(commission.sale)
  const referral = fieldsOf(sale.referral)
  const customer = fieldsOf(referral.customer)
  const affiliate = fieldsOf(sale.affiliate)
  const currency = currencyOf(commission.currency)
  return commissionRow({
    id,
    state: stateOf(commission),
    amountCents: integerOf(commission.amount),
    currency,
    saleAmountCents:
      currencyOf(sale.currency) === currency ? integerOf(sale.sale_amount_cents) : null,
    saleExternalId: textOf(sale.stripe_charge_id),
    customerId: textOf(referral.id),
    customerExternalId: textOf(customer.id) ?? textOf(referral.stripe_customer_id),
    customerEmail: addressOf(customer.email),
    partnerId: textOf(affiliate.id),
    partnerEmail: addressOf(affiliate.email),
    soldAt: momentOf(sale.charged_at) ?? momentOf(commission.created_at),
  })
}

export const REWARDFUL = definePlatform({
  id: 'rewardful',
  name: 'Rewardful',
  baseUrl: 'https://api.getrewardful.com/v1',
  paging: 'number',
  pageSize: 100,
  imported: ['customers', 'coupons', 'rewards', 'commissions', 'partners'],
  owed: 'partners',
  account: null,
  tokenHint: 'The API secret, under Company settings.',
  caution: null,
  headers: ({ token }) => basicAuth(token),
  lists: {
    customers: {
      // Without the visitors who are no customers.
      path: '/referrals?conversion_state[]=lead&conversion_state[]=conversion&expand[]=affiliate&',
      row: readCustomer,
    },
    coupons: { path: '/affiliate_coupons?', row: readCoupon },
    rewards: { path: '/campaigns?', row: readReward },
    partners: {
      path: '/affiliates?expand[]=campaign&expand[]=links&expand[]=commission_stats&',
      row: readPartner,
    },
    commissions: { path: '/commissions?expand[]=sale&', row: readCommission },
  },
  pathOf: (list, { cursor }) => `${list}limit=100&page=${cursor ?? '1'}`,
  pageOf: (body, cursor) => {
    const { data, pagination } = fieldsOf(body)
    if (!Array.isArray(data)) return null
    const { next_page, total_count } = fieldsOf(pagination)
    const after = integerOf(next_page)
    const isLast = data.length === 0 || after === null || after <= Number(cursor ?? '1')
    return { items: data, next: isLast ? null : String(after), total: integerOf(total_count) }
  },
})
