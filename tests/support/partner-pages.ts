import { createMerchant, type Merchant } from './merchant.ts'
import { browse } from './pages.ts'

/** What a person sees at a path of the workspace. Entities are read as what they stand for. */
export const visit = async ({ workspace }: Merchant, cookie: string | null, path: string) => {
  const shown = await browse(cookie).get(`/${workspace.slug}${path}`)
  const text = shown.html
    .replace(/<(head|nav|header)[^>]*>.*?<\/\1>/gs, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, '&')
    .replace(/\s+/g, ' ')
  return { ...shown, text }
}

/** Sends a form of a page of the workspace. */
export const press = (
  { workspace }: Merchant,
  cookie: string,
  path: string,
  fields: Record<string, string>,
  headers?: Record<string, string>,
) => browse(cookie).post(`/${workspace.slug}${path}`, fields, headers)

/** A merchant with a partner "ann", its manager's cookie, an event that counted and one that didn't. */
export const createShop = async () => {
  const merchant = await createMerchant({ group: { name: 'Gold' } })
  const { workspace, programId, seed } = merchant
  const ann = await seed.addPartner(workspace.id, programId, { slug: 'ann', name: 'Ann & <b>Co</b>' })
  const cookie = await merchant.manager()
  const clickId = await merchant.click('ann')
  const metadata = { note: '</code><script>alert(1)</script>' }
  const sale = await merchant.sale({ externalId: 'inv_<i>', clickId, metadata })
  await merchant.sale({ externalId: 'lost' })
  return { merchant, cookie, ann, eventId: sale.body.eventId }
}
