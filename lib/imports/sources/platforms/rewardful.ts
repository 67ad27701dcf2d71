/**
 * Rewardful's REST API: https://developers.rewardful.com/rest-api/overview. Lists are newest first,
 * and paged by number. docs/imports.md says what its reference confirms.
 */

import type {
  Balance,
  Platform,
  Resource,
  SourceCommission,
  SourceLink,
  SourceRow,
} from '../source.ts'
import { basicAuth } from './authorization.ts'
import {
  addressOf,
  currencyOf,
  fieldsOf,
  integerOf,
  listOf,
  momentOf,
  nameOf,
  textOf,
} from './json.ts'

/** Visitors who are no customers are not listed. */
const PATHS: Partial<Record<Resource, string>> = {
  customers:
    '/referrals?conversion_state[]=lead&conversion_state[]=conversion&expand[]=affiliate&limit=100&page=',
  coupons: '/affiliate_coupons?limit=100&page=',
  partners:
    '/affiliates?expand[]=campaign&expand[]=links&expand[]=commission_stats&limit=100&page=',
  commissions: '/commissions?expand[]=sale&limit=100&page=',
}

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

const partnerRow = (id: string, affiliate: Record<string, unknown>): SourceRow => {
  const email = addressOf(affiliate.email)
  const name = nameOf(affiliate.first_name, affiliate.last_name)
  if (!email) return { kind: 'left_out', id, reason: 'no_email', name: name ?? id }
  return {
    kind: 'partner',
    id,
    email,
    name,
    status: textOf(affiliate.state),
    group: textOf(fieldsOf(affiliate.campaign).name),
    links: linksOf(affiliate.links),
    // Those of the list of coupons say whether they are archived.
    coupons: [],
    balances: balancesOf(affiliate.commission_stats),
  }
}

const couponRow = (id: string, coupon: Record<string, unknown>): SourceRow => {
  const externalId = textOf(coupon.external_id)
  const code = textOf(coupon.token)
  const partnerId = textOf(coupon.affiliate_id)
  const name = code ?? externalId ?? id
  if (coupon.archived === true || textOf(coupon.archived_at)) {
    return { kind: 'left_out', id, reason: 'archived', name }
  }
  if (!partnerId) return { kind: 'left_out', id, reason: 'no_partner', name }
  if (!externalId) return { kind: 'left_out', id, reason: 'no_processor_id', name }
  return { kind: 'coupon', id, partnerId, externalId, code }
}

/** A referral by a coupon alone has no link; one whose customer was deleted has no customer. */
const customerRow = (id: string, referral: Record<string, unknown>): SourceRow => {
  const customer = fieldsOf(referral.customer)
  const affiliate = fieldsOf(referral.affiliate)
  const externalId = textOf(customer.id) ?? textOf(referral.stripe_customer_id)
  const email = addressOf(customer.email)
  const partnerId = textOf(affiliate.id) ?? textOf(referral.affiliate_id)
  const partnerEmail = addressOf(affiliate.email)
  const name = email ?? externalId ?? id
  if (textOf(referral.deactivated_at)) return { kind: 'left_out', id, reason: 'deactivated', name }
  if (!externalId && !email) return { kind: 'left_out', id, reason: 'no_customer', name }
  if (!partnerId && !partnerEmail) return { kind: 'left_out', id, reason: 'no_partner', name }
  return {
    kind: 'customer',
    id,
    externalId,
    email,
    partnerId,
    partnerEmail,
    referredAt: momentOf(referral.created_at),
    startedAt: momentOf(referral.became_conversion_at),
  }
}

const STATES = ['pending', 'due', 'paid', 'voided'] as const

const stateOf = (commission: Record<string, unknown>): SourceCommission['state'] => {
  if (textOf(commission.voided_at)) return 'voided'
  return STATES.find((state) => state === commission.state) ?? 'other'
}

const commissionRow = (id: string, commission: Record<string, unknown>): SourceRow => {
  const sale = fieldsOf(commission.sale)
  const referral = fieldsOf(sale.referral)
  const customer = fieldsOf(referral.customer)
  const affiliate = fieldsOf(sale.affiliate)
  const amountCents = integerOf(commission.amount)
  const currency = currencyOf(commission.currency)
  const soldAt = momentOf(sale.charged_at) ?? momentOf(commission.created_at)
  if (amountCents === null || !currency || !soldAt) {
    return { kind: 'left_out', id, reason: 'unreadable', name: id }
  }
  return {
    kind: 'commission',
    id,
    state: stateOf(commission),
    amountCents,
    currency,
    saleAmountCents:
      currencyOf(sale.currency) === currency ? integerOf(sale.sale_amount_cents) : null,
    saleExternalId: textOf(sale.stripe_charge_id),
    customerId: textOf(referral.id),
    customerExternalId: textOf(customer.id) ?? textOf(referral.stripe_customer_id),
    customerEmail: addressOf(customer.email),
    partnerId: textOf(affiliate.id),
    partnerEmail: addressOf(affiliate.email),
    soldAt,
  }
}

const ROWS: Partial<Record<Resource, (id: string, item: Record<string, unknown>) => SourceRow>> = {
  customers: customerRow,
  coupons: couponRow,
  partners: partnerRow,
  commissions: commissionRow,
}

/** How Rewardful is read. */
export const REWARDFUL: Platform = {
  id: 'rewardful',
  name: 'Rewardful',
  baseUrl: 'https://api.getrewardful.com/v1',
  paging: 'number',
  pageSize: 100,
  imported: ['customers', 'coupons', 'commissions', 'partners'],
  owed: 'partners',
  account: null,
  tokenHint: 'The API secret, under Company settings.',
  caution: null,
  headers: ({ token }) => basicAuth(token),
  path: (resource, cursor) => `${PATHS[resource] ?? ''}${cursor ?? '1'}`,
  read: (resource, body, cursor) => {
    const { data, pagination } = fieldsOf(body)
    const row = ROWS[resource]
    if (!Array.isArray(data) || !row) return null
    const { next_page, total_count } = fieldsOf(pagination)
    const rows = data.flatMap((item) => {
      const fields = fieldsOf(item)
      const id = textOf(fields.id)
      return id ? [row(id, fields)] : []
    })
    const after = integerOf(next_page)
    const isLast = data.length === 0 || after === null || after <= Number(cursor ?? '1')
    return { rows, next: isLast ? null : String(after), total: integerOf(total_count) }
  },
}
