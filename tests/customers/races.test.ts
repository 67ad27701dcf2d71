// @module-tag sampled
/** Concurrent facts that tie customers end in one customer and one ledger, however they meet. */
import { expect, test } from 'vitest'
import { type End, endOf, openShop } from '../support/buyers.ts'
import { whileReportWaits } from '../support/identity-locks.ts'
import { useDatabase } from '../support/merchant.ts'
import { oldInvoice, refund } from '../support/stripe.ts'
import { timesOver } from '../support/thorough.ts'

const database = useDatabase()

const ROUNDS = timesOver({ quick: 1, thorough: 5, exhaustive: 40 })

test('eight concurrent facts that tie three customers end in one customer and one one-time reward', async () => {
  const shop = await openShop(database, { program: { reward_interval: 'one-time' } })
  const ends: End[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const buyer = shop.buyer()
    const clickId = await buyer.click()
    const [user, other, team] = [
      buyer.id('user'),
      buyer.id('user', 'other'),
      buyer.id('user', 'team'),
    ]
    const second = { customer: buyer.id('cus', 'second') }
    const facts = [
      () => buyer.import(),
      () => buyer.lead({ clickId }),
      () => buyer.lead({ externalId: other, customerEmail: null, clickId }),
      () =>
        buyer.checkout({ at: 60, invoice: buyer.id('in'), metadata: { customerExternalId: user } }),
      () => buyer.invoice({ at: 65, metadata: { customerExternalId: other } }),
      () =>
        buyer.checkout({
          ...{ id: buyer.id('cs_test', 'second'), at: 600, ...second },
          metadata: { customerExternalId: team },
        }),
      () =>
        buyer.sale({ externalId: buyer.id('pi'), customerExternalId: user, amountCents: 5_000 }),
      () =>
        buyer.invoice({
          id: buyer.id('in', 'later'),
          at: 700,
          ...second,
          metadata: { customerExternalId: other },
        }),
    ]
    const shift = round % facts.length
    await Promise.all([...facts.slice(shift), ...facts.slice(0, shift)].map((fact) => fact()))
    ends.push(await endOf(shop, buyer))
  }
  const end = { sales: { in: 'maya 980', in_later: 'maya 0', pi: 'maya 0' }, customers: 1 }
  expect(ends).toEqual(ends.map(() => end))
  expect(await database.violations(shop.merchant.workspace.id)).toEqual([])
})

test('eight concurrent merges in a chain end in one customer, whom each of its nine ids finds', async () => {
  const shop = await openShop(database)
  const ends: End[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const buyer = shop.buyer()
    const clickId = await buyer.click()
    const user = (index: number) => buyer.id('user', `${index}n`)
    const customer = (index: number) => buyer.id('cus', `${index}n`)
    for (let index = 0; index <= 4; index++)
      await buyer.lead({ externalId: user(index), clickId, customerEmail: null })
    // user_0 - cus_0 - user_1 - cus_1 - ... - user_4
    const ties = Array.from({ length: 8 }, (_, index) => () => {
      const [left, right] = [Math.floor(index / 2), Math.ceil(index / 2)]
      return buyer.checkout({
        id: buyer.id('cs_test', `${index}n`),
        payment_intent: buyer.id('pi', `${index}n`),
        at: 60 + index,
        customer: customer(left),
        metadata: { customerExternalId: user(right) },
      })
    })
    await Promise.all((round % 2 ? ties : ties.reverse()).map((tie) => tie()))
    await buyer.event('refund.created', refund({ payment_intent: buyer.id('pi', '0n') }), 600)
    ends.push(await endOf(shop, buyer))
    const found = await Promise.all(
      [0, 1, 2, 3]
        .flatMap((index) => [user(index), customer(index)])
        .map(async (externalId) => {
          const { body } = await shop.merchant.get(`/customers?externalId=${externalId}`)
          return (body.data as { id: string }[]).map(({ id }) => id)
        }),
    )
    expect(new Set(found.flat()).size).toBe(1)
  }
  const sales = Object.fromEntries(
    Array.from({ length: 8 }, (_, index) => [`pi_${index}n`, index === 0 ? 'maya 0' : 'maya 980']),
  )
  expect(ends).toEqual(ends.map(() => ({ sales, customers: 1 })))
})

test('a report and an invoice with its address that are saved at once do not miss each other', async () => {
  const shop = await openShop(database)
  const { workspace } = shop.merchant
  // Only a workspace that Stripe reports to compares a report with Stripe's sales.
  await shop.buyer().invoice({ at: 0 })
  const buyer = shop.buyer()
  const clickId = await buyer.click('maya', 1)
  const waiting = async () => {
    const rows = await database.query(
      "select from pg_locks where locktype = 'advisory' and not granted",
    )
    return rows.length
  }
  const until = async (isSo: () => Promise<boolean> | boolean) => {
    while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 5))
  }

  // The report has looked for payments with its address, and waits for another sale with its click.
  let delivered = false
  const { reported, paid } = await database.whileLocked(
    `${workspace.id} click ${clickId}`,
    async () => {
      const reported = buyer.sale({ customerExternalId: buyer.address, amountCents: 100, clickId })
      await until(async () => (await waiting()) > 0)
      const paid = buyer.invoice({ at: 60 }).then(() => {
        delivered = true
      })
      await until(async () => delivered || (await waiting()) > 1)
      return { reported, paid }
    },
  )
  await Promise.all([reported, paid])
  expect((await endOf(shop, buyer)).sales).toEqual({ order: 'maya 20', in: 'maya 980' })
})

test('a refund that the merchant reports meets the sale and Stripe’s events of it, all at once', async () => {
  const shop = await openShop(database)
  const ends: End[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const buyer = shop.buyer()
    const clickId = await buyer.click()
    const payment = { payment_intent: buyer.id('pi'), charge: buyer.id('ch') }
    const metadata = { externalId: buyer.id('order') }
    await Promise.all([
      buyer.sale({ clickId }),
      buyer.checkout({ at: -60, invoice: buyer.id('in'), client_reference_id: clickId, metadata }),
      buyer.invoice({ at: -60, ...payment }, oldInvoice),
      buyer.event('refund.created', refund({ ...payment, id: buyer.id('re'), amount: 490 }), 60),
      buyer.refund({ amountCents: 980 }),
      buyer.refund({
        externalId: buyer.id('refund', 'second'),
        saleExternalId: buyer.id('ch'),
        amountCents: 1_470,
      }),
      buyer.refund({ amountCents: 980 }),
    ])
    ends.push(await endOf(shop, buyer, { order: 'in' }))
  }
  expect(ends.map(({ sales }) => sales)).toEqual(ends.map(() => ({ in: 'maya 490' })))
  expect(await database.violations(shop.merchant.workspace.id)).toEqual([])
})

test('a report that was loaded before the processor’s first event of its purchase is joined with it', async () => {
  const shop = await openShop(database)
  const buyer = shop.buyer()
  const clickId = await buyer.click()
  const metadata = { externalId: buyer.id('order') }
  await whileReportWaits(
    database,
    { workspaceId: shop.merchant.workspace.id, customer: buyer.id('user') },
    () => buyer.sale({ clickId }),
    () =>
      buyer.checkout({ at: -60, invoice: buyer.id('in'), client_reference_id: clickId, metadata }),
  )
  expect((await endOf(shop, buyer, { order: 'in' })).sales).toEqual({ in: 'maya 980' })
})
