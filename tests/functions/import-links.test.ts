/** Partners who come with several links keep all of them. */
import { expect, test } from 'vitest'
import { createWithLeo, LEO } from '../support/imports.ts'
import { type Merchant, useDatabase } from '../support/merchant.ts'

const database = useDatabase()

const ANN = 'ann@partner.example'

/** The slugs of a partner, the main one first. */
const linksOf = async (merchant: Merchant, email: string) => {
  const rows = await database.query<{ slugs: string[] }>(
    `select array[p.slug] || array(select l.slug from links l where l.partner_id = p.id order by l.id) as slugs
     from partners p where p.workspace_id = $1 and p.email = $2`,
    [merchant.workspace.id, email],
  )
  return rows[0]?.slugs
}

test.each([
  { case: 'plain', options: {} },
  { case: 'with balances', options: { importOpeningBalances: true } },
])('$case: every slug of a row is a link, which is credited and counted', async ({ options }) => {
  const { merchant, partners } = await createWithLeo()
  const rows = [
    { email: ANN, slug: 'Ann', slugs: ['ann-youtube', 'ANN', 'Ann Ü'], openingBalanceCents: 500 },
  ]
  const { body } = await partners(rows, options)
  expect(body.results).toEqual([
    { email: ANN, status: 'created', slug: 'Ann', couponMapped: false },
  ])
  expect(await linksOf(merchant, ANN)).toEqual(['Ann', 'ann-youtube', 'Ann Ü'])

  for (const slug of ['ann', 'ANN-YouTube', 'ann ü']) {
    const clickId = await merchant.click(slug)
    const externalId = `inv_${slug}`
    const sale = await merchant.sale({ externalId, customerExternalId: `user_${slug}`, clickId })
    expect(sale.body.attributed).toBe(true)
    expect((await merchant.explainReport('sale', externalId))?.partner).toMatchObject({
      email: ANN,
    })
  }
  const [partner] = await database.query<{ id: string }>(
    'select id from partners where email = $1 and workspace_id = $2',
    [ANN, merchant.workspace.id],
  )
  const links = await merchant.get(`/partners/${partner?.id}/links`)
  expect(links.body.data).toMatchObject([
    { slug: 'Ann', sales: 1 },
    { slug: 'Ann Ü', sales: 1 },
    { slug: 'ann-youtube', sales: 1 },
  ])
})

test('a slug that another partner has, as its main or further one, stays with that one, and is named', async () => {
  const { merchant, partners } = await createWithLeo()
  await partners([{ email: ANN, slug: 'ann', slugs: ['ann-2'] }])
  const rows = [{ email: 'ida@partner.example', slug: 'ANN-2', slugs: ['leo', 'ida', 'Ann'] }]
  const dry = await partners(rows, { dryRun: true })
  const { body } = await partners(rows)
  expect(body.results).toMatchObject([
    {
      slug: expect.stringMatching(/^ANN-2-\w+$/),
      requestedSlug: 'ANN-2',
      slugsNotKept: ['leo', 'Ann'],
    },
  ])
  expect(dry.body.results[0]?.slugsNotKept).toEqual(['leo', 'Ann'])
  expect(await linksOf(merchant, ANN)).toEqual(['ann', 'ann-2'])
  expect(await linksOf(merchant, 'ida@partner.example')).toEqual([expect.any(String), 'ida'])
  expect(await linksOf(merchant, LEO)).toEqual(['leo'])
})

test.each([
  { case: 'main', taken: 'LEO' },
  { case: 'further', taken: 'Leo-2' },
])(
  'a further slug that is the $case one of another partner is all that a row loses',
  async ({ taken }) => {
    const { merchant, partners } = await createWithLeo()
    await partners([{ email: 'two@partner.example', slug: 'two', slugs: ['leo-2'] }])
    const { body } = await partners([{ email: ANN, slug: 'ann', slugs: [taken, 'ann-2'] }])
    expect(body.results).toMatchObject([{ status: 'created', slug: 'ann', slugsNotKept: [taken] }])
    expect(await linksOf(merchant, ANN)).toEqual(['ann', 'ann-2'])
  },
)

test('a file that is imported again loses no link, and names those that an existing partner does not get', async () => {
  const { merchant, partners } = await createWithLeo()
  const row = { email: ANN, slug: 'ann', slugs: ['ann-2'] }
  await partners([row])
  const again = await partners([row])
  expect(again.body.results).toEqual([
    { email: ANN, status: 'skipped_existing', slug: 'ann', couponMapped: false },
  ])
  // The other order, and one link more.
  const more = await partners([{ email: ANN, slug: 'ann-2', slugs: ['ann', 'ann-3'] }])
  expect(more.body.results).toMatchObject([{ status: 'skipped_existing', slugsNotKept: ['ann-3'] }])
  expect(await linksOf(merchant, ANN)).toEqual(['ann', 'ann-2'])
})

test('imports at once of partners who want the same slugs give each to one', async () => {
  const { merchant, partners } = await createWithLeo()
  const rows = (name: string) =>
    Array.from({ length: 20 }, (_, n) => ({
      email: `${name}${n}@partner.example`,
      slug: `${name}-${n}`,
      // Further ones of each other, and main ones of another call.
      slugs: [`shared-${n}`, `b-${n}`, `c-${n}`],
    }))
  const answers = await Promise.all(['a', 'b', 'c', 'd'].map((name) => partners(rows(name))))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  const slugs = await database.query<{ key: string }>(
    `select slug_key as key from partners where workspace_id = $1
     union all select slug_key from links where workspace_id = $1`,
    [merchant.workspace.id],
  )
  expect(new Set(slugs.map(({ key }) => key)).size).toBe(slugs.length)
  for (const { body } of answers) {
    for (const { email, slug, slugsNotKept = [] } of body.results) {
      const links = await linksOf(merchant, email)
      expect(links?.[0]).toBe(slug)
      for (const lost of slugsNotKept) expect(links).not.toContain(lost)
    }
  }
  const kept = await database.query<{ n: number }>(
    `select count(*)::int as n from links where workspace_id = $1 and slug like 'shared-%'`,
    [merchant.workspace.id],
  )
  expect(kept).toEqual([{ n: 20 }])
})
