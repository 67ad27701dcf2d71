/**
 * Buyers of one merchant, each under ids of its own, whose facts a test delivers in every order.
 * The times of Stripe's events are fixed before: only the order in which they arrive differs.
 */
import { expect } from 'vitest'
import { createMerchant, type Merchant, type useDatabase } from './merchant.ts'
import { eachOf, someOrders } from './permutations.ts'
import {
  checkoutSession,
  invoice,
  type StripeObject,
  seconds,
  stripeEvent,
  useStripe,
} from './stripe.ts'

type Database = ReturnType<typeof useDatabase>
type Partner = 'maya' | 'leo' | 'nora'

/** A paid object of Stripe's, `at` so many seconds after the shop was opened, or before. */
type Paid = StripeObject & { at: number }

export type Shop = Awaited<ReturnType<typeof openShop>>
export type Buyer = ReturnType<Shop['buyer']>

let shops = 0

/**
 * A merchant with the partners "maya" and "leo" of one program, and "nora" of another one. Each has
 * a coupon under its name in capitals.
 */
export const openShop = async (
  database: Database,
  options: Parameters<typeof createMerchant>[0] = {},
  second: Parameters<Merchant['seed']['addProgram']>[1] = {},
) => {
  const merchant = await createMerchant(options)
  const { seed, workspace, programId } = merchant
  const secondProgramId = await seed.addProgram(workspace.id, second)
  const leo = await seed.addPartner(workspace.id, programId, { slug: 'leo' })
  const nora = await seed.addPartner(workspace.id, secondProgramId, { slug: 'nora' })
  await seed.addCoupon(workspace.id, leo, 'LEO')
  await seed.addCoupon(workspace.id, nora, 'NORA')
  const stripe = await useStripe(merchant)
  const manager = await merchant.asManager()
  const start = seconds()
  const shopTag = `s${shops++}${workspace.slug.slice(2)}`
  let buyers = 0

  const buyer = () => {
    const tag = `b${buyers++}${shopTag}`
    const id = (prefix: string, name = '') => `${prefix}_${name}${tag}`
    const address = `${tag}@example.com`

    const event = async (type: string, object: StripeObject, at = 0) => {
      const { status } = await stripe.deliver(stripeEvent(type, object, { created: start + at }), {
        headers: { 'CF-Connecting-IP': tag },
      })
      expect(status).toBe(200)
    }
    const done = async (answer: Promise<{ status: number; body: Record<string, unknown> }>) => {
      const { status, body } = await answer
      expect({ status, body }).toMatchObject({ status: 200 })
      return body
    }
    return {
      tag,
      id,
      address,
      event,
      /** A click through a partner's link, so many hours ago. */
      click: async (slug: Partner = 'maya', hoursAgo = 0): Promise<string> => {
        const clickId = await merchant.click(
          slug,
          slug === 'nora' ? secondProgramId : programId,
          tag,
        )
        await database.query(
          `update clicks set created_at = created_at - $2 * interval '1 hour', expires_at = expires_at - $2 * interval '1 hour'
           where id = $1`,
          [clickId, hoursAgo],
        )
        return clickId
      },
      lead: (body: Record<string, unknown> = {}) =>
        done(merchant.lead({ externalId: id('user'), customerEmail: address, ...body })),
      sale: (body: Record<string, unknown> = {}) =>
        done(merchant.sale({ externalId: id('order'), customerExternalId: id('user'), ...body })),
      refund: (body: Record<string, unknown> = {}) =>
        done(merchant.refund({ externalId: id('refund'), saleExternalId: id('order'), ...body })),
      /** The import of one mapping. @returns the row's status */
      import: async (row: Record<string, unknown> = {}, partner: Partner = 'maya') => {
        const rows = [
          { customerExternalId: id('cus'), partnerEmail: `${partner}@partner.example`, ...row },
        ]
        const { results } = await done(manager.post('/customers/import', { rows }))
        return (results as { status: string }[])[0]?.status
      },
      checkout: ({ at, ...fields }: Paid) =>
        event(
          'checkout.session.completed',
          checkoutSession({
            id: id('cs_test'),
            payment_intent: fields.invoice ? null : id('pi'),
            customer: id('cus'),
            customer_details: { email: address, name: 'A buyer' },
            mode: fields.subscription ? 'subscription' : 'payment',
            created: start + at,
            ...fields,
          }),
          at,
        ),
      invoice: ({ at, ...fields }: Paid, make = invoice) =>
        event(
          'invoice.paid',
          make({
            id: id('in'),
            customer: id('cus'),
            customer_email: address,
            created: start + at,
            status_transitions: { paid_at: start + at },
            ...fields,
          }),
          at,
        ),
    }
  }
  return { merchant, manager, secondProgramId, start, buyer, database }
}

/** What an invoice says of the subscription that it is for, since API 2025-03-31. */
export const ofSubscription = (
  subscription: string,
  reason = 'subscription_cycle',
  metadata = {},
) => ({
  billing_reason: reason,
  parent: { type: 'subscription_details', subscription_details: { subscription, metadata } },
})

/**
 * The payment of an invoice, as the invoice names it: no other payment or checkout is taken for it.
 */
export const paidBy = (payment: string) => ({
  payments: { data: [{ payment: { payment_intent: payment } }] },
})

/** What a buyer's facts led to. */
export type End = {
  /**
   * By the id under which it is recorded: whom it credits, with which net earnings, and how much of
   * them is held.
   */
  sales: Record<string, string>
  /** How many customers the buyer's ids belong to. */
  customers?: number | undefined
}

/**
 * @param same  ids of one purchase that may be recorded under several of them, as `{ other: 'name'
 *   }`
 */
export const endOf = async (
  { database, merchant }: Shop,
  { tag }: Buyer,
  same: Record<string, string> = {},
): Promise<End> => {
  const rows = await database.query<{
    id: string
    slug: string | null
    cents: number
    held: number
  }>(
    `select e.external_id as id, p.slug,
            (select coalesce(sum(c.amount_cents), 0) from commissions c where c.event_id = e.id)::int as cents,
            (select coalesce(sum(c.amount_cents), 0)
             from commissions c join commission_holds h on h.commission_id = coalesce(c.reverses_id, c.id)
             where c.event_id = e.id and h.resolved_at is null)::int as held
     from events e left join partners p on p.id = e.partner_id
     where e.workspace_id = $1 and e.kind = 'sale' and e.external_id like $2 order by e.id`,
    [merchant.workspace.id, `%${tag}`],
  )
  const [known] = await database.query<{ customers: number }>(
    `select count(distinct customer_id)::int as customers from customer_identities
     where workspace_id = $1 and value like '%' || $2 || '%'`,
    [merchant.workspace.id, tag],
  )
  const named = rows.map((row) => {
    const name = row.id.slice(0, -tag.length).replace(/_$/, '')
    return { ...row, name: same[name] ?? name }
  })
  const sales = [...new Set(named.map(({ name }) => name))].sort().map((name) => {
    const parts = named.filter((row) => row.name === name)
    const slugs = [...new Set(parts.map(({ slug }) => slug ?? 'nobody'))]
    const sum = (column: 'cents' | 'held') => parts.reduce((total, row) => total + row[column], 0)
    const held = sum('held') ? ` of which ${sum('held')} held` : ''
    return [name, `${slugs.join(' and ')} ${sum('cents')}${held}`]
  })
  return { sales: Object.fromEntries(sales), customers: known?.customers }
}

type Steps = Record<string, () => Promise<unknown>>

/** As many buyers as a busy machine serves without delay. */
const AT_ONCE = 6

type Options = {
  same?: Record<string, string>
  /** What happens after them in each order. */
  last?: (buyer: Buyer) => Promise<unknown>
  /** What happens once for all buyers, before or after each of their facts. */
  once?: () => Promise<unknown>
}

/**
 * Delivers a buyer's facts in every order (few of them unless the run is thorough), each to a buyer
 * of its own, and expects the same end; or the end that `expected` says of an order, where the time
 * of a fact is that of its arrival. What happens once is a step, "once".
 */
export const inEveryOrder = async (
  shop: Shop,
  stepsOf: (buyer: Buyer) => Promise<Steps> | Steps,
  expected: End | ((order: string[]) => End),
  { same, last, once }: Options = {},
) => {
  const names = Object.keys(await stepsOf(shop.buyer()))
  const all = someOrders(once ? [...names, 'once'] : names).map((order) => ({
    order,
    buyer: shop.buyer(),
  }))
  const before = await eachOf(all, AT_ONCE, async ({ order, buyer }) => {
    const steps = await stepsOf(buyer)
    const left = [...order]
    while (left.length > 0 && left[0] !== 'once') await steps[left.shift() ?? '']?.()
    return { order, buyer, steps, left }
  })
  await once?.()
  const ends = await eachOf(before, AT_ONCE, async ({ order, buyer, steps, left }) => {
    for (const name of left) await steps[name]?.()
    await last?.(buyer)
    return { order: order.join(', '), ...(await endOf(shop, buyer, same)) }
  })
  const wanted = ends.map((end) => {
    const { sales, customers = end.customers } =
      typeof expected === 'function' ? expected(end.order.split(', ')) : expected
    return { order: end.order, sales, customers }
  })
  expect(ends).toEqual(wanted)
  expect(await shop.database.violations(shop.merchant.workspace.id)).toEqual([])
}
