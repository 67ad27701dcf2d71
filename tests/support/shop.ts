import { createMerchant } from './merchant.ts'
import { openPages } from './pages.ts'

/**
 * A merchant with a partner "ann", an event that counted and one that didn't. Its manager's pages
 * come with it, and the cookie that opens them.
 */
export const createShop = async () => {
  const merchant = await createMerchant({ group: { name: 'Gold' } })
  const { workspace, programId, seed } = merchant
  const ann = await seed.addPartner(workspace.id, programId, {
    slug: 'ann',
    name: 'Ann & <b>Co</b>',
  })
  const clickId = await merchant.click('ann')
  const metadata = { note: '</code><script>alert(1)</script>' }
  const sale = await merchant.sale({ externalId: 'inv_<i>', clickId, metadata })
  await merchant.sale({ externalId: 'lost' })
  return { merchant, pages: await openPages(merchant), ann, eventId: sale.body.eventId ?? '' }
}
