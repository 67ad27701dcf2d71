/**
 * Tolt's API, version 1: https://docs.tolt.com. Lists are newest first, and continue after the id
 * of a page's last row. docs/imports.md says what its reference confirms.
 */

import type { SourceCommission, SourceRow } from '../source-rows.ts'
import {
  addressOf,
  currencyOf,
  type Fields,
  fieldsOf,
  integerOf,
  momentOf,
  nameOf,
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

const readPartner = (id: string, partner: Fields): SourceRow =>
  partnerRow({
    id,
    email: addressOf(partner.email),
    name: nameOf(partner.first_name, partner.last_name),
    status: textOf(partner.status),
    group: textOf(fieldsOf(partner.group).name),
    // Links, codes and commissions are lists of their own.
    links: [],
    coupons: [],
    balances: [],
  })

const readLink = (id: string, link: Fields): SourceRow => {
  const [param, value] = [textOf(link.param), textOf(link.value)]
  const partnerId = textOf(link.partner_id) ?? textOf(fieldsOf(link.partner).id)
  if (!value) return leftOut(id, 'unreadable', value)
  if (!partnerId) return leftOut(id, 'no_partner', value)
  // The API does not name the page. The site's tag has to read the parameter.
  const url = param && `?${encodeURIComponent(param)}=${encodeURIComponent(value)}`
  return { kind: 'link', id, partnerId, link: { slug: value, url } }
}

/** A code has no id of the payment processor, by which a checkout names it. */
const readCoupon = (id: string, { active, code }: Fields): SourceRow =>
  leftOut(id, active === false ? 'archived' : 'no_processor_id', textOf(code))

const readCustomer = (id: string, customer: Fields): SourceRow => {
  const partnerId = textOf(customer.partner_id)
  return customerRow({
    id,
    externalId: textOf(customer.customer_id),
    email: addressOf(customer.email),
    partnerId,
    partnerEmail: partnerId && addressOf(fieldsOf(customer.partner).email),
    referredAt: momentOf(customer.created_at),
    startedAt: momentOf(customer.active_at),
  })
}

const STATES: Record<string, SourceCommission['state']> = {
  pending: 'pending',
  approved: 'due',
  paid: 'paid',
  rejected: 'voided',
  refunded: 'voided',
}

const readCommission = (id: string, commission: Fields): SourceRow => {
  const customer = fieldsOf(commission.customer)
  const partner = fieldsOf(commission.partner)
  return commissionRow({
    id,
    state: STATES[textOf(commission.status) ?? ''] ?? 'other',
    amountCents: integerOf(commission.amount),
    currency:
      currencyOf(commission.currency) ?? currencyOf(fieldsOf(commission.program).currency_code),
    saleAmountCents: integerOf(commission.revenue),
    saleExternalId:
      textOf(commission.charge_id) ?? textOf(fieldsOf(commission.transaction).charge_id),
    customerId: textOf(commission.customer_id) ?? textOf(customer.id),
    customerExternalId: textOf(customer.customer_id),
    customerEmail: addressOf(customer.email),
    partnerId: textOf(partner.id) ?? textOf(customer.partner_id),
    partnerEmail: addressOf(partner.email),
    soldAt: momentOf(commission.created_at),
  })
}

export const TOLT = definePlatform({
  id: 'tolt',
  name: 'Tolt',
  baseUrl: 'https://api.tolt.com/v1',
  paging: 'cursor',
  pageSize: 100,
  imported: ['customers', 'coupons', 'links', 'commissions', 'partners'],
  owed: 'commissions',
  account: 'Program ID',
  tokenHint: 'The API key, under Settings, Integrations. The program’s ID begins with prg_.',
  caution:
    'Tolt’s flows, which say what partners earn, are not read. Enter the rewards of your program and its groups by hand.',
  headers: ({ token }) => bearerAuth(token),
  lists: {
    customers: { path: '/customers?expand[]=partner', row: readCustomer },
    coupons: { path: '/promotion-codes?expand[]=partner', row: readCoupon },
    links: { path: '/links?expand[]=partner', row: readLink },
    partners: { path: '/partners?expand[]=group', row: readPartner },
    commissions: {
      path: '/commissions?expand[]=partner&expand[]=customer&expand[]=program&expand[]=transaction',
      row: readCommission,
    },
  },
  pathOf: (list, { cursor, account }) => {
    const after = cursor === null ? '' : `&starting_after=${encodeURIComponent(cursor)}`
    return `${list}&program_id=${encodeURIComponent(account)}&limit=100${after}`
  },
  pageOf: (body) => {
    const { data, has_more, total_count } = fieldsOf(body)
    // The list of customers has its rows one level deeper.
    const items = Array.isArray(data) ? data : fieldsOf(data).data
    if (!Array.isArray(items)) return null
    const next = has_more === true ? lastId(items) : null
    return { items, next, total: integerOf(total_count) }
  },
})
