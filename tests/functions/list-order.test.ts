/** Lists that begin with their newest rows, and with `order=asc` with their oldest. */
import { expect, test } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { payoutsQuery } from '../../lib/payouts/payouts.queries.ts'
import { listCommissions } from '../../lib/tracking/ledger/commissions.queries.ts'
import { createMerchant, type Merchant } from '../support/merchant.ts'
import { openPages } from '../support/pages.ts'
import { usePayouts } from '../support/payouts.ts'
import { everyNth } from '../support/thorough.ts'

const world = usePayouts()

type Page = { data: { externalId: string }[]; nextCursor: string | null }

/** The external ids of all pages of a list, of two rows each. */
const readAll = async (merchant: Merchant, list: string, order: string) => {
  const ids: string[] = []
  let cursor: string | null = null
  do {
    const { body } = await merchant.get(
      `/${list}?limit=2&order=${order}${cursor ? `&cursor=${cursor}` : ''}`,
    )
    const { data, nextCursor } = body as unknown as Page
    ids.push(...data.map(({ externalId }) => externalId))
    cursor = nextCursor
  } while (cursor)
  return ids
}

const open = async () => {
  const merchant = await createMerchant()
  for (const n of [1, 2, 3, 4, 5])
    await merchant.sale({
      externalId: `o${n}`,
      customerExternalId: `o${n}`,
      clickId: await merchant.click(),
    })
  return merchant
}

test.each(['events', 'customers'])(
  'the list of %s is read from either end, page by page',
  async (list) => {
    const merchant = await open()
    expect(await readAll(merchant, list, 'asc')).toEqual(['o1', 'o2', 'o3', 'o4', 'o5'])
    expect(await readAll(merchant, list, 'desc')).toEqual(['o5', 'o4', 'o3', 'o2', 'o1'])
    expect((await merchant.get(`/${list}?order=up`)).status).toBe(400)
    const file = await merchant.get(`/export/${list}.csv?order=asc`)
    const text = String(file.body.text)
    expect(text.indexOf('o1')).toBeLessThan(text.indexOf('o5'))
  },
)

test.each(everyNth(2, ['events', 'customers']))(
  'the heading of the page of %s turns it around, with its filters',
  { tags: 'sampled' },
  async (list) => {
    const merchant = await open()
    const pages = await openPages(merchant)
    const newest = await pages.get(`/${list}?partnerId=${merchant.partnerId}&limit=2`)
    expect(newest.html).toContain('aria-sort="descending"')
    const [, turned = ''] =
      /aria-sort="descending"[^>]*><a[^>]*href="([^"]*)"/.exec(newest.html) ?? []
    const query = new URLSearchParams(turned.split('?')[1]?.replaceAll('&amp;', '&'))
    expect(Object.fromEntries(query)).toEqual({
      partnerId: merchant.partnerId,
      limit: '2',
      order: 'asc',
    })
    const oldest = await pages.get(`/${list}?${query}`)
    expect(oldest.html).toContain('aria-sort="ascending"')
    expect(oldest.html.indexOf('>o1<')).toBeLessThan(oldest.html.indexOf('>o2<'))
    expect(oldest.html).not.toContain('>o5<')
    // The next page, and the form, go on in this order.
    expect(oldest.html).toMatch(/href="[^"]*order=asc[^"]*cursor=[^"]*"/)
    expect(oldest.html).toContain('<input type="hidden" name="order" value="asc"')
  },
)

test('payouts are read from either end', async () => {
  const payer = await world.createPayer()
  for (const slug of ['a', 'b', 'c']) {
    await payer.addPartner({ slug, owed: [{ amountCents: 1_000 }] })
    await payer.run()
  }
  const db = connect(world.env())
  const read = async (order: 'asc' | 'desc', cursor?: string) =>
    (await payoutsQuery(db, payer.workspaceId, { order, cursor, limit: 2 }).execute()).map(
      ({ id }) => id,
    )
  const [first = '', second = ''] = await read('asc')
  const [third = ''] = await read('asc', second)
  expect(await read('desc')).toEqual([third, second])
  expect(await read('desc', second)).toEqual([first])
})

test.each([
  [undefined, 12],
  ['pending', 4],
  ['payable', 4],
  ['paid', 4],
] as const)(
  'commissions of the status %s are read from either end, page by page',
  async (status, count) => {
    const payer = await world.createPayer()
    const now = new Date()
    const later = new Date(now.getTime() + 86_400_000)
    for (const slug of ['a', 'b', 'c'])
      await payer.addPartner({
        slug,
        owed: [{ amountCents: 1_000 }, { amountCents: 2_000 }],
        connected: slug !== 'c',
      })
    await payer.run()
    for (const slug of ['d', 'e'])
      await payer.addPartner({
        slug,
        owed: [
          { amountCents: 1_000 },
          { amountCents: 1_000, payableAt: later },
          { amountCents: 2_000, payableAt: later },
        ],
      })
    const db = connect(world.env())
    const read = async (order: 'asc' | 'desc') => {
      const ids: string[] = []
      for (;;) {
        const filter = { status, order, cursor: ids.at(-1), limit: 2 }
        const rows = await listCommissions(db, payer.workspaceId, filter, now)
        ids.push(...rows.map(({ id }) => id))
        if (rows.length < 2) return ids
      }
    }
    const oldest = await read('asc')
    expect(oldest).toHaveLength(count)
    expect(await read('desc')).toEqual(oldest.toReversed())
  },
)
