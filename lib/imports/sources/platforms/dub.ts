/**
 * Dub's API: https://dub.co/docs/api-reference/introduction. Customers and commissions continue
 * after the id of a page's last row. Other lists are paged by number. docs/imports.md says what
 * Dub's reference and its source code confirm.
 */

import { readDubReward } from '../rewards/dub-rewards.ts'
import { rewardRow } from '../rewards/read-reward.ts'
import type { Resource } from '../source.ts'
import type { SourceCommission, SourceRow } from '../source-rows.ts'
import {
  addressOf,
  currencyOf,
  type Fields,
  fieldsOf,
  integerOf,
  listOf,
  momentOf,
  textOf,
} from './json.ts'
import {
  bearerAuth,
  commissionRow,
  customerRow,
  definePlatform,
  lastId,
  leftOut,
  partnerRow,
} from './platform.ts'

const PAGE_SIZE = 100

const OLDEST_FIRST = 'sortBy=createdAt&sortOrder=asc'

/** Lists that continue after the id of a page's last row. */
const AFTER_ID: Resource[] = ['customers', 'commissions']

/** Stripe reports renewals by its own id. */
const customerIdOf = (customer: Fields): string | null =>
  textOf(customer.stripeCustomerId) ?? textOf(customer.externalId)

const readCustomer = (id: string, customer: Fields): SourceRow => {
  const partner = fieldsOf(customer.partner)
  return customerRow({
    id,
    externalId: customerIdOf(customer),
    email: addressOf(customer.email),
    partnerId: textOf(partner.id),
    partnerEmail: addressOf(partner.email),
    referredAt: momentOf(customer.createdAt),
    startedAt: momentOf(customer.firstSaleAt),
  })
}

/** A code has no id of the payment processor: Dub asks Stripe for the code of each that was used. */
const readCoupon = (id: string, { disabledAt, code }: Fields): SourceRow =>
  leftOut(id, textOf(disabledAt) ? 'archived' : 'no_processor_id', textOf(code))

const readGroup = (id: string, { name }: Fields): SourceRow => ({
  kind: 'group',
  id,
  name: textOf(name) ?? id,
})

/** A group names its rewards only where it is read alone. Its partners name them in the list. */
const readReward = (id: string, item: Fields): SourceRow =>
  rewardRow({ id, name: textOf(item.description) ?? id, group: null, item }, readDubReward(item))

const readPartner = (id: string, partner: Fields): SourceRow =>
  partnerRow({
    id,
    email: addressOf(partner.email),
    name: textOf(partner.name),
    status: textOf(partner.status),
    group: textOf(partner.groupId),
    links: listOf(partner.links).flatMap((item) => {
      const { key, shortLink } = fieldsOf(item)
      const slug = textOf(key)
      return slug ? [{ slug, url: textOf(shortLink) }] : []
    }),
    // Discount codes are a list of their own.
    coupons: [],
    // They follow from commissions.
    balances: [],
    rewardIds: [partner.saleRewardId, partner.leadRewardId, partner.clickRewardId].flatMap(
      (one) => textOf(one) ?? [],
    ),
  })

const STATES: Record<string, SourceCommission['state']> = {
  pending: 'pending',
  hold: 'pending',
  processed: 'due',
  paid: 'paid',
  refunded: 'voided',
  duplicate: 'voided',
  fraud: 'voided',
  canceled: 'voided',
}

const readCommission = (id: string, commission: Fields): SourceRow => {
  const customer = fieldsOf(commission.customer)
  const partner = fieldsOf(commission.partner)
  return commissionRow({
    id,
    state: STATES[textOf(commission.status) ?? ''] ?? 'other',
    amountCents: integerOf(commission.earnings),
    currency: currencyOf(commission.currency),
    saleAmountCents: commission.type === 'sale' ? integerOf(commission.amount) : null,
    saleExternalId: textOf(commission.invoiceId),
    customerId: textOf(customer.id),
    customerExternalId: customerIdOf(customer),
    customerEmail: addressOf(customer.email),
    partnerId: textOf(partner.id),
    partnerEmail: addressOf(partner.email),
    soldAt: momentOf(commission.createdAt),
  })
}

export const DUB = definePlatform({
  id: 'dub',
  name: 'Dub',
  baseUrl: 'https://api.dub.co',
  paging: 'cursor',
  pageSize: PAGE_SIZE,
  imported: ['customers', 'coupons', 'groups', 'rewards', 'commissions', 'partners'],
  owed: 'commissions',
  account: null,
  tokenHint: 'An API key of the workspace with read access, under Settings, API keys.',
  caution: null,
  headers: ({ token }) => bearerAuth(token),
  lists: {
    customers: {
      path: `/customers?includeExpandedFields=true&${OLDEST_FIRST}&`,
      row: readCustomer,
    },
    coupons: { path: '/discount-codes?', row: readCoupon },
    groups: { path: `/groups?${OLDEST_FIRST}&`, row: readGroup },
    rewards: { path: '/rewards?', row: readReward },
    partners: { path: `/partners?${OLDEST_FIRST}&`, row: readPartner },
    commissions: { path: `/commissions?${OLDEST_FIRST}&`, row: readCommission },
  },
  pathOf: (list, { resource, cursor }) => {
    const after = cursor === null ? '' : `&startingAfter=${encodeURIComponent(cursor)}`
    const from = AFTER_ID.includes(resource) ? after : `&page=${cursor ?? '1'}`
    return `${list}pageSize=${PAGE_SIZE}${from}`
  },
  pageOf: (body, cursor, resource) => {
    if (!Array.isArray(body)) return null
    const after = AFTER_ID.includes(resource) ? lastId(body) : String(Number(cursor ?? '1') + 1)
    // All rewards are on one page.
    const isLast = resource === 'rewards' || body.length < PAGE_SIZE
    return { items: body, next: isLast ? null : after, total: null }
  },
})
