/** Bots and repeated arrivals do not swell the charts, and cost nobody the credit for a sale. */
import { expect, inject, test } from 'vitest'
import { createMerchant, type Merchant, send, useDatabase } from '../support/merchant.ts'

const database = useDatabase()

const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1'

const arrive = async (
  { programId, workspace }: Merchant,
  { agent = PHONE, ...body }: { agent?: string; slug?: string; clickId?: string | null } = {},
): Promise<string> => {
  const { status, body: answer } = await send(`${inject('baseUrl')}/api/track/click`, {
    body: { programId, slug: 'maya', ...body },
    headers: { 'User-Agent': agent, 'CF-Connecting-IP': workspace.id },
  })
  expect({ status, answer }).toEqual({
    status: 200,
    answer: {
      clickId: expect.stringMatching(/^clk_[A-Za-z0-9]{24}(_clk_\w+)?$/),
      expiresAt: expect.any(String),
      maxAge: expect.any(Number),
    },
  })
  return answer.clickId ?? ''
}

/** The clicks of the workspace's charts, which the ledger's verification counts again. */
const counted = async ({ workspace }: Merchant) => {
  const [row] = await database.query<{ clicks: number }>(
    `select (coalesce((select sum(clicks) from totals where workspace_id = $1 and level = 'program' and dimension = 'all' and unit = 'day'), 0)
             + coalesce((select sum(clicks) from total_deltas where workspace_id = $1), 0))::int as clicks`,
    [workspace.id],
  )
  const violations = await database.violations(workspace.id)
  expect(violations).toEqual([])
  return row?.clicks
}

test.each([
  {
    case: 'a search engine',
    agent: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    clicks: 0,
  },
  {
    case: 'a link preview',
    agent: 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
    clicks: 0,
  },
  {
    case: 'a messenger’s preview',
    agent: 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
    clicks: 0,
  },
  { case: 'a tool', agent: 'curl/8.5.0', clicks: 0 },
  { case: 'a person', agent: PHONE, clicks: 1 },
  {
    case: 'a person in Instagram’s own browser',
    agent: `${PHONE} Instagram 331.0.0.35.90 (iPhone15,2; iOS 17_5; en_US)`,
    clicks: 1,
  },
  {
    case: 'a person in Facebook’s own browser',
    agent: `${PHONE} [FBAN/FBIOS;FBAV/466.0.0.39.107;FBDV/iPhone15,2]`,
    clicks: 1,
  },
])('$case counts $clicks in charts, and gets the same answer', async ({ agent, clicks }) => {
  const merchant = await createMerchant()
  await arrive(merchant, { agent })
  expect(await counted(merchant)).toBe(clicks)
})

test('a sale with the click of somebody who looks like a bot is credited all the same', async () => {
  const merchant = await createMerchant()
  const clickId = await arrive(merchant, { agent: 'curl/8.5.0' })
  expect((await merchant.sale({ clickId })).body).toMatchObject({ attributed: true })
})

test('a visitor who arrives again within 30 minutes counts once, each time within 30 minutes of the time before', async () => {
  const merchant = await createMerchant()
  let clickId = await arrive(merchant)
  for (let again = 0; again < 3; again++) {
    await database.query(
      `update clicks set created_at = created_at - interval '20 minutes' where workspace_id = $1`,
      [merchant.workspace.id],
    )
    const next = await arrive(merchant, { clickId })
    expect(next).not.toBe(clickId)
    clickId = next
  }
  expect(await counted(merchant)).toBe(1)
  expect((await merchant.sale({ clickId })).body).toMatchObject({ attributed: true })
})

test.each([
  { case: 'after 31 minutes', minutes: 31, slug: 'maya', clicks: 2 },
  { case: 'through another partner’s link', minutes: 0, slug: 'leo', clicks: 2 },
  {
    case: 'with a click id that nobody has',
    minutes: 0,
    slug: 'maya',
    clickId: 'clk_unknown',
    clicks: 2,
  },
  {
    case: 'with a click id that is too long',
    minutes: 0,
    slug: 'maya',
    clickId: 'x'.repeat(5_000),
    clicks: 2,
  },
])('an arrival $case counts again', async ({ minutes, slug, clickId, clicks }) => {
  const merchant = await createMerchant()
  await merchant.seed.addPartner(merchant.workspace.id, merchant.programId, { slug: 'leo' })
  const first = await arrive(merchant)
  await database.query(
    'update clicks set created_at = created_at - make_interval(mins => $2) where workspace_id = $1',
    [merchant.workspace.id, minutes],
  )
  await arrive(merchant, { slug, clickId: clickId ?? first })
  expect(await counted(merchant)).toBe(clicks)
})

test('a click id of another workspace does not keep an arrival from counting', async () => {
  const [merchant, other] = [await createMerchant(), await createMerchant()]
  await arrive(merchant, { clickId: await arrive(other) })
  expect(await counted(merchant)).toBe(1)
})

test('removed clicks go on counting as they did', async () => {
  const merchant = await createMerchant()
  const clickId = await arrive(merchant)
  await arrive(merchant, { clickId })
  await database.query('delete from clicks where workspace_id = $1', [merchant.workspace.id])
  expect(await counted(merchant)).toBe(1)
})
