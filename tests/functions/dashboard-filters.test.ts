/** The filters of lists: what is set is shown as a chip, and each chip removes its own. */
import { expect, test } from 'vitest'
import { createMerchant } from '../support/merchant.ts'
import { openPages } from '../support/pages.ts'

const createList = async () => {
  const merchant = await createMerchant()
  const clickId = await merchant.click()
  await merchant.sale({ clickId })
  const pages = await openPages(merchant)
  const base = `/app/${merchant.workspace.slug}`
  /** The chips of a list: what each says, and the query that it leads to. */
  const chips = async (path: string) => {
    const { html } = await pages.get(path)
    return Object.fromEntries(
      [...html.matchAll(/<a href="([^"]*)" aria-label="Remove filter: ([^"]*)"/g)].map(
        ([, href = '', words = '']) => [words, href.replaceAll('&amp;', '&').replace(base, '')],
      ),
    )
  }
  return { ...merchant, chips }
}

test('each chip removes its filter, and keeps the others and the order; a page begins anew', async () => {
  const { chips } = await createList()
  const cursor = crypto.randomUUID()
  expect(
    await chips(
      `/partners?query=maya&status=approved&sort=revenue&order=asc&cursor=${cursor}&done=moved`,
    ),
  ).toEqual({
    'Email address, name or slug: maya': '/partners?status=approved&sort=revenue&order=asc',
    'Status: Approved': '/partners?query=maya&sort=revenue&order=asc',
  })
})

test('a filter that a link has set says whose rows they are', async () => {
  const { chips, partnerId } = await createList()
  expect(await chips(`/commissions?partnerId=${partnerId}&status=pending`)).toEqual({
    'Partner: maya': '/commissions?status=pending',
    'Status: Pending': `/commissions?partnerId=${partnerId}`,
  })
  expect(await chips(`/events?partnerId=${partnerId}`)).toEqual({ 'Partner: maya': '/events' })
  expect(await chips(`/events?partnerId=${crypto.randomUUID()}`)).toEqual({
    'Partner: one': '/events',
  })
})

test('hostile values are text, unknown parameters are no filters, and a list without filters has no chips', async () => {
  const { chips } = await createList()
  const hostile = '"><script>alert(1)</script>'
  expect(await chips(`/events?externalId=${encodeURIComponent(hostile)}&utm_source=x`)).toEqual({
    'External ID: &quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;': '/events?utm_source=x',
  })
  expect(await chips('/events')).toEqual({})
})
