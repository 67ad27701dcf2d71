// @module-tag sampled
/**
 * A call of an import that names a person under two ids, which are tied to each other before it or
 * after it.
 */
import { expect, test } from 'vitest'
import { type Buyer, endOf, inEveryOrder, openShop, type Shop } from '../support/buyers.ts'
import { useDatabase } from '../support/merchant.ts'
import { newImport, present, undoer } from '../support/undo.ts'

const database = useDatabase()

const EARNED = { sales: { in: 'nora 980', in_early: 'nobody 0' }, customers: 1 }

const importRows = async ({ manager }: Shop, rows: object[], more: object = {}) => {
  const { status, body } = await manager.post('/customers/import', { rows, ...more })
  expect(status).toBe(200)
  return (body.results as { status: string }[]).map((result) => result.status)
}
/** The merchant's id is Maya's customer, Stripe's is Nora's, of another program. */
const twoRows = (buyer: Buyer, first: object = {}, second: object = {}) => [
  { customerExternalId: buyer.id('user'), partnerEmail: 'maya@partner.example', ...first },
  { customerExternalId: buyer.id('cus'), partnerEmail: 'nora@partner.example', ...second },
]
/** Stripe's customer is known before it is imported, is tied to the merchant's id, and pays. */
const factsOf = (buyer: Buyer) => ({
  seen: () => buyer.invoice({ at: -3_600, id: buyer.id('in', 'early') }),
  tied: () =>
    buyer.event('customer.updated', {
      ...{ id: buyer.id('cus'), object: 'customer', email: null },
      metadata: { customerExternalId: buyer.id('user') },
    }),
  paid: () => buyer.invoice({ at: 600 }),
})

test('the later row owned the customer, or the earlier one, by the order of what tied the two ids', async () => {
  const shop = await openShop(database)
  await inEveryOrder(
    shop,
    (buyer) => ({ ...factsOf(buyer), import: () => importRows(shop, twoRows(buyer)) }),
    EARNED,
  )
})

test('the start of the earlier row counted in the program of the later one, if the ids were tied before', async () => {
  const shop = await openShop(database, {}, { reward_interval: 'one-time' })
  await inEveryOrder(
    shop,
    (buyer) => ({
      ...factsOf(buyer),
      import: () => importRows(shop, twoRows(buyer, { startedAt: '2024-01-31' })),
    }),
    EARNED,
  )
})

test('the address of the earlier row matched no payment, if the ids were tied before', async () => {
  const shop = await openShop(database)
  await inEveryOrder(
    shop,
    (buyer) => {
      const [first, second] = [`first.${buyer.address}`, `second.${buyer.address}`]
      return {
        ...factsOf(buyer),
        import: () =>
          importRows(shop, twoRows(buyer, { customerEmail: first }, { customerEmail: second })),
        other: () =>
          buyer.invoice({
            ...{ at: 700, id: buyer.id('in', 'other'), customer: buyer.id('cus', 'other') },
            customer_email: first,
          }),
      }
    },
    { sales: { ...EARNED.sales, in_other: 'nora 980' } },
  )
})

test.each([
  {
    case: 'of two ids of one customer goes, with what both rows said',
    order: ['tied', 'import'],
    status: 200,
  },
  { case: 'of two customers who were merged since stays', order: ['import', 'tied'], status: 409 },
] as const)('a call $case', async ({ order, status }) => {
  const shop = await openShop(database)
  const undo = await undoer(shop.merchant)
  const [buyer, ours] = [shop.buyer(), newImport()]
  const steps = { ...factsOf(buyer), import: () => importRows(shop, twoRows(buyer), ours) }
  for (const name of order) await steps[name]()
  const { referrals } = await present(database, shop.merchant)
  expect(referrals).toHaveLength(2)
  expect((await undo(ours.importId)).status).toBe(status)
  expect((await present(database, shop.merchant)).referrals).toEqual(
    status === 200 ? [] : referrals,
  )
  expect(await database.violations(shop.merchant.workspace.id)).toEqual([])
})

test('two ids that are tied after the import has read them are one customer, of the later row', async () => {
  const shop = await openShop(database)
  const buyer = shop.buyer()
  await factsOf(buyer).seen()
  await buyer.lead({ clickId: await buyer.click('leo'), customerEmail: null })
  const identities = [
    { kind: 'external', value: buyer.id('user') },
    { kind: 'stripe', value: buyer.id('cus') },
  ]
  const statuses = await database.whileUncommitted(
    "select tie_customers($1, $2, 'purchase', 'in_1', uuidv7(), now())",
    [shop.merchant.workspace.id, JSON.stringify(identities)],
    () => importRows(shop, twoRows(buyer)),
  )
  expect(statuses).toEqual(['updated', 'updated'])
  await factsOf(buyer).paid()
  expect((await endOf(shop, buyer)).sales).toMatchObject({ in: 'nora 980' })
  expect(await database.violations(shop.merchant.workspace.id)).toEqual([])
})
