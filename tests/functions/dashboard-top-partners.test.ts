/** The overview's partners who brought the most revenue in its period. */
import { expect, test } from 'vitest'
import { fold } from '../support/fold.ts'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'
import { openPages } from '../support/pages.ts'

const database = useDatabase()

/**
 * The rows of the list: a partner, its revenue, its commissions. Amounts in several currencies are
 * separated by a slash.
 */
const topOf = async (merchant: Merchant, query = '') => {
  const { html } = await (await openPages(merchant)).get(query)
  const [, card = ''] = html.match(/<h2>Top partners<\/h2>(.*?)<h2>/s) ?? []
  const rows = [...card.matchAll(/<tr>(.*?)<\/tr>/gs)]
    .slice(1)
    .map(([, row = '']) =>
      [...row.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell = '']) =>
        cell.replaceAll('</div><div>', ' / ').replace(/<[^>]+>/g, ''),
      ),
    )
  return { card, rows }
}

/** A sale of a new customer, through the link of a partner. */
const sell = async (merchant: Merchant, slug: string, amountCents: number, currency = 'USD') => {
  const id = crypto.randomUUID()
  const clickId = await merchant.click(slug, merchant.programId, id)
  const sale = { externalId: id, customerExternalId: id, clickId, amountCents, currency }
  expect(await merchant.sale(sale)).toMatchObject({ status: 200, body: { attributed: true } })
  return id
}

const addPartners = (merchant: Merchant, slugs: string[]) =>
  Promise.all(
    slugs.map((slug) =>
      merchant.seed.addPartner(merchant.workspace.id, merchant.programId, { slug }),
    ),
  )

test('are five, those with the most revenue first, each with its commissions in every currency', async () => {
  const merchant = await createMerchant()
  expect((await topOf(merchant)).card).toContain('No revenue yet.')
  const [leo] = await addPartners(merchant, ['leo', 'ann', 'bea', 'cid', 'dan', 'eve'])
  await sell(merchant, 'maya', 10_000)
  const refunded = await sell(merchant, 'leo', 30_000)
  await sell(merchant, 'leo', 2_000)
  await sell(merchant, 'leo', 500, 'EUR')
  for (const [index, slug] of ['ann', 'bea', 'cid', 'dan'].entries())
    await sell(merchant, slug, 9_000 - index * 1_000)
  // Less of it is in the workspace's first currency.
  await sell(merchant, 'eve', 90_000, 'EUR')
  await merchant.refund({ saleExternalId: refunded, amountCents: 30_000 })

  for (const isFolded of [false, true]) {
    if (isFolded) await fold(database, merchant)
    const { card, rows } = await topOf(merchant)
    // A refund lowers what a partner has earned, and not what it has brought, as everywhere.
    expect(rows).toEqual([
      ['leo', '320.00 USD / 5.00 EUR', '4.00 USD / 1.00 EUR'],
      ['maya', '100.00 USD', '20.00 USD'],
      ['ann', '90.00 USD', '18.00 USD'],
      ['bea', '80.00 USD', '16.00 USD'],
      ['cid', '70.00 USD', '14.00 USD'],
    ])
    expect(card).toContain(`/partners/${leo}"`)
    expect(card).toContain(`/app/${merchant.workspace.slug}/partners?sort=revenue"`)
  }
})

test('are those of the period, whether its days are folded or not', async () => {
  const merchant = await createMerchant()
  await addPartners(merchant, ['leo'])
  await sell(merchant, 'leo', 50_000)
  await database.age(merchant, '40 days')
  await sell(merchant, 'maya', 10_000)
  await sell(merchant, 'leo', 1_000)
  const recent = [
    ['maya', '$100.00', '$20.00'],
    ['leo', '$10.00', '$2.00'],
  ]
  for (const isFolded of [false, true]) {
    if (isFolded) await fold(database, merchant)
    expect((await topOf(merchant)).rows).toEqual(recent)
    expect((await topOf(merchant, '?days=7')).rows).toEqual(recent)
    for (const days of [90, 365])
      expect((await topOf(merchant, `?days=${days}`)).rows).toEqual([
        ['leo', '$510.00', '$102.00'],
        recent[0],
      ])
  }
})

test('are none of another workspace', async () => {
  const [mine, other] = [await createMerchant(), await createMerchant()]
  await sell(other, 'maya', 10_000)
  await fold(database, other)
  await sell(other, 'maya', 10_000)
  await sell(mine, 'maya', 1_000)
  expect((await topOf(mine)).rows).toEqual([['maya', '$10.00', '$2.00']])
  expect((await topOf(other)).rows).toEqual([['maya', '$200.00', '$40.00']])
})
