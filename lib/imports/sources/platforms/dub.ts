/**
 * Dub's API: https://dub.co/docs/api-reference/introduction. Customers and commissions go on after
 * the id of a page's last row; other lists are paged by number. docs/imports.md says what its
 * reference and its source code confirm.
 */

import type { Platform, Resource, SourceCommission, SourceRow } from '../source.ts'
import { bearerAuth } from './authorization.ts'
import { addressOf, currencyOf, fieldsOf, integerOf, listOf, momentOf, textOf } from './json.ts'

const PAGE_SIZE = 100

const OLDEST_FIRST = 'sortBy=createdAt&sortOrder=asc'

const PATHS: Partial<Record<Resource, string>> = {
  customers: `/customers?includeExpandedFields=true&${OLDEST_FIRST}&`,
  coupons: '/discount-codes?',
  groups: `/groups?${OLDEST_FIRST}&`,
  partners: `/partners?${OLDEST_FIRST}&`,
  commissions: `/commissions?${OLDEST_FIRST}&`,
}

/** Lists that go on after the id of a page's last row. */
const AFTER_ID: Resource[] = ['customers', 'commissions']

/**
 * A code has no id of the payment processor: Dub asks Stripe for the code of each that was used.
 */
const couponRow = (id: string, discountCode: Record<string, unknown>): SourceRow => ({
  kind: 'left_out',
  id,
  reason: textOf(discountCode.disabledAt) ? 'archived' : 'no_processor_id',
  name: textOf(discountCode.code) ?? id,
})

const groupRow = (id: string, group: Record<string, unknown>): SourceRow => ({
  kind: 'group',
  id,
  name: textOf(group.name) ?? id,
})

const partnerRow = (id: string, partner: Record<string, unknown>): SourceRow => {
  const email = addressOf(partner.email)
  const name = textOf(partner.name)
  if (!email) return { kind: 'left_out', id, reason: 'no_email', name: name ?? id }
  return {
    kind: 'partner',
    id,
    email,
    name,
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
  }
}

const customerRow = (id: string, customer: Record<string, unknown>): SourceRow => {
  const partner = fieldsOf(customer.partner)
  // Stripe reports renewals by its own id.
  const externalId = textOf(customer.stripeCustomerId) ?? textOf(customer.externalId)
  const email = addressOf(customer.email)
  const [partnerId, partnerEmail] = [textOf(partner.id), addressOf(partner.email)]
  const name = email ?? externalId ?? id
  if (!externalId && !email) return { kind: 'left_out', id, reason: 'no_customer', name }
  if (!partnerId && !partnerEmail) return { kind: 'left_out', id, reason: 'no_partner', name }
  return {
    kind: 'customer',
    id,
    externalId,
    email,
    partnerId,
    partnerEmail,
    referredAt: momentOf(customer.createdAt),
    startedAt: momentOf(customer.firstSaleAt),
  }
}

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

const commissionRow = (id: string, commission: Record<string, unknown>): SourceRow => {
  const { customer, partner } = commission
  const amountCents = integerOf(commission.earnings)
  const currency = currencyOf(commission.currency)
  const soldAt = momentOf(commission.createdAt)
  if (amountCents === null || !currency || !soldAt)
    return { kind: 'left_out', id, reason: 'unreadable', name: id }
  return {
    kind: 'commission',
    id,
    state: STATES[textOf(commission.status) ?? ''] ?? 'other',
    amountCents,
    currency,
    saleAmountCents: commission.type === 'sale' ? integerOf(commission.amount) : null,
    saleExternalId: textOf(commission.invoiceId),
    customerId: textOf(fieldsOf(customer).id),
    customerExternalId:
      textOf(fieldsOf(customer).stripeCustomerId) ?? textOf(fieldsOf(customer).externalId),
    customerEmail: addressOf(fieldsOf(customer).email),
    partnerId: textOf(fieldsOf(partner).id),
    partnerEmail: addressOf(fieldsOf(partner).email),
    soldAt,
  }
}

const ROWS: Partial<Record<Resource, (id: string, item: Record<string, unknown>) => SourceRow>> = {
  customers: customerRow,
  coupons: couponRow,
  groups: groupRow,
  partners: partnerRow,
  commissions: commissionRow,
}

/** How Dub is read. */
export const DUB: Platform = {
  id: 'dub',
  name: 'Dub',
  baseUrl: 'https://api.dub.co',
  paging: 'cursor',
  pageSize: PAGE_SIZE,
  imported: ['customers', 'coupons', 'groups', 'commissions', 'partners'],
  owed: 'commissions',
  account: null,
  tokenHint: 'An API key of the workspace with read access, under Settings, API keys.',
  caution: null,
  headers: ({ token }) => bearerAuth(token),
  path: (resource, cursor) => {
    const after = cursor === null ? '' : `&startingAfter=${encodeURIComponent(cursor)}`
    const from = AFTER_ID.includes(resource) ? after : `&page=${cursor ?? '1'}`
    return `${PATHS[resource] ?? ''}pageSize=${PAGE_SIZE}${from}`
  },
  read: (resource, body, cursor) => {
    const row = ROWS[resource]
    if (!Array.isArray(body) || !row) return null
    const found = body.flatMap((item) => {
      const fields = fieldsOf(item)
      const id = textOf(fields.id)
      return id ? [{ id, row: row(id, fields) }] : []
    })
    const after = AFTER_ID.includes(resource) ? found.at(-1)?.id : String(Number(cursor ?? '1') + 1)
    return {
      rows: found.map((one) => one.row),
      next: body.length < PAGE_SIZE ? null : (after ?? null),
      total: null,
    }
  },
}
