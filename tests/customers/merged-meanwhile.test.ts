/**
 * A customer who is merged into another one after a request has read it, and before it is saved.
 */
import { expect, inject, test } from 'vitest'
import { type Buyer, endOf, openShop, type Shop } from '../support/buyers.ts'
import { send, useDatabase } from '../support/merchant.ts'

const database = useDatabase()

/**
 * A buyer whom Stripe and the merchant know as two customers, of whom the later one is merged into
 * the other.
 */
const twoCustomers = async (later: 'stripe' | 'external') => {
  const shop = await openShop(database, { program: { attribute_known_customers: true } })
  const buyer = shop.buyer()
  const lead = async () => buyer.lead({ clickId: await buyer.click(), customerEmail: null })
  if (later === 'stripe') await lead()
  await buyer.invoice({ at: -3_600 })
  if (later === 'external') await lead()
  return { shop, buyer }
}

/** Merges the two while `work` waits for one of them. */
const whileMerged = <T>({ merchant }: Shop, buyer: Buyer, work: () => Promise<T>): Promise<T> => {
  const identities = [
    { kind: 'external', value: buyer.id('user') },
    { kind: 'stripe', value: buyer.id('cus') },
  ]
  return database.whileUncommitted(
    "select tie_customers($1, $2, 'purchase', 'in_1', uuidv7(), now())",
    [merchant.workspace.id, JSON.stringify(identities)],
    work,
  )
}

const correct = async ({ merchant }: Shop, sale: string, body: object) => {
  const key = await merchant.seed.addApiKey(merchant.workspace.id, { scopes: ['write'] })
  const headers = { Authorization: `Bearer ${key}` }
  return send(`${inject('baseUrl')}/api/track/sale/${sale}`, { method: 'PATCH', body, headers })
}

const one = async <T extends Record<string, unknown>>(
  text: string,
  ...values: unknown[]
): Promise<T> => {
  const [row] = await database.query<T>(text, values)
  if (!row) throw new Error(`Nothing found: ${text}`)
  return row
}

test('an import of a customer who is merged meanwhile answered 500: it assigns the one who is left', async () => {
  const { shop, buyer } = await twoCustomers('stripe')
  expect(await whileMerged(shop, buyer, () => buyer.import({}, 'leo'))).toBe('updated')
  await buyer.sale({ amountCents: 1_000 })
  expect((await endOf(shop, buyer)).sales).toMatchObject({ order: 'leo 200' })
  expect(await database.violations(shop.merchant.workspace.id)).toEqual([])
})

test.each([{ to: 'leo' }, { to: null }])(
  'a credit by hand of the lead of a customer who is merged meanwhile is of the one who is left (to $to)',
  async ({ to }) => {
    const { shop, buyer } = await twoCustomers('external')
    const { id } = await one<{ id: string }>(
      "select id from events where external_id = $1 and kind = 'lead'",
      buyer.id('user'),
    )
    const leo = await one<{ id: string }>(
      "select id from partners where workspace_id = $1 and slug = 'leo'",
      shop.merchant.workspace.id,
    )
    const credit = { partnerId: to && leo.id, reason: 'It was theirs.', customer: true }
    const { status } = await whileMerged(shop, buyer, () =>
      shop.manager.post(`/events/${id}/credit`, credit),
    )
    expect(status).toBe(200)
    await buyer.sale({ amountCents: 1_000 })
    expect((await endOf(shop, buyer)).sales).toMatchObject({ order: to ? 'leo 200' : 'maya 200' })
    expect(await database.violations(shop.merchant.workspace.id)).toEqual([])
  },
)

test('a correction of a sale of a customer who is merged meanwhile refers the one who is left', async () => {
  const { shop, buyer } = await twoCustomers('external')
  const clickId = await buyer.click('leo')
  await buyer.sale({ amountCents: 1_000 })
  const { status } = await whileMerged(shop, buyer, () =>
    correct(shop, buyer.id('order'), { clickId }),
  )
  expect(status).toBe(200)
  expect((await endOf(shop, buyer)).sales).toMatchObject({ order: 'leo 200' })
  expect(await database.violations(shop.merchant.workspace.id)).toEqual([])
})

test('an erasure of a customer who is merged meanwhile erases the one who is left', async () => {
  const { shop, buyer } = await twoCustomers('external')
  const { id } = await one<{ id: string }>(
    'select customer_id as id from customer_identities where value = $1',
    buyer.id('user'),
  )
  await database.query("update customers set name = 'A buyer' where id = $1", [id])
  const { status } = await whileMerged(shop, buyer, () =>
    shop.manager.post(`/customers/${id}/erase`, {}),
  )
  expect(status).toBe(200)
  const left = await database.query(
    'select from customers where workspace_id = $1 and coalesce(email, name) is not null',
    [shop.merchant.workspace.id],
  )
  expect(left).toEqual([])
  expect(await database.violations(shop.merchant.workspace.id)).toEqual([])
})
