/**
 * Dub's API, as its reference and its source code describe it:
 * https://dub.co/docs/api-reference/introduction.
 */
import type { PlatformApi } from './api.ts'
import { bearerOf } from './api.ts'
import type {
  OldCommission,
  OldCoupon,
  OldCustomer,
  OldPartner,
  OldProgram,
  OldReward,
} from './program.ts'

const MOST = 100

const refuse = (message: string) => ({
  status: 422,
  body: { error: { code: 'unprocessable_entity', message } },
})

/** A page by number or, of some lists, after an id; oldest first if asked. */
const pageOf = <Row extends { id: string }>(
  rows: Row[],
  query: URLSearchParams,
  present: (row: Row) => object,
) => {
  const size = Number(query.get('pageSize') ?? MOST)
  const page = Number(query.get('page') ?? 1)
  const after = query.get('startingAfter')
  if (!(size >= 1 && size <= MOST)) return refuse(`Max page size is ${MOST}.`)
  if (!(page >= 1)) return refuse('Page must be greater than 0.')
  if (after !== null && query.has('page'))
    return refuse('You cannot use both page and startingAfter.')
  const sorted = query.get('sortOrder') === 'asc' ? rows : rows.toReversed()
  const place = after === null ? (page - 1) * size - 1 : sorted.findIndex(({ id }) => id === after)
  if (after !== null && place < 0) return refuse('Invalid cursor: the provided ID does not exist.')
  return { status: 200, body: sorted.slice(place + 1, place + 1 + size).map(present) }
}

const STATUSES = { active: 'approved', pending: 'pending', disabled: 'banned' } as const

const partnerOf = (
  { id, email, firstName, lastName, state, group, slugs }: OldPartner,
  { rewards }: OldProgram,
) => ({
  id,
  name: [firstName, lastName].filter(Boolean).join(' '),
  email,
  status: STATUSES[state],
  groupId: `grp_${group}`,
  links: slugs.map((key) => ({
    id: `link_${key}`,
    domain: 'refer.example',
    key,
    shortLink: `https://refer.example/${key}`,
    url: 'https://shop.example',
  })),
  clickRewardId: null,
  leadRewardId: null,
  saleRewardId: rewards.find((reward) => reward.group === group)?.id ?? null,
  totalCommissions: 0,
})

/** A reward does not name its group. 0 months is the first sale, and null is without end. */
const rewardOf = ({ id, group, percent, cents, months, modifiers }: OldReward) => ({
  id,
  event: 'sale',
  description: `Reward of ${group}`,
  tooltipDescription: null,
  type: cents === null ? 'percentage' : 'flat',
  amountInCents: cents,
  amountInPercentage: percent,
  maxDuration: months,
  modifiers: modifiers.length > 0 ? modifiers : null,
  config: null,
  updatedAt: '2026-01-01T00:00:00.000Z',
  spendLimitAmount: null,
  spendLimitInterval: null,
})

const groupsOf = ({ partners }: OldProgram) =>
  [...new Set(partners.map(({ group }) => group))].map((name) => ({
    id: `grp_${name}`,
    name,
    slug: name.toLowerCase(),
    totalPartners: 0,
  }))

/** Dub knows codes only, and asks Stripe for the code of a promotion code that was used. */
const discountCodeOf = ({ id, code, partnerId, isArchived }: OldCoupon) => ({
  id,
  code,
  discountId: 'disc_1',
  partnerId,
  linkId: `link_of_${partnerId}`,
  disabledAt: isArchived ? '2026-01-01T00:00:00.000Z' : null,
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
    switch (pathname) {
      case '/partners':
        return pageOf(program.partners, query, (row) => partnerOf(row, program))
      case '/rewards':
        // All of them, whatever page is asked for.
        return { status: 200, body: program.rewards.map(rewardOf) }
      case '/groups':
        return pageOf(groupsOf(program), query, (group) => group)
      case '/discount-codes':
        return pageOf(program.coupons, query, discountCodeOf)
      case '/customers':
        return pageOf(customers, query, (row) => customerOf(row, program, expand))
      case '/commissions':
        return pageOf(program.commissions, query, (row) => commissionOf(row, program))
      default:
        return undefined
    }
  },
}
