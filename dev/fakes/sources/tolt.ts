/** Tolt's API, version 1, as its reference describes it: https://docs.tolt.com. */
import type { PlatformApi } from './api.ts'
import { bearerOf } from './api.ts'
import type { OldCommission, OldCoupon, OldCustomer, OldPartner, OldProgram } from './program.ts'

const MOST = 100
const USUAL = 10

type Item = { id: string }

/** A page, newest first, after an id. A full last page is followed by an empty one. */
const pageOf = <Row extends Item>(rows: Row[], query: URLSearchParams) => {
  const limit = Math.min(Number(query.get('limit') ?? USUAL) || USUAL, MOST)
  const newest = rows.toReversed()
  const after = query.get('starting_after')
  const from = after === null ? 0 : newest.findIndex(({ id }) => id === after) + 1
  const data = newest.slice(from, from + limit)
  return { success: true, has_more: data.length === limit, total_count: rows.length, data }
}

const nameOf = (id: string, { partners }: OldProgram) => {
  const partner = partners.find((one) => one.id === id)
  return partner && { id, email: partner.email }
}

const partnerOf = ({ id, email, firstName, lastName, state, group }: OldPartner) => ({
  id,
  first_name: firstName,
  last_name: lastName,
  email,
  company_name: null,
  program_id: 'prg_1',
  group: { id: `grp_${group}`, name: group },
  status: state === 'disabled' ? 'suspended' : state,
})

const linksOf = ({ id: partner_id, slugs }: OldPartner) =>
  slugs.map((value) => ({
    id: `lnk_${value}`,
    param: 'ref',
    value,
    partner_id,
    program_id: 'prg_1',
  }))

const codeOf = ({ id, code, partnerId, isArchived }: OldCoupon) => ({
  id,
  code,
  type: 'percentage',
  value: 20,
  active: !isArchived,
  partner_id: partnerId,
})

const customerOf = (customer: OldCustomer, program: OldProgram) => ({
  id: customer.id,
  customer_id: customer.customerId,
  email: customer.email,
  name: 'A buyer',
  status: customer.state === 'lead' ? 'lead' : 'active',
  partner_id: customer.partnerId,
  partner: nameOf(customer.partnerId, program),
  created_at: customer.referredAt,
  active_at: customer.startedAt,
})

const STATUSES = { pending: 'pending', due: 'approved', paid: 'paid', voided: 'refunded' } as const

/** Amounts are texts, in minor units. */
const commissionOf = (row: OldCommission, program: OldProgram) => ({
  id: row.id,
  amount: String(row.cents),
  revenue: String(row.saleCents),
  charge_id: row.chargeId,
  status: STATUSES[row.state],
  // The program's, if it is not said.
  currency: row.currency === 'USD' ? null : row.currency,
  program: { id: 'prg_1', currency_code: 'USD' },
  partner: nameOf(row.partnerId, program),
  customer_id: row.customer?.id ?? null,
  customer: row.customer && customerOf(row.customer, program),
  created_at: row.soldAt,
})

export const TOLT_API: PlatformApi = {
  tokenOf: bearerOf,
  refusal: { status: 401, body: { success: false, error: { type: 'authentication_error' } } },
  limitHeaders: () => ({}),
  answer: ({ pathname, searchParams: query }, { program, accountId }) => {
    if (query.get('program_id') !== accountId) return { status: 404, body: { success: false } }
    const ok = (body: object) => ({ status: 200, body })
    const customers = program.customers.filter(({ state }) => state !== 'visitor')
    switch (pathname) {
      case '/partners':
        return ok(pageOf(program.partners.map(partnerOf), query))
      case '/links':
        return ok(pageOf(program.partners.flatMap(linksOf), query))
      case '/promotion-codes':
        return ok(pageOf(program.coupons.map(codeOf), query))
      case '/commissions':
        return ok(
          pageOf(
            program.commissions.map((row) => commissionOf(row, program)),
            query,
          ),
        )
      case '/customers': {
        // As the reference has it: one level deeper than the others.
        const { data, ...page } = pageOf(
          customers.map((row) => customerOf(row, program)),
          query,
        )
        return ok({ ...page, data: { data } })
      }
      default:
        return undefined
    }
  },
}
