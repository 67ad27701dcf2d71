/**
 * Tolt's API, version 1: https://docs.tolt.com. Lists are newest first, and go on after the id of a
 * page's last row. docs/imports.md says what its reference confirms.
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

const PATHS: Partial<Record<Resource, string>> = {
  customers: '/customers?expand[]=partner',
  coupons: '/promotion-codes?expand[]=partner',
  links: '/links?expand[]=partner',
  partners: '/partners?expand[]=group',
  commissions:
    '/commissions?expand[]=partner&expand[]=customer&expand[]=program&expand[]=transaction',
}

/** What the platform calls a reward that nobody was paid yet. */
const STATES: Record<string, SourceCommission['state']> = {
  pending: 'pending',
  approved: 'due',
  paid: 'paid',
  rejected: 'voided',
  refunded: 'voided',
}

const partnerRow = (id: string, partner: Record<string, unknown>): SourceRow => {
  const email = addressOf(partner.email)
  const name = nameOf(partner.first_name, partner.last_name)
  if (!email) return { kind: 'left_out', id, reason: 'no_email', name: name ?? id }
  return {
    kind: 'partner',
    id,
    email,
    name,
    status: textOf(partner.status),
    group: textOf(fieldsOf(partner.group).name),
    // Links, codes and commissions are lists of their own.
    links: [],
    coupons: [],
    balances: [],
  }
}

const linkRow = (id: string, link: Record<string, unknown>): SourceRow => {
  const [param, value] = [textOf(link.param), textOf(link.value)]
  const partnerId = textOf(link.partner_id) ?? textOf(fieldsOf(link.partner).id)
  const name = value ?? id
  if (!value) return { kind: 'left_out', id, reason: 'unreadable', name }
  if (!partnerId) return { kind: 'left_out', id, reason: 'no_partner', name }
  // The page it leads to is not in it. Its parameter is one that the site's tag has to read.
  const url = param && `?${encodeURIComponent(param)}=${encodeURIComponent(value)}`
  return { kind: 'link', id, partnerId, link: { slug: value, url } }
}

/** A code has no id of the payment processor, by which a checkout names it. */
const couponRow = (id: string, coupon: Record<string, unknown>): SourceRow => {
  const name = textOf(coupon.code) ?? id
  return {
    kind: 'left_out',
    id,
    reason: coupon.active === false ? 'archived' : 'no_processor_id',
    name,
  }
}

const customerRow = (id: string, customer: Record<string, unknown>): SourceRow => {
  const externalId = textOf(customer.customer_id)
  const email = addressOf(customer.email)
  const partnerId = textOf(customer.partner_id)
  const name = email ?? externalId ?? id
  if (!externalId && !email) return { kind: 'left_out', id, reason: 'no_customer', name }
  if (!partnerId) return { kind: 'left_out', id, reason: 'no_partner', name }
  return {
    kind: 'customer',
    id,
    externalId,
    email,
    partnerId,
    partnerEmail: addressOf(fieldsOf(customer.partner).email),
    referredAt: momentOf(customer.created_at),
    startedAt: momentOf(customer.active_at),
  }
}

const commissionRow = (id: string, commission: Record<string, unknown>): SourceRow => {
  const { customer, partner, program, transaction } = commission
  const amountCents = integerOf(commission.amount)
  const currency = currencyOf(commission.currency) ?? currencyOf(fieldsOf(program).currency_code)
  const soldAt = momentOf(commission.created_at)
  if (amountCents === null || !currency || !soldAt)
    return { kind: 'left_out', id, reason: 'unreadable', name: id }
  return {
    kind: 'commission',
    id,
    state: STATES[textOf(commission.status) ?? ''] ?? 'other',
    amountCents,
    currency,
    saleAmountCents: integerOf(commission.revenue),
    saleExternalId: textOf(commission.charge_id) ?? textOf(fieldsOf(transaction).charge_id),
    customerId: textOf(commission.customer_id) ?? textOf(fieldsOf(customer).id),
    customerExternalId: textOf(fieldsOf(customer).customer_id),
    customerEmail: addressOf(fieldsOf(customer).email),
    partnerId: textOf(fieldsOf(partner).id) ?? textOf(fieldsOf(customer).partner_id),
    partnerEmail: addressOf(fieldsOf(partner).email),
    soldAt,
  }
}

const ROWS: Partial<Record<Resource, (id: string, item: Record<string, unknown>) => SourceRow>> = {
  customers: customerRow,
  coupons: couponRow,
  links: linkRow,
  partners: partnerRow,
  commissions: commissionRow,
}

/** The rows of a page, which the list of customers has one level deeper. */
const itemsOf = (data: unknown): unknown[] | null => {
  const items = Array.isArray(data) ? data : fieldsOf(data).data
  return Array.isArray(items) ? items : null
}

/** How Tolt is read. */
export const TOLT: Platform = {
  id: 'tolt',
  name: 'Tolt',
  baseUrl: 'https://api.tolt.com/v1',
  paging: 'cursor',
  pageSize: 100,
  imported: ['customers', 'coupons', 'links', 'commissions', 'partners'],
  owed: 'commissions',
  account: 'Program ID',
  tokenHint: 'The API key, under Settings, Integrations. The program’s ID begins with prg_.',
  caution: null,
  headers: ({ token }) => bearerAuth(token),
  path: (resource, cursor, { account }) => {
    const after = cursor === null ? '' : `&starting_after=${encodeURIComponent(cursor)}`
    return `${PATHS[resource] ?? ''}&program_id=${encodeURIComponent(account ?? '')}&limit=100${after}`
  },
  read: (resource, body) => {
    const { data, has_more, total_count } = fieldsOf(body)
    const items = itemsOf(data)
    const row = ROWS[resource]
    if (!items || !row) return null
    const found = listOf(items).flatMap((item) => {
      const fields = fieldsOf(item)
      const id = textOf(fields.id)
      return id ? [{ id, row: row(id, fields) }] : []
    })
    return {
      rows: found.map((one) => one.row),
      next: has_more === true ? (found.at(-1)?.id ?? null) : null,
      total: integerOf(total_count),
    }
  },
}
