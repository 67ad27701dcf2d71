/**
 * The page "Test your tracking" of a program, and the visits that are refused.
 * docs/guide-test-your-integration.md, "Where it stops".
 */
import { setTimeout as pause } from 'node:timers/promises'
import { expect, inject, test } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { removeDue } from '../../lib/people/retention.queries.ts'
import { createMerchant, type Merchant, send, useDatabase } from '../support/merchant.ts'
import { openPages } from '../support/pages.ts'

const database = useDatabase()

const HOME = 'https://shop.example/pricing?email=ann@buyer.example#top'

/** A visit as the snippet sends it. */
const visit = (
  { workspace, programId }: Merchant,
  body: object,
  { address = workspace.id, type = 'application/json' } = {},
) =>
  send(`${inject('baseUrl')}/api/track/click`, {
    body: { programId, url: HOME, ...body },
    headers: {
      'CF-Connecting-IP': address,
      'User-Agent': 'Mozilla/5.0 Chrome/147.0.0.0',
      'Content-Type': type,
    },
  })

const open = async () => {
  const merchant = await createMerchant({ program: { site_url: 'https://shop.example' } })
  const pages = await openPages(merchant)
  const read = () => pages.get(`/programs/${merchant.programId}/test`)
  const steps = async () => {
    const { html } = await read()
    const [, list = ''] = /<ul class="checklist"[^>]*>(.*?)<\/ul>/s.exec(html) ?? []
    return [...list.matchAll(/<span class="status"[^>]*>([^<]+)</g)].map(([, status]) => status)
  }
  /** The steps as soon as they are so: visits are noted after the response. */
  const become = async (expected: string[]) => {
    await expect.poll(steps, { timeout: 60_000 }).toEqual(expected)
  }
  return { merchant, read, steps, become }
}

const refused = ({ programId }: Merchant) =>
  database.query<{ reason: string; slug: string; page: string; visits: number }>(
    'select reason, slug, page, visits from refused_visits where program_id = $1 order by reason, slug',
    [programId],
  )

const counted = async (merchant: Merchant, visits: number) => {
  for (;;) {
    const rows = await refused(merchant)
    if (rows.reduce((sum, row) => sum + row.visits, 0) >= visits) return rows
    await pause(20)
  }
}

const [DONE, TODO, PROBLEM] = ['Done', 'To do', 'Problem']

test('ticks each step from the first visit to the first commission as it happens', async () => {
  const { merchant, become, read, steps } = await open()
  expect(await steps()).toEqual([TODO, TODO, TODO, TODO, TODO, TODO, TODO])
  expect((await read()).html).toContain('https://shop.example/?via=maya')
  const { body } = await visit(merchant, { slug: 'maya' })
  await become([DONE, DONE, DONE, TODO, TODO, TODO, TODO])
  expect((await read()).html).toContain('https://shop.example/pricing')
  expect((await read()).html).not.toContain('ann@buyer.example')
  await visit(merchant, { slug: 'maya', clickId: body.clickId })
  await become([DONE, DONE, DONE, DONE, TODO, TODO, TODO])
  await merchant.lead({ clickId: body.clickId })
  await become([DONE, DONE, DONE, DONE, DONE, TODO, TODO])
  await merchant.sale({ clickId: body.clickId, amountCents: 1 })
  await become([DONE, DONE, DONE, DONE, DONE, DONE, TODO])
  await merchant.sale({ externalId: 'inv_2', clickId: body.clickId })
  await become([DONE, DONE, DONE, DONE, DONE, DONE, DONE])
})

test('a sale without a click is a problem, and named', async () => {
  const { merchant, become, read } = await open()
  await visit(merchant, { slug: 'maya' })
  await merchant.sale({ externalId: 'order_without' })
  await become([DONE, DONE, DONE, PROBLEM, TODO, PROBLEM, TODO])
  expect((await read()).html).toContain('order_without')
})

test('a tag of another program, and of another site, are named', async () => {
  const { merchant, become, read } = await open()
  const other = await merchant.seed.addProgram(merchant.workspace.id, {
    name: 'Wholesale',
    site_url: 'https://shop.example',
  })
  await merchant.seed.addPartner(merchant.workspace.id, other, { slug: 'leo' })
  await visit({ ...merchant, programId: other }, { slug: 'leo' })
  await become([DONE, PROBLEM, TODO, TODO, TODO, TODO, TODO])
  expect((await read()).html).toContain('Wholesale')
  await visit(merchant, { slug: 'maya', url: 'https://staging.other.example/' })
  await become([DONE, PROBLEM, DONE, TODO, TODO, TODO, TODO])
  expect((await read()).html).toContain('https://staging.other.example/')
})

test('refused visits are counted by reason, slug and page, and explained', async () => {
  const { merchant, read } = await open()
  await merchant.seed.addPartner(merchant.workspace.id, merchant.programId, {
    slug: 'ben',
    status: 'banned',
  })
  for (let n = 0; n < 3; n++) await visit(merchant, { slug: 'nobody' })
  await visit(merchant, { slug: 'ben' }, { type: 'text/plain' })
  await visit(merchant, { slugs: 'x'.repeat(12).split('') })
  expect(await counted(merchant, 5)).toEqual([
    { reason: 'invalid_body', slug: 'x', page: 'https://shop.example/pricing', visits: 1 },
    { reason: 'partner_not_found', slug: 'ben', page: 'https://shop.example/pricing', visits: 1 },
    {
      reason: 'partner_not_found',
      slug: 'nobody',
      page: 'https://shop.example/pricing',
      visits: 3,
    },
  ])
  const { html } = await read()
  expect(html).toContain('No partner has this slug (404).')
  expect(html).toContain('with this slug is not active (404).')
  expect(html).toContain('The request was not valid (400).')
})

test('visits beyond the limit of an address are among them', async () => {
  const { merchant } = await open()
  const answers = await Promise.all(
    Array.from({ length: 120 }, () => visit(merchant, { slug: 'maya' })),
  )
  expect(answers.some(({ status }) => status === 429)).toBe(true)
  const [row] = await counted(merchant, 1)
  expect(row).toMatchObject({ reason: 'rate_limited', slug: 'maya' })
})

test.each([
  { case: 'no program', body: { programId: undefined, slug: 'x' } },
  { case: 'an id that is none', body: { programId: 'pro_1', slug: 'x' } },
  { case: 'an unknown program', body: { programId: crypto.randomUUID(), slug: 'x' } },
  { case: 'a large body', body: { slug: 'nobody', referrer: 'x'.repeat(9_000) } },
])('a visit with $case is not kept', async ({ body }) => {
  const { merchant } = await open()
  expect((await visit(merchant, body)).status).toBeGreaterThanOrEqual(400)
  await visit(merchant, { slug: 'after' })
  expect(await counted(merchant, 1)).toMatchObject([{ slug: 'after' }])
})

test('of a day, 200 are counted on their own, and all go after a week', async () => {
  const { merchant } = await open()
  await database.query(
    `insert into refused_visits (program_id, workspace_id, day, reason, slug, page, last_at)
     select $1, $2, utc_day(now()), 'partner_not_found', 'slug-' || n, '', now() from generate_series(1, 200) n`,
    [merchant.programId, merchant.workspace.id],
  )
  await visit(merchant, { slug: 'one' })
  await visit(merchant, { slug: 'two' })
  await counted(merchant, 202)
  expect((await refused(merchant)).filter(({ slug }) => !slug.startsWith('slug-'))).toEqual([
    { reason: 'partner_not_found', slug: '', page: '', visits: 2 },
  ])
  await database.query(`update refused_visits set day = utc_day(now()) - 8 where program_id = $1`, [
    merchant.programId,
  ])
  while (
    (await removeDue(
      connect(inject('database')),
      'refused',
      new Date(Date.now() - 7 * 86_400_000),
      500,
    )) > 0
  );
  expect(await refused(merchant)).toEqual([])
})

test('other workspaces do not see it', async () => {
  const { merchant } = await open()
  const other = await openPages(await createMerchant())
  expect((await other.get(`/programs/${merchant.programId}/test`)).status).toBe(404)
})

test('a test partner is added once by the page, earns as others do, and is marked', async () => {
  const { merchant, become, read } = await open()
  const pages = await openPages(merchant)
  const path = `/programs/${merchant.programId}/test`
  expect((await read()).html).toContain('Add a test partner')
  await Promise.all(Array.from({ length: 4 }, () => pages.post(path, {})))
  const { html } = await read()
  expect(html).toContain('https://shop.example/?via=test')
  expect(html).not.toContain('Add a test partner')

  const { body } = await visit(merchant, { slug: 'test' })
  await merchant.sale({ clickId: body.clickId })
  await become([DONE, DONE, DONE, DONE, TODO, DONE, DONE])
  const partners = (await merchant.get(`/partners?programId=${merchant.programId}`)).body
    .data as unknown as object[]
  expect(partners).toEqual([
    expect.objectContaining({ slug: 'test', name: 'Test partner', test: true }),
    expect.not.objectContaining({ test: true }),
  ])
  const sale = await merchant.explainReport('sale', 'inv_1')
  expect(sale).toMatchObject({ test: true, partner: { slug: 'test' } })
  const commissions = (await merchant.get('/commissions')).body.data as unknown as object[]
  expect(commissions).toMatchObject([{ test: true }])
  const marked = 'Test partner</a><span class="status">Test</span>'
  for (const list of ['/partners', '/events', '/commissions', `/events/${sale?.id}`])
    expect((await pages.get(list)).html).toContain(marked)
  expect(
    await database.query(`select from mails where workspace_id = $1`, [merchant.workspace.id]),
  ).toEqual([])
  const again = await openPages(await createMerchant())
  expect((await again.post(path, {})).status).toBe(404)
})
