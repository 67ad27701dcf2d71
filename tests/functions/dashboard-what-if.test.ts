import { describe, expect, test } from 'vitest'
import { everything } from '../support/imports.ts'
import { createMerchant, useDatabase } from '../support/merchant.ts'
import { fieldsOf, openPages } from '../support/pages.ts'

const database = useDatabase()

/**
 * A merchant whose partners have made some sales of 49.00 USD, each of another customer: Maya two,
 * and a lead.
 */
const createSellers = async (others = 0) => {
  const merchant = await createMerchant({
    group: { leadReward: { amountCents: 500n, currency: 'EUR' } },
  })
  const slugs = Array.from({ length: others }, (_, index) => `seller-${index}`)
  for (const slug of slugs)
    await merchant.seed.addPartner(merchant.workspace.id, merchant.programId, { slug })
  for (const slug of slugs) {
    await merchant.sale({
      externalId: slug,
      customerExternalId: slug,
      clickId: await merchant.click(slug),
    })
  }
  const clickId = await merchant.click()
  await merchant.lead({ clickId })
  for (const externalId of ['inv_1', 'inv_2']) await merchant.sale({ externalId, clickId })
  const [group] = await database.query<{ id: string }>(
    'select id from groups where program_id = $1',
    [merchant.programId],
  )
  return { merchant, groupId: group?.id ?? '', pages: await openPages(merchant) }
}

/** The text of a page's tables, row by row. */
const rowsOf = (html: string): string[] =>
  [...html.matchAll(/<tr[ >].*?<\/tr>/gs)].map(([row]) =>
    [...row.matchAll(/<t[dh][^>]*>(.*?)<\/t[dh]>/gs)]
      .map(([, cell = '']) => cell.replace(/<[^>]+>/g, ''))
      .join(' | '),
  )

describe('the preview of a program', () => {
  test('shows what changed terms would have earned, with a form that saves them, and changes nothing', async () => {
    const { merchant, pages } = await createSellers()
    const path = `/programs/${merchant.programId}`
    const before = await everything(database, merchant)
    const fields = fieldsOf((await pages.get(path)).html)
    const { status, html } = await pages.post(`${path}/what-if`, {
      ...fields,
      'reward.percent': '30',
      rewardInterval: 'one-time',
    })
    expect(status).toBe(200)
    expect(rowsOf(html)).toEqual([
      'Partner | Present terms | Changed terms | Difference',
      'All partners | 19.60 USD | 14.70 USD | -4.90 USD',
      'maya | 19.60 USD | 14.70 USD | -4.90 USD',
      'Partner | Present terms | Changed terms | Difference',
      'All partners | 5.00 EUR | 5.00 EUR | 0.00 EUR',
    ])
    expect(html).toContain('“Reward shipping” and “Credit invoices paid outside')
    expect(html).toContain('As entered: A customer’s first sale of 100.00 USD earns 30.00 USD.')
    expect(await everything(database, merchant)).toEqual(before)

    expect(fieldsOf(html)).toMatchObject({ 'reward.percent': '30', rewardInterval: 'one-time' })
    expect((await pages.post(path, fieldsOf(html))).location).toContain('done=saved')
    const { body } = await merchant.get(path)
    expect(body).toMatchObject({
      reward: { kind: 'percent', percent: 30 },
      rewardInterval: 'one-time',
    })
  })

  test('names the 20 partners with the largest differences, and sums the others up', async () => {
    const { merchant, pages } = await createSellers(22)
    const path = `/programs/${merchant.programId}`
    const fields = { ...fieldsOf((await pages.get(path)).html), 'reward.percent': '10' }
    const rows = rowsOf((await pages.post(`${path}/what-if`, fields)).html)
    expect(rows[1]).toBe('All partners | 235.20 USD | 117.60 USD | -117.60 USD')
    expect(rows[2]).toBe('maya | 19.60 USD | 9.80 USD | -9.80 USD')
    expect(rows[22]).toBe('3 other partners | 29.40 USD | 14.70 USD | -14.70 USD')
  })

  test.each([
    {
      case: 'nothing was sold',
      sells: false,
      says: 'No sale or lead of this time earns a commission',
    },
    {
      case: 'nothing differs',
      sells: true,
      says: 'Every partner earns the same under these terms.',
    },
  ])('says so if $case', async ({ sells, says }) => {
    const { merchant, pages } = sells
      ? await createSellers()
      : await createMerchant().then(async (merchant) => ({
          merchant,
          pages: await openPages(merchant),
        }))
    const path = `/programs/${merchant.programId}`
    const { html } = await pages.get(path)
    expect((await pages.post(`${path}/what-if`, fieldsOf(html))).html).toContain(says)
  })

  test('of refused terms is the form with its errors', async () => {
    const { merchant, pages } = await createSellers()
    const path = `/programs/${merchant.programId}`
    const fields = { ...fieldsOf((await pages.get(path)).html), 'reward.percent': '130' }
    const { status, html } = await pages.post(`${path}/what-if`, fields)
    expect(status).toBe(400)
    expect(html).toContain('Must be a number from 0 to 100.')
    expect(html).toContain(`action="/app/${merchant.workspace.slug}${path}"`)
  })

  test('has no page of its own: its address leads to the form', async () => {
    const { merchant, groupId, pages } = await createSellers()
    for (const path of [`/programs/${merchant.programId}`, `/groups/${groupId}`]) {
      expect(await pages.get(`${path}/what-if`)).toMatchObject({
        status: 303,
        location: `/app/${merchant.workspace.slug}${path}`,
      })
    }
  })
})

describe('the preview of a group', () => {
  test('shows what changed rewards would have earned, with a form that saves them', async () => {
    const { merchant, groupId, pages } = await createSellers(1)
    const path = `/groups/${groupId}`
    const before = await everything(database, merchant)
    const fields = fieldsOf((await pages.get(path)).html)
    const changed = {
      ...fields,
      'saleReward.kind': 'percent',
      'saleReward.percent': '50',
      'leadReward.kind': '',
    }
    const { status, html } = await pages.post(`${path}/what-if`, changed)
    expect(status).toBe(200)
    expect(rowsOf(html)).toEqual([
      'Partner | Present terms | Changed terms | Difference',
      'All partners | 19.60 USD | 49.00 USD | +29.40 USD',
      'maya | 19.60 USD | 49.00 USD | +29.40 USD',
      'Partner | Present terms | Changed terms | Difference',
      'All partners | 5.00 EUR | 0.00 EUR | -5.00 EUR',
      'maya | 5.00 EUR | 0.00 EUR | -5.00 EUR',
    ])
    expect(html).toContain('As entered: A lead earns nothing.')
    expect(await everything(database, merchant)).toEqual(before)

    expect((await pages.post(path, fieldsOf(html))).location).toContain('done=saved')
    expect((await merchant.get(path)).body).toMatchObject({
      saleReward: { kind: 'percent', percent: 50 },
      leadReward: null,
    })
  })
})
