/** Totals by landing page: what came of the clicks that each page had, exact at every moment. */
import { expect, inject, test } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { foldTotals } from '../../lib/totals/upkeep.queries.ts'
import { fold } from '../support/fold.ts'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'
import { removeClicks } from '../support/removed-clicks.ts'
import { range } from './range.ts'

const database = useDatabase()
const db = () => connect(inject('database'))

const HOME = 'https://shop.example/'
const PRICING = 'https://shop.example/pricing'

const sound = async ({ workspace }: Merchant) =>
  expect(await database.violations(workspace.id)).toEqual([])

/** A click of a visitor of its own. */
const clickAt = (merchant: Merchant, url: string, slug = 'maya') =>
  merchant.click(slug, merchant.programId, crypto.randomUUID(), url)

const pagesOf = async (merchant: Merchant, query = '') =>
  (await merchant.get(`/stats?by=landingPage${query}`)).body.data as unknown as {
    landingPage: string | null
    clicks: number
    leads: number
    sales: number
    customers: number | null
    amounts: { currency: string; revenueCents: number; commissionCents: number }[]
  }[]

const usd = (revenueCents: number, commissionCents: number) => ({
  currency: 'USD',
  revenueCents,
  commissionCents,
})

test('lists the pages with the most clicks, and what came of them, before and after the totals are folded', async () => {
  const merchant = await createMerchant()
  const leo = await merchant.seed.addPartner(merchant.workspace.id, merchant.programId, {
    slug: 'leo',
  })
  const [priced] = [
    await clickAt(merchant, `${PRICING}?plan=pro#top`),
    await clickAt(merchant, PRICING),
  ]
  await clickAt(merchant, PRICING)
  const home = await clickAt(merchant, HOME, 'leo')
  const [byMaya, byLeo, bare] = [priced, home, await merchant.click('leo')]
  await merchant.lead({ clickId: byMaya })
  await merchant.sale({ clickId: byMaya })
  await merchant.sale({ externalId: 'inv_2', customerExternalId: 'user_2', clickId: byLeo })
  await merchant.refund({ saleExternalId: 'inv_2', amountCents: 2_450 })
  await merchant.sale({ externalId: 'inv_3', customerExternalId: 'user_3', clickId: bare })
  await merchant.sale({ externalId: 'inv_4', customerExternalId: 'user_4' })

  const pricing = {
    landingPage: PRICING,
    clicks: 3,
    leads: 1,
    sales: 1,
    customers: null,
    amounts: [usd(4_900, 980)],
  }
  const front = {
    landingPage: HOME,
    clicks: 1,
    leads: 0,
    sales: 1,
    customers: null,
    amounts: [usd(4_900, 490)],
  }
  for (const isFolded of [false, true]) {
    if (isFolded) await fold(database, merchant)
    expect(await pagesOf(merchant)).toMatchObject([
      pricing,
      // The sales of the click without a page, and without a click.
      { landingPage: null, clicks: 1, sales: 2, amounts: [usd(9_800, 980)] },
      front,
    ])
    expect(await pagesOf(merchant, `&partnerId=${merchant.partnerId}`)).toMatchObject([pricing])
    expect(await pagesOf(merchant, `&partnerId=${leo}`)).toMatchObject([
      { landingPage: null },
      front,
    ])
    expect(await pagesOf(merchant, '&limit=1')).toMatchObject([pricing])
    expect(await pagesOf(merchant, '&from=2025-03-10&to=2025-06-20')).toEqual([])
    await sound(merchant)
  }
})

test('a year is summed up by months and days alike', async () => {
  const merchant = await createMerchant()
  const clickId = await clickAt(merchant, PRICING)
  await merchant.sale({ clickId })
  await database.age(merchant, '100 days')
  await clickAt(merchant, PRICING)
  await fold(database, merchant)
  await sound(merchant)
  const from = new Date(Date.now() - 360 * 86_400_000).toISOString().slice(0, 10)
  expect(await pagesOf(merchant, `&from=${from}`)).toMatchObject([
    { landingPage: PRICING, clicks: 2, sales: 1, amounts: [usd(4_900, 980)] },
  ])
  expect(await pagesOf(merchant)).toMatchObject([
    { landingPage: PRICING, clicks: 1, sales: 0, amounts: [] },
  ])
})

test('is exact while clicks, sales and folding happen at once, and after an expired click was removed', {
  tags: 'thorough',
}, async () => {
  const merchant = await createMerchant()
  const urls = Array.from({ length: 12 }, (_, n) => `${HOME}${n % 3}`)
  const writing = urls.map(async (url, n) => {
    const clickId = await clickAt(merchant, url)
    await merchant.sale({ externalId: `inv_${n}`, customerExternalId: `user_${n}`, clickId })
    if (n % 4 === 0) await merchant.refund({ externalId: `re_${n}`, saleExternalId: `inv_${n}` })
  })
  await Promise.all([...writing, ...Array.from({ length: 6 }, () => foldTotals(db(), 4))])
  await sound(merchant)
  const unused = await clickAt(merchant, `${HOME}0`)
  await fold(database, merchant)
  await removeClicks(database, [unused])
  await sound(merchant)
  await fold(database, merchant)
  await sound(merchant)
  const pages = await pagesOf(merchant)
  expect(pages.map(({ landingPage, clicks, sales }) => [landingPage, clicks, sales])).toEqual([
    [`${HOME}0`, 5, 4],
    [`${HOME}1`, 4, 4],
    [`${HOME}2`, 4, 4],
  ])
})

test('what an event counts for moves with its click, and with a page that is erased', async () => {
  const merchant = await createMerchant()
  const [one, two] = [await clickAt(merchant, HOME), await clickAt(merchant, PRICING)]
  const { body } = await merchant.sale({ clickId: one, customerEmail: 'jo@buyer.example' })
  for (const isFolded of [false, true]) {
    if (isFolded) await fold(database, merchant)
    await database.query('update events set click_id = $2 where id = $1', [body.eventId, two])
    await sound(merchant)
    expect(await pagesOf(merchant)).toMatchObject([
      { landingPage: PRICING, clicks: 1, sales: 1, amounts: [usd(4_900, 980)] },
      { landingPage: HOME, clicks: 1, sales: 0 },
    ])
    await database.query('update events set click_id = $2 where id = $1', [body.eventId, one])
  }
  const [customer] = await database.query<{ id: string }>(
    'select id from customers where workspace_id = $1',
    [merchant.workspace.id],
  )
  const manager = await merchant.asManager()
  expect((await manager.post(`/customers/${customer?.id}/erase`)).status).toBeLessThan(300)
  await sound(merchant)
  await fold(database, merchant)
  await sound(merchant)
  expect(await pagesOf(merchant)).toMatchObject([
    { landingPage: null, clicks: 1, sales: 1, amounts: [usd(4_900, 980)] },
    { landingPage: PRICING, clicks: 1, sales: 0 },
  ])
})

test('a commission that is made in the statement that changes the click counts once', async () => {
  const merchant = await createMerchant()
  const clickId = await clickAt(merchant, PRICING)
  const { body } = await merchant.sale({ clickId: await clickAt(merchant, HOME) })
  await fold(database, merchant)
  await database.query(
    `with event as (update events set click_id = $2 where id = $1 returning *)
     insert into commissions (id, workspace_id, program_id, partner_id, customer_id, event_id, reward_id, kind, amount_cents, currency,
                              payable_at, created_at, replaces_id)
     select gen_random_uuid(), c.workspace_id, c.program_id, c.partner_id, c.customer_id, event.id, c.reward_id, c.kind, 500, c.currency,
            c.payable_at, c.created_at, c.id
     from event join commissions c on c.event_id = event.id`,
    [body.eventId, clickId],
  )
  const differences = async () =>
    (await database.violations(merchant.workspace.id)).filter(({ details }) =>
      String(details).includes(' at "'),
    )
  expect(await differences()).toEqual([])
  await fold(database, merchant)
  expect(await differences()).toEqual([])
})

test('of endless pages, 200 a month are counted on their own, and all others together', async () => {
  const merchant = await createMerchant()
  const { workspace, partnerId } = merchant
  /** All at once: another test's folding between two visits would meet a page with only one. */
  const visit = (id: string, ...numbers: number[]) =>
    database.query(
      `insert into clicks (id, workspace_id, partner_id, landing_url, created_at, expires_at)
       select $4 || visit, $1, $2, 'https://shop.example/' || n, now(), now() + interval '90 days' from unnest($3::int[]) with ordinality visits (n, visit)`,
      [workspace.id, partnerId, numbers, id],
    )
  await visit('a', ...range(1, 150))
  await fold(database, merchant)
  await visit('b', ...range(101, 400), 390)
  await sound(merchant)
  await fold(database, merchant)
  await sound(merchant)
  const pages = await pagesOf(merchant, '&limit=200')
  expect(pages[0]).toMatchObject({ landingPage: null, clicks: 200 })
  const known = pages.slice(1).map(({ landingPage }) => landingPage)
  expect(known).toHaveLength(199)
  // Of the new ones, the one with two clicks comes first.
  expect(known).toContain('https://shop.example/390')
  expect(known).not.toContain('https://shop.example/400')
  await visit('c', 1, 400)
  await fold(database, merchant)
  await sound(merchant)
})

test('a page is cut after 500 characters, and a rebuild counts the same', async () => {
  const merchant = await createMerchant()
  const long = `${HOME}${'x'.repeat(1_000)}`
  const clickId = await clickAt(merchant, long)
  await merchant.sale({ clickId })
  await fold(database, merchant)
  const before = await pagesOf(merchant)
  expect(before).toMatchObject([{ landingPage: long.slice(0, 500), clicks: 1, sales: 1 }])
  await database.age(merchant, '0 days')
  await sound(merchant)
  expect(await pagesOf(merchant)).toEqual(before)
  await fold(database, merchant)
  await sound(merchant)
  expect(await pagesOf(merchant)).toEqual(before)
})

test('a sale that gets another day and another click at once moves what it has earned', async () => {
  const merchant = await createMerchant()
  await merchant.sale({ clickId: await clickAt(merchant, PRICING) })
  await database.query(
    `update events set occurred_at = occurred_at - interval '1 day', click_id = $2 where workspace_id = $1`,
    [merchant.workspace.id, await clickAt(merchant, HOME)],
  )
  await sound(merchant)
  await fold(database, merchant)
  await sound(merchant)
})
