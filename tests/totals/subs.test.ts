/** Totals by the `sub` of links: what came of each, exact at every moment. */
import { expect, inject, test } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { foldTotals } from '../../lib/totals/upkeep.queries.ts'
import { subOf } from '../../lib/tracking/clicks/visits.ts'
import { fold } from '../support/fold.ts'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'
import { browse, openPages } from '../support/pages.ts'
import { openSession } from '../support/people.ts'
import { removeClicks } from '../support/removed-clicks.ts'

const database = useDatabase()
const db = () => connect(inject('database'))

const sound = async ({ workspace }: Merchant) =>
  expect(await database.violations(workspace.id)).toEqual([])

const BLOG = 'https://blog.example/'

/** A click of a visitor of its own. */
const clickBy = (merchant: Merchant, sub: string | null, slug = 'maya', referrer?: string) =>
  merchant.click(
    slug,
    merchant.programId,
    crypto.randomUUID(),
    `https://shop.example/pricing?via=${slug}${sub === null ? '' : `&sub=${encodeURIComponent(sub)}`}`,
    referrer,
  )

type Row = { sub: string | null; clicks: number; sales: number }
const subsOf = async (merchant: Merchant, query = '') =>
  (await merchant.get(`/stats?by=sub${query}`)).body.data as unknown as Row[]
const counted = async (merchant: Merchant) =>
  (await subsOf(merchant)).map(({ sub, clicks, sales }) => [sub, clicks, sales])

test('lists the subs with the most clicks, and what came of them, before and after the totals are folded', async () => {
  const merchant = await createMerchant()
  const leo = await merchant.seed.addPartner(merchant.workspace.id, merchant.programId, {
    slug: 'leo',
  })
  const byNews = await clickBy(merchant, 'News 12')
  await clickBy(merchant, 'News 12')
  await clickBy(merchant, 'video', 'leo')
  await clickBy(merchant, null)
  await merchant.lead({ clickId: byNews })
  await merchant.sale({ clickId: byNews })
  await merchant.sale({ externalId: 'inv_2', customerExternalId: 'user_2' })

  const news = {
    sub: 'News 12',
    landingPage: null,
    referrer: null,
    clicks: 2,
    leads: 1,
    sales: 1,
    customers: null,
    amounts: [{ currency: 'USD', revenueCents: 4_900, commissionCents: 980 }],
  }
  for (const isFolded of [false, true]) {
    if (isFolded) await fold(database, merchant)
    // What came without a sub is not a row.
    expect(await subsOf(merchant)).toMatchObject([
      news,
      { sub: 'video', clicks: 1, sales: 0, amounts: [] },
    ])
    expect(await subsOf(merchant)).toHaveLength(2)
    expect(await subsOf(merchant, `&partnerId=${merchant.partnerId}`)).toMatchObject([news])
    expect(await subsOf(merchant, `&partnerId=${leo}`)).toMatchObject([{ sub: 'video' }])
    expect(await subsOf(merchant, '&limit=1')).toMatchObject([news])
    await sound(merchant)
  }
})

test('both pages list the channels of the last year, and the form makes a link to one', async () => {
  const merchant = await createMerchant()
  const email = `ann@${merchant.workspace.slug}.example`
  const ann = await merchant.seed.addPartner(merchant.workspace.id, merchant.programId, {
    slug: 'ann',
    email,
  })
  const pages = await openPages(merchant)
  const portal = browse(await openSession(email), inject('baseUrl'), '/portal')
  const both = async (query = '') => [
    await pages.get(`/partners/${ann}${query}`),
    await portal.get(`/links${query}`),
  ]
  for (const { html } of await both()) expect(html).not.toContain('id="subs"')

  const clickId = await clickBy(merchant, '<b>"News" & more', 'ann')
  await clickBy(merchant, 'maya’s', 'maya')
  await merchant.lead({ clickId })
  await merchant.sale({ clickId })
  await database.query(
    `insert into clicks (id, workspace_id, partner_id, landing_url, sub, created_at, expires_at)
     select 'clk_' || n, $1, $2, 'https://shop.example/', 'sub-' || n, now(), now() from generate_series(10, 70) n`,
    [merchant.workspace.id, ann],
  )
  for (const { html, text } of await both()) {
    expect(text).toContain('<b>"News" & more 1 1 1')
    expect(html).not.toContain('<b>"News"')
    expect(text).toMatch(/All others 12 0 0/)
    expect(text).not.toContain('maya’s')
  }
  const asked = `?page=/pricing%3Fsub%3Dold&sub=${encodeURIComponent(' News & 12 ')}`
  for (const { html } of await both(asked)) {
    expect(html).toContain('https://shop.example/pricing?via=ann&amp;sub=News+%26+12')
  }
})

test('is exact while clicks, sales and folding happen at once, after clicks were removed, and when rebuilt', {
  tags: 'thorough',
}, async () => {
  const merchant = await createMerchant()
  const writing = Array.from({ length: 12 }, async (_, n) => {
    const clickId = await clickBy(
      merchant,
      n % 4 ? `sub-${n % 3}` : null,
      'maya',
      n % 2 ? BLOG : undefined,
    )
    await merchant.sale({ externalId: `inv_${n}`, customerExternalId: `user_${n}`, clickId })
    if (n % 4 === 0) await merchant.refund({ externalId: `re_${n}`, saleExternalId: `inv_${n}` })
  })
  await Promise.all([...writing, ...Array.from({ length: 6 }, () => foldTotals(db(), 4))])
  await sound(merchant)
  const unused = [
    await clickBy(merchant, 'sub-0', 'maya', BLOG),
    await clickBy(merchant, 'sub-0'),
    await clickBy(merchant, null, 'maya', BLOG),
  ]
  await fold(database, merchant)
  await removeClicks(database, unused)
  const expected = [
    ['sub-0', 5, 3],
    ['sub-1', 3, 3],
    ['sub-2', 3, 3],
  ]
  for (const then of [() => fold(database, merchant), () => database.age(merchant, '0 days')]) {
    await sound(merchant)
    expect(await counted(merchant)).toEqual(expected)
    await then()
  }
  // Rebuilt by now, and not folded.
  await sound(merchant)
  expect(await counted(merchant)).toEqual(expected)
  await fold(database, merchant)
  await sound(merchant)
  expect(await counted(merchant)).toEqual(expected)
})

test('what an event counts for moves with its click, and with a sub that is erased', async () => {
  const merchant = await createMerchant()
  const [one, two] = [await clickBy(merchant, 'one'), await clickBy(merchant, 'two')]
  const { body } = await merchant.sale({ clickId: one })
  for (const isFolded of [false, true]) {
    if (isFolded) await fold(database, merchant)
    await database.query('update events set click_id = $2 where id = $1', [body.eventId, two])
    await sound(merchant)
    expect(await counted(merchant)).toEqual([
      ['two', 1, 1],
      ['one', 1, 0],
    ])
    await database.query('update events set click_id = $2 where id = $1', [body.eventId, one])
  }
  await database.query('update clicks set sub = null where id = $1', [one])
  for (const isFolded of [false, true]) {
    if (isFolded) await fold(database, merchant)
    await sound(merchant)
    expect(await counted(merchant)).toEqual([['two', 1, 0]])
  }
})

test('of endless subs, 200 a month are counted on their own, and stay so when clicks are removed and all is rebuilt', async () => {
  const merchant = await createMerchant()
  const { workspace, partnerId } = merchant
  await database.query(
    `insert into clicks (id, workspace_id, partner_id, landing_url, sub, created_at, expires_at)
     select 'clk_' || n, $1, $2, 'https://shop.example/', 'sub-' || n, now(), now() - interval '40 days'
     from generate_series(1, 300) n`,
    [workspace.id, partnerId],
  )
  await fold(database, merchant)
  const rest = { sub: null, clicks: 100 }
  const rows = async () => subsOf(merchant, '&limit=200')
  expect((await rows())[0]).toMatchObject(rest)
  await sound(merchant)
  await removeClicks(
    database,
    Array.from({ length: 300 }, (_, n) => `clk_${n + 1}`),
  )
  await sound(merchant)
  await fold(database, merchant)
  await sound(merchant)
  await database.age(merchant, '0 days')
  await fold(database, merchant)
  await sound(merchant)
  const after = await rows()
  expect(after.find(({ sub }) => sub === null)).toMatchObject(rest)
  expect(after.reduce((sum, { clicks }) => sum + clicks, 0)).toBe(299)
})

test.each([
  { url: 'https://shop.example/?via=maya&sub=Newsletter%2012', sub: 'Newsletter 12' },
  { url: 'https://shop.example/?sub=%20a%0ab%20', sub: 'ab' },
  { url: `https://shop.example/?sub=${'x'.repeat(70)}`, sub: 'x'.repeat(64) },
  { url: `https://shop.example/?sub=${'x'.repeat(63)}%F0%9F%A6%8A`, sub: `${'x'.repeat(63)}🦊` },
  { url: 'https://shop.example/#/pricing?via=maya&sub=video', sub: 'video' },
  { url: 'https://shop.example/?sub=', sub: null },
  { url: 'https://shop.example/?sub=%00%20', sub: null },
  { url: 'https://shop.example/?sub=ann@example.com', sub: null },
  { url: 'https://shop.example/', sub: null },
  { url: 'not a page', sub: null },
  { url: null, sub: null },
])('the sub of $url is $sub', ({ url, sub }) => {
  expect(subOf(url)).toBe(sub)
})
