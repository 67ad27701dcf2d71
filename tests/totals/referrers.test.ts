/** Totals by referrer: what came of the clicks from each host, exact at every moment. */
import { expect, inject, test } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { foldTotals } from '../../lib/totals/upkeep.queries.ts'
import { fold } from '../support/fold.ts'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'
import { removeClicks } from '../support/removed-clicks.ts'
import { range } from './range.ts'

const database = useDatabase()
const db = () => connect(inject('database'))

const PAGE = 'https://shop.example/pricing'
const BLOG = 'https://blog.example/reviews/shop?utm=1#top'
const VIDEOS = 'https://videos.example/watch'

const sound = async ({ workspace }: Merchant) =>
  expect(await database.violations(workspace.id)).toEqual([])

/** A click of a visitor of its own. */
const clickFrom = (merchant: Merchant, referrer?: string, slug = 'maya') =>
  merchant.click(slug, merchant.programId, crypto.randomUUID(), PAGE, referrer)

const referrersOf = async (merchant: Merchant, query = '') =>
  (await merchant.get(`/stats?by=referrer${query}`)).body.data as unknown as {
    referrer: string | null
    clicks: number
    sales: number
  }[]

const usd = (revenueCents: number, commissionCents: number) => ({
  currency: 'USD',
  revenueCents,
  commissionCents,
})

test('lists the hosts with the most clicks, and what came of them, before and after the totals are folded', async () => {
  const merchant = await createMerchant()
  const leo = await merchant.seed.addPartner(merchant.workspace.id, merchant.programId, {
    slug: 'leo',
  })
  const byBlog = await clickFrom(merchant, BLOG)
  await clickFrom(merchant, 'https://www.blog.example/')
  await clickFrom(merchant, 'http://blog.example')
  const direct = await clickFrom(merchant)
  await clickFrom(merchant, 'android-app://com.example.mail/')
  const byVideo = await clickFrom(merchant, VIDEOS, 'leo')
  await merchant.lead({ clickId: byBlog })
  await merchant.sale({ clickId: byBlog })
  await merchant.sale({ externalId: 'inv_2', customerExternalId: 'user_2', clickId: byVideo })
  await merchant.refund({ saleExternalId: 'inv_2', amountCents: 2_450 })
  await merchant.sale({ externalId: 'inv_3', customerExternalId: 'user_3', clickId: direct })
  await merchant.sale({ externalId: 'inv_4', customerExternalId: 'user_4' })

  const blog = {
    referrer: 'blog.example',
    landingPage: null,
    clicks: 3,
    leads: 1,
    sales: 1,
    customers: null,
    amounts: [usd(4_900, 980)],
  }
  const none = { referrer: '(direct)', clicks: 2, sales: 1, amounts: [usd(4_900, 980)] }
  const videos = { referrer: 'videos.example', clicks: 1, sales: 1, amounts: [usd(4_900, 490)] }
  for (const isFolded of [false, true]) {
    if (isFolded) await fold(database, merchant)
    expect(await referrersOf(merchant)).toMatchObject([
      blog,
      none,
      videos,
      // The sale without a click.
      { referrer: null, clicks: 0, sales: 1, amounts: [usd(4_900, 0)] },
    ])
    expect(await referrersOf(merchant, `&partnerId=${merchant.partnerId}`)).toMatchObject([
      blog,
      none,
    ])
    expect(await referrersOf(merchant, `&partnerId=${leo}`)).toMatchObject([videos])
    expect(await referrersOf(merchant, '&limit=1')).toMatchObject([blog])
    expect(await referrersOf(merchant, '&from=2025-03-10&to=2025-06-20')).toEqual([])
    await sound(merchant)
  }
})

test('is exact while clicks, sales and folding happen at once, after clicks were removed, and when rebuilt', async () => {
  const merchant = await createMerchant()
  const hosts = Array.from({ length: 12 }, (_, n) => `https://host-${n % 3}.example/${n}`)
  const writing = hosts.map(async (url, n) => {
    const clickId = await clickFrom(merchant, url)
    await merchant.sale({ externalId: `inv_${n}`, customerExternalId: `user_${n}`, clickId })
    if (n % 4 === 0) await merchant.refund({ externalId: `re_${n}`, saleExternalId: `inv_${n}` })
  })
  await Promise.all([...writing, ...Array.from({ length: 6 }, () => foldTotals(db(), 4))])
  await sound(merchant)
  const unused = [await clickFrom(merchant, hosts[0]), await clickFrom(merchant)]
  await fold(database, merchant)
  await removeClicks(database, unused)
  const expected = [
    ['host-0.example', 5, 4],
    ['host-1.example', 4, 4],
    ['host-2.example', 4, 4],
    ['(direct)', 1, 0],
  ]
  const counted = async () =>
    (await referrersOf(merchant)).map(({ referrer, clicks, sales }) => [referrer, clicks, sales])
  for (const then of [() => fold(database, merchant), () => database.age(merchant, '0 days')]) {
    await sound(merchant)
    expect(await counted()).toEqual(expected)
    await then()
  }
  // Rebuilt by now, and not folded.
  await sound(merchant)
  expect(await counted()).toEqual(expected)
  await fold(database, merchant)
  await sound(merchant)
  expect(await counted()).toEqual(expected)
})

test('what an event counts for moves with its click, and with a referrer that is erased', async () => {
  const merchant = await createMerchant()
  const [one, two] = [await clickFrom(merchant, BLOG), await clickFrom(merchant, VIDEOS)]
  const { body } = await merchant.sale({ clickId: one, customerEmail: 'jo@buyer.example' })
  for (const isFolded of [false, true]) {
    if (isFolded) await fold(database, merchant)
    await database.query('update events set click_id = $2 where id = $1', [body.eventId, two])
    await sound(merchant)
    expect(await referrersOf(merchant)).toMatchObject([
      { referrer: 'videos.example', clicks: 1, sales: 1, amounts: [usd(4_900, 980)] },
      { referrer: 'blog.example', clicks: 1, sales: 0 },
    ])
    await database.query('update events set click_id = $2 where id = $1', [body.eventId, one])
  }
  // The page stays, so only the referrer moves.
  await database.query('update clicks set referrer = null where id = $1', [one])
  await sound(merchant)
  await fold(database, merchant)
  await sound(merchant)
  expect(await referrersOf(merchant)).toMatchObject([
    { referrer: '(direct)', clicks: 1, sales: 1, amounts: [usd(4_900, 980)] },
    { referrer: 'videos.example', clicks: 1, sales: 0 },
  ])
})

test('of endless hosts, 200 a month are counted on their own, whatever number of pages is', async () => {
  const merchant = await createMerchant()
  const { workspace, partnerId } = merchant
  /** All at once: another test's folding between two visits would meet a host with only one. */
  const visit = (id: string, ...numbers: number[]) =>
    database.query(
      `insert into clicks (id, workspace_id, partner_id, landing_url, referrer, created_at, expires_at)
       select $4 || visit, $1, $2, 'https://shop.example/' || n % 210, 'https://host-' || n || '.example/', now(), now() + interval '90 days'
       from unnest($3::int[]) with ordinality visits (n, visit)`,
      [workspace.id, partnerId, numbers, id],
    )
  await visit('a', ...range(1, 150))
  await fold(database, merchant)
  await visit('b', ...range(101, 400), 390)
  for (const isFolded of [false, true]) {
    if (isFolded) await fold(database, merchant)
    await sound(merchant)
  }
  const referrers = await referrersOf(merchant, '&limit=200')
  expect(referrers[0]).toMatchObject({ referrer: null, clicks: 200 })
  const known = referrers.slice(1).map(({ referrer }) => referrer)
  expect(known).toHaveLength(199)
  // Of the new ones, the one with two clicks comes first.
  expect(known).toContain('host-390.example')
  expect(known).not.toContain('host-400.example')
})

test.each([
  { referrer: 'https://www.www.example/', host: 'www.example' },
  { referrer: 'https://blog.example//www.x/y', host: 'blog.example' },
  { referrer: 'http://localhost:3000/a', host: 'localhost:3000' },
  { referrer: 'https://[::1]:8080/', host: '[::1]:8080' },
  { referrer: 'https://www./', host: '(direct)' },
  { referrer: 'blog.example', host: '(direct)' },
  { referrer: '', host: '(direct)' },
  { referrer: null, host: '(direct)' },
  { referrer: `https://${'x'.repeat(300)}/`, host: 'x'.repeat(253) },
])('the host of $referrer is $host', async ({ referrer, host }) => {
  expect(await database.query(`select referrer_of('clk_1', $1) as host`, [referrer])).toEqual([
    { host },
  ])
})
