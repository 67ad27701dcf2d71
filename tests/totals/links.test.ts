/**
 * What came through each link: clicks and the sales that they are credited with, exact at every
 * moment.
 */
import { expect, inject, test } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { linksOf } from '../../lib/partners/links/links.queries.ts'
import { foldTotals } from '../../lib/totals/upkeep.queries.ts'
import { fold } from '../support/fold.ts'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'
import { browse, openPages } from '../support/pages.ts'
import { openSession } from '../support/people.ts'
import { removeClicks } from '../support/removed-clicks.ts'

const database = useDatabase()
const db = () => connect(inject('database'))

const sound = async ({ workspace }: Merchant) =>
  expect(await database.violations(workspace.id)).toEqual([])

/** A partner "ann" with the further link "video". */
const createLinker = async () => {
  const merchant = await createMerchant()
  const { workspace, programId } = merchant
  const email = `ann@${workspace.slug}.example`
  const ann = await merchant.seed.addPartner(workspace.id, programId, { slug: 'ann', email })
  const manager = await merchant.asManager()
  await manager.post(`/partners/${ann}/links`, { slug: 'video' })
  let sales = 0
  return {
    merchant,
    manager,
    ann,
    email,
    /** A click of a visitor of its own. */
    click: (slug: string) => merchant.click(slug, programId, crypto.randomUUID()),
    /** A sale to a customer of its own. @returns its event */
    sale: async (clickId?: string) => {
      sales++
      const { body } = await merchant.sale({
        externalId: `inv_${sales}`,
        customerExternalId: `user_${sales}`,
        ...(clickId && { clickId }),
      })
      return body.eventId as string
    },
    /** The links with their clicks and sales. */
    counts: async (id = ann) =>
      (await linksOf(db(), workspace.id, id))?.map(({ slug, clicks, sales }) => [
        slug,
        clicks,
        sales,
      ]),
  }
}

test('counts each link’s clicks and sales, before and after they are folded, on both pages', async () => {
  const { merchant, manager, ann, email, click, sale, counts } = await createLinker()
  const [main, video] = [await click('ann'), await click('VIDEO')]
  await click('Video')
  const leo = await click('maya')
  for (const clickId of [main, video, video, leo]) await sale(clickId)
  await merchant.lead({ externalId: 'lead_1', clickId: video })
  const refunded = await sale(video)
  expect(refunded).toBeTruthy()
  await merchant.refund({ saleExternalId: 'inv_5' })
  // Credited, but not by a click.
  const uncredited = await sale()
  expect(uncredited).toBeNull()
  const { body } = await manager.get('/events?externalId=inv_6')
  const [event] = body.data as { id: string }[]
  const credited = await manager.post(`/events/${event?.id}/credit`, {
    partnerId: ann,
    reason: 'Agreed',
  })
  expect(credited.status).toBe(200)

  const pages = await openPages(merchant)
  const portal = browse(await openSession(email), inject('baseUrl'), '/portal')
  for (const isFolded of [false, true]) {
    if (isFolded) await fold(database, merchant)
    expect(await counts()).toEqual([
      ['ann', 1, 1],
      ['video', 2, 3],
    ])
    for (const { text } of [await pages.get(`/partners/${ann}`), await portal.get('/links')]) {
      expect(text).toMatch(/via=ann Copy the link with ann 1 1 /)
      expect(text).toMatch(/via=video Copy the link with video 2 3 /)
    }
    await sound(merchant)
  }
})

test('a link keeps its counts when it becomes the main one, and a slug’s next partner begins at zero', async () => {
  const { merchant, manager, ann, click, sale, counts } = await createLinker()
  const clickId = await click('video')
  await click('ann')
  await manager.patch(`/partners/${ann}`, { slug: 'video' })
  await sale(clickId)
  expect(await counts()).toEqual([
    ['video', 1, 1],
    ['ann', 1, 0],
  ])
  await fold(database, merchant)
  await manager.delete(`/partners/${ann}/links/ann`)
  await manager.post(`/partners/${merchant.partnerId}/links`, { slug: 'ann' })
  await click('ann')
  expect(await counts()).toEqual([['video', 1, 1]])
  expect(await counts(merchant.partnerId)).toEqual([
    ['maya', 0, 0],
    ['ann', 1, 0],
  ])
  await fold(database, merchant)
  await sound(merchant)
  // Back again, it is the same link to the partner.
  await manager.delete(`/partners/${merchant.partnerId}/links/ann`)
  await manager.post(`/partners/${ann}/links`, { slug: 'ann' })
  expect(await counts()).toEqual([
    ['video', 1, 1],
    ['ann', 1, 0],
  ])
})

test('is exact while clicks, sales and folding happen at once, when clicks are removed, and when all is counted again', async () => {
  const { merchant, click, sale, counts } = await createLinker()
  const writing = Array.from({ length: 12 }, async (_, n) =>
    sale(await click(n % 3 === 0 ? 'ann' : 'video')),
  )
  await Promise.all([...writing, ...Array.from({ length: 6 }, () => foldTotals(db(), 4))])
  await sound(merchant)
  const unused = [await click('ann'), await click('ann'), await click('video')]
  const expected = [
    ['ann', 6, 4],
    ['video', 9, 8],
  ]
  const check = async () => {
    expect(await counts()).toEqual(expected)
    await sound(merchant)
  }
  await check()
  // One that is folded before it is removed, one whose removal is folded, and one that is counted
  // again in between.
  await fold(database, merchant)
  for (const id of unused) {
    await removeClicks(database, [id])
    await check()
    await database.age(merchant, '0 days')
    await check()
    await fold(database, merchant)
    await check()
  }
  await database.age(merchant, '0 days')
  await check()
  await fold(database, merchant)
  await check()
})

test('a sale moves with what credits it: its click, a manager, and its click again', async () => {
  const { merchant, ann, click, sale, counts } = await createLinker()
  const [main, video] = [await click('ann'), await click('video')]
  const event = await sale(main)
  const change = async (set: string, values: unknown[] = []) => {
    await database.query(`update events set ${set} where id = $1`, [event, ...values])
    await sound(merchant)
  }
  for (const isFolded of [false, true]) {
    if (isFolded) await fold(database, merchant)
    expect(await counts()).toEqual([
      ['ann', 1, 1],
      ['video', 1, 0],
    ])
    await change('click_id = $2', [video])
    expect(await counts()).toEqual([
      ['ann', 1, 0],
      ['video', 1, 1],
    ])
    await change(`attributed_by = 'manual'`)
    expect(await counts()).toEqual([
      ['ann', 1, 0],
      ['video', 1, 0],
    ])
    await change(`attributed_by = 'click', click_id = $2`, [main])
  }
  await database.query('update clicks set is_counted = false where id = $1', [video])
  await sound(merchant)
  expect(await counts(ann)).toEqual([
    ['ann', 1, 1],
    ['video', 0, 0],
  ])
})
