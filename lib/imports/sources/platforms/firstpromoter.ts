/**
 * FirstPromoter's API, version 2: https://docs.firstpromoter.com/api-reference-v2. Lists are paged
 * by number, without a total. docs/imports.md says what its reference confirms.
 */

import type { SourceCommission, SourceRow } from '../source-rows.ts'
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
  bearerAuth,
  commissionRow,
  couponRow,
  customerRow,
  definePlatform,
  leftOut,
  partnerRow,
} from './platform.ts'

const PAGE_SIZE = 100

/** The API does not name the currency of the account, in which balances and commissions are. */
const CURRENCY = 'USD'

/** The record by which a promoter takes part in a campaign. Promo codes name the promoter by it. */
const membershipOf = (id: unknown): string | null => {
  const text = textOf(id)
  return text && `promoter_campaign ${text}`
}

/** The status in several campaigns: accepted in one of them is active. */
const statusOf = (campaigns: Fields[], archivedAt: string | null): string | null => {
  if (archivedAt) return 'archived'
  const states = campaigns.map(({ state }) => textOf(state)).filter((state) => state !== null)
  if (states.includes('accepted')) return 'accepted'
  return states[0] === 'not_set' ? 'pending' : (states[0] ?? null)
}

const readPartner = (id: string, promoter: Fields): SourceRow => {
  const profile = fieldsOf(promoter.profile)
  const campaigns = listOf(promoter.promoter_campaigns).map(fieldsOf)
  const cents = integerOf(fieldsOf(promoter.balances).cash)
  return partnerRow({
    id,
    email: addressOf(promoter.email),
    name: textOf(promoter.name) ?? nameOf(profile.first_name, profile.last_name),
    status: statusOf(campaigns, textOf(promoter.archived_at)),
    group: textOf(fieldsOf(campaigns[0]?.campaign).name),
    memberships: campaigns.flatMap((campaign) => membershipOf(campaign.id) ?? []),
    links: campaigns.flatMap(({ ref_token, ref_link }) => {
      const slug = textOf(ref_token)
      return slug ? [{ slug, url: textOf(ref_link) }] : []
    }),
    // Promo codes, which have the payment processor's ids, are a list of their own.
    coupons: [],
    balances: cents ? [{ currency: CURRENCY, cents }] : [],
  })
}

const readCoupon = (id: string, promoCode: Fields): SourceRow =>
  couponRow(
    {
      id,
      code: textOf(promoCode.code),
      partnerId: membershipOf(promoCode.promoter_campaign_id),
      externalId: textOf(promoCode.ext_id),
    },
    textOf(promoCode.archived_at) !== null,
  )

/** States of a referral that no longer earns. */
const ENDED = ['denied', 'moved']

const readCustomer = (id: string, referral: Fields): SourceRow => {
  const membership = fieldsOf(referral.promoter_campaign)
  const promoter = fieldsOf(membership.promoter)
  const [externalId, email] = [textOf(referral.uid), addressOf(referral.email)]
  const partnerId = textOf(promoter.id) ?? textOf(membership.promoter_id)
  if (ENDED.includes(textOf(referral.state) ?? ''))
    return leftOut(id, 'deactivated', email ?? externalId)
  return customerRow({
    id,
    externalId,
    email,
    partnerId,
    partnerEmail: partnerId && addressOf(promoter.email),
    referredAt: momentOf(referral.created_at),
    startedAt: momentOf(referral.customer_since),
  })
}

const stateOf = ({ status, is_paid }: Fields): SourceCommission['state'] => {
  if (status === 'denied') return 'voided'
  if (is_paid === true) return 'paid'
  return status === 'approved' ? 'due' : status === 'pending' ? 'pending' : 'other'
}

/** The account's currency: that of a sale whose amount was not converted into it. */
const accountCurrency = (commission: Fields): string => {
  const amount = integerOf(commission.sale_amount)
  const isConverted = !amount || amount !== integerOf(commission.original_sale_amount)
  return (isConverted ? null : currencyOf(commission.original_sale_currency)) ?? CURRENCY
}

/** Rewards in credits, points or free months are no money. */
const readCommission = (id: string, commission: Fields): SourceRow => {
  const promoter = fieldsOf(fieldsOf(commission.promoter_campaign).promoter)
  const referral = fieldsOf(commission.referral)
  const currency = accountCurrency(commission)
  if (commission.unit !== undefined && commission.unit !== 'cash')
    return leftOut(id, 'not_money', null)
  return commissionRow({
    id,
    state: stateOf(commission),
    amountCents: integerOf(commission.amount),
    currency,
    saleAmountCents:
      (currencyOf(commission.original_sale_currency) ?? currency) === currency
        ? integerOf(commission.sale_amount)
        : null,
    saleExternalId: textOf(commission.event_id),
    customerId: textOf(referral.id),
    customerExternalId: textOf(referral.uid),
    customerEmail: addressOf(referral.email),
    partnerId: textOf(promoter.id),
    partnerEmail: addressOf(promoter.email),
    soldAt: momentOf(commission.created_at),
  })
}

/**
 * A cursor: the number of the page, and the first id of the page before. A list that ignores the
 * number returns the same page again. Its first id is then that of the page before, and the list
 * ends.
 */
const placeOf = (cursor: string | null): { page: string; before: string | undefined } => {
  const [page = '1', before] = (cursor ?? '1').split(' ')
  return { page, before }
}

export const FIRSTPROMOTER = definePlatform({
  id: 'firstpromoter',
  name: 'FirstPromoter',
  baseUrl: 'https://api.firstpromoter.com/api/v2/company',
  paging: 'number',
  pageSize: PAGE_SIZE,
  imported: ['customers', 'coupons', 'commissions', 'partners'],
  owed: 'partners',
  account: 'Account ID',
  tokenHint: 'The API key and the account’s ID, under Settings, Integrations.',
  caution:
    'FirstPromoter does not say the currency of balances, and that of commissions only if the sale was not converted. They are read as USD: if your account has another one, don’t import balances.',
  headers: ({ token, account }) => ({ ...bearerAuth(token), 'ACCOUNT-ID': account ?? '' }),
  lists: {
    customers: { path: '/referrals', row: readCustomer },
    coupons: { path: '/promo_codes', row: readCoupon },
    partners: { path: '/promoters', row: readPartner },
    commissions: { path: '/commissions', row: readCommission },
  },
  pathOf: (list, { cursor }) => `${list}?per_page=${PAGE_SIZE}&page=${placeOf(cursor).page}`,
  pageOf: (body, cursor) => {
    const items = Array.isArray(body) ? body : fieldsOf(body).data
    if (!Array.isArray(items)) return null
    const { page, before } = placeOf(cursor)
    const first = textOf(fieldsOf(items[0]).id)
    if (first !== null && first === before) return { items: [], next: null, total: null }
    const isLast = items.length !== PAGE_SIZE || first === null
    return { items, next: isLast ? null : `${Number(page) + 1} ${first}`, total: null }
  },
})
