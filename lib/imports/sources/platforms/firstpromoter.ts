/**
 * FirstPromoter's API, version 2: https://docs.firstpromoter.com/api-reference-v2. Lists are paged
 * by number, and don't say how many rows they have. docs/imports.md says what its reference
 * confirms.
 */

import type { Platform, Resource, SourceCommission, SourceRow } from '../source.ts'
import { bearerAuth } from './authorization.ts'
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

const PAGE_SIZE = 100

const PATHS: Partial<Record<Resource, string>> = {
  customers: '/referrals',
  coupons: '/promo_codes',
  partners: '/promoters',
  commissions: '/commissions',
}

/**
 * A promoter takes part in a campaign by a record of its own, by which promo codes name the
 * promoter.
 */
const membershipOf = (id: unknown): string | null => {
  const text = textOf(id)
  return text && `promoter_campaign ${text}`
}

/** Of several campaigns: accepted in one of them is active. */
const statusOf = (
  campaigns: Record<string, unknown>[],
  archivedAt: string | null,
): string | null => {
  if (archivedAt) return 'archived'
  const states = campaigns.map(({ state }) => textOf(state)).filter((state) => state !== null)
  if (states.includes('accepted')) return 'accepted'
  return states[0] === 'not_set' ? 'pending' : (states[0] ?? null)
}

/** Balances are in cents. The API does not name the currency of the account. */
const CURRENCY = 'USD'

const partnerRow = (id: string, promoter: Record<string, unknown>): SourceRow => {
  const email = addressOf(promoter.email)
  const profile = fieldsOf(promoter.profile)
  const name = textOf(promoter.name) ?? nameOf(profile.first_name, profile.last_name)
  if (!email) return { kind: 'left_out', id, reason: 'no_email', name: name ?? id }
  const campaigns = listOf(promoter.promoter_campaigns).map(fieldsOf)
  const cents = integerOf(fieldsOf(promoter.balances).cash)
  return {
    kind: 'partner',
    id,
    email,
    name,
    status: statusOf(campaigns, textOf(promoter.archived_at)),
    group: textOf(fieldsOf(campaigns[0]?.campaign).name),
    memberships: campaigns.flatMap((campaign) => membershipOf(campaign.id) ?? []),
    links: campaigns.flatMap(({ ref_token, ref_link }) => {
      const slug = textOf(ref_token)
      return slug ? [{ slug, url: textOf(ref_link) }] : []
    }),
    // Promo codes, which say the payment processor's ids, are a list of their own.
    coupons: [],
    balances: cents ? [{ currency: CURRENCY, cents }] : [],
  }
}

const couponRow = (id: string, promoCode: Record<string, unknown>): SourceRow => {
  const [code, externalId] = [textOf(promoCode.code), textOf(promoCode.ext_id)]
  const partnerId = membershipOf(promoCode.promoter_campaign_id)
  const name = code ?? externalId ?? id
  if (textOf(promoCode.archived_at)) return { kind: 'left_out', id, reason: 'archived', name }
  if (!partnerId) return { kind: 'left_out', id, reason: 'no_partner', name }
  if (!externalId) return { kind: 'left_out', id, reason: 'no_processor_id', name }
  return { kind: 'coupon', id, partnerId, externalId, code }
}

/** Referrals that earn nothing any more. */
const ENDED = ['denied', 'moved']

const customerRow = (id: string, referral: Record<string, unknown>): SourceRow => {
  const promoter = fieldsOf(fieldsOf(referral.promoter_campaign).promoter)
  const [externalId, email] = [textOf(referral.uid), addressOf(referral.email)]
  const partnerId = textOf(promoter.id) ?? textOf(fieldsOf(referral.promoter_campaign).promoter_id)
  const name = email ?? externalId ?? id
  if (ENDED.includes(textOf(referral.state) ?? ''))
    return { kind: 'left_out', id, reason: 'deactivated', name }
  if (!externalId && !email) return { kind: 'left_out', id, reason: 'no_customer', name }
  if (!partnerId) return { kind: 'left_out', id, reason: 'no_partner', name }
  return {
    kind: 'customer',
    id,
    externalId,
    email,
    partnerId,
    partnerEmail: addressOf(promoter.email),
    referredAt: momentOf(referral.created_at),
    startedAt: momentOf(referral.customer_since),
  }
}

const stateOf = ({ status, is_paid }: Record<string, unknown>): SourceCommission['state'] => {
  if (status === 'denied') return 'voided'
  if (is_paid === true) return 'paid'
  return status === 'approved' ? 'due' : status === 'pending' ? 'pending' : 'other'
}

/**
 * The account's currency, if it is that of the sale, whose amount was not converted into it then.
 */
const accountCurrency = (commission: Record<string, unknown>): string => {
  const amount = integerOf(commission.sale_amount)
  const isConverted = !amount || amount !== integerOf(commission.original_sale_amount)
  return (isConverted ? null : currencyOf(commission.original_sale_currency)) ?? CURRENCY
}

/** Rewards in credits, points or free months are no money. */
const commissionRow = (id: string, commission: Record<string, unknown>): SourceRow => {
  const promoter = fieldsOf(fieldsOf(commission.promoter_campaign).promoter)
  const referral = fieldsOf(commission.referral)
  const amountCents = integerOf(commission.amount)
  const soldAt = momentOf(commission.created_at)
  const currency = accountCurrency(commission)
  const isMoney = commission.unit === undefined || commission.unit === 'cash'
  if (!isMoney) return { kind: 'left_out', id, reason: 'not_money', name: id }
  if (amountCents === null || !soldAt)
    return { kind: 'left_out', id, reason: 'unreadable', name: id }
  return {
    kind: 'commission',
    id,
    state: stateOf(commission),
    amountCents,
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
    soldAt,
  }
}

const ROWS: Partial<Record<Resource, (id: string, item: Record<string, unknown>) => SourceRow>> = {
  customers: customerRow,
  coupons: couponRow,
  partners: partnerRow,
  commissions: commissionRow,
}

/**
 * The page and the first id of the one before. A list that the reference does not say to be paged
 * may be the same on each page: then its first id is that of the page before, and the list ends.
 */
const placeOf = (cursor: string | null): { page: string; before: string | undefined } => {
  const [page = '1', before] = (cursor ?? '1').split(' ')
  return { page, before }
}

/** How FirstPromoter is read. */
export const FIRSTPROMOTER: Platform = {
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
  path: (resource, cursor) =>
    `${PATHS[resource] ?? ''}?per_page=${PAGE_SIZE}&page=${placeOf(cursor).page}`,
  read: (resource, body, cursor) => {
    const items = Array.isArray(body) ? body : fieldsOf(body).data
    const row = ROWS[resource]
    if (!Array.isArray(items) || !row) return null
    const rows = items.flatMap((item) => {
      const fields = fieldsOf(item)
      const id = textOf(fields.id)
      return id ? [row(id, fields)] : []
    })
    const { page, before } = placeOf(cursor)
    const first = textOf(fieldsOf(items[0]).id)
    if (first !== null && first === before) return { rows: [], next: null, total: null }
    const next =
      items.length === PAGE_SIZE && first !== null ? `${Number(page) + 1} ${first}` : null
    return { rows, next, total: null }
  },
}
