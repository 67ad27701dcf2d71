/** Dub's API, as its reference describes it: https://dub.co/docs/api-reference/introduction. */
import type { PlatformApi } from './api.ts'
import { bearerOf } from './api.ts'
import type { OldCommission, OldCustomer, OldPartner, OldProgram } from './program.ts'

const MOST = 100
const USUAL = 50

const sizeOf = (query: URLSearchParams): number =>
  Math.min(Number(query.get('pageSize') ?? USUAL) || USUAL, MOST)

/** A page by number or after an id; oldest first if asked. */
const pageOf = <Row extends { id: string }>(rows: Row[], query: URLSearchParams): Row[] => {
  const sorted = query.get('sortOrder') === 'asc' ? rows : rows.toReversed()
  const after = query.get('startingAfter')
  const page = Math.max(Number(query.get('page') ?? 1) || 1, 1)
  const from = after === null ? (page - 1) * sizeOf(query) : sorted.findIndex(({ id }) => id === after) + 1
  return sorted.slice(from, from + sizeOf(query))
}

const STATUSES = { active: 'approved', pending: 'pending', disabled: 'banned' } as const

const partnerOf = ({ id, email, firstName, lastName, state, group, slugs }: OldPartner) => ({
  id,
  name: [firstName, lastName].filter(Boolean).join(' '),
  email,
  status: STATUSES[state],
  groupId: group,
  links: slugs.map((key) => ({
    id: `link_${key}`,
    domain: 'refer.example',
    key,
    shortLink: `https://refer.example/${key}`,
    url: 'https://shop.example',
  })),
  totalCommissions: 0,
})

const whoOf = (id: string, { partners }: OldProgram) => {
  const partner = partners.find((one) => one.id === id)
  return partner && { id, name: partner.firstName, email: partner.email }
}

const customerOf = (customer: OldCustomer, program: OldProgram, expand: boolean) => ({
  id: customer.id,
  externalId: customer.customerId && `user_${customer.customerId}`,
  stripeCustomerId: customer.customerId,
  name: 'A buyer',
  email: customer.email,
  createdAt: customer.referredAt,
  firstSaleAt: customer.startedAt,
  ...(expand && { partner: whoOf(customer.partnerId, program) }),
})

const STATES = { pending: 'pending', due: 'processed', paid: 'paid', voided: 'refunded' } as const

const commissionOf = (row: OldCommission, program: OldProgram) => ({
  id: row.id,
  type: 'sale',
  amount: row.saleCents,
  earnings: row.cents,
  currency: row.currency.toLowerCase(),
  status: STATES[row.state],
  invoiceId: row.chargeId,
  createdAt: row.soldAt,
  partner: whoOf(row.partnerId, program),
  customer: row.customer && customerOf(row.customer, program, false),
})

export const DUB_API: PlatformApi = {
  tokenOf: bearerOf,
  refusal: {
    status: 401,
    body: { error: { code: 'unauthorized', message: 'Unauthorized: Invalid API key.' } },
  },
  limitHeaders: ({ most, left, resetSeconds }) => ({
    'X-RateLimit-Limit': String(most),
    'X-RateLimit-Remaining': String(left),
    'X-RateLimit-Reset': String(Date.now() + resetSeconds * 1_000),
    ...(left === 0 && { 'Retry-After': String(resetSeconds) }),
  }),
  answer: ({ pathname, searchParams: query }, { program }) => {
    const customers = program.customers.filter(({ state }) => state !== 'visitor')
    const expand = query.get('includeExpandedFields') === 'true'
    if (pathname === '/partners') return { status: 200, body: pageOf(program.partners, query).map(partnerOf) }
    if (pathname === '/customers')
      return { status: 200, body: pageOf(customers, query).map((row) => customerOf(row, program, expand)) }
    if (pathname === '/commissions')
      return {
        status: 200,
        body: pageOf(program.commissions, query).map((row) => commissionOf(row, program)),
      }
    return undefined
  },
}
