/** The overview: the days that its reader chooses, and what it says needs attention. */
import { expect, test } from 'vitest'
import { createMerchant, useDatabase } from '../support/merchant.ts'
import { openPages } from '../support/pages.ts'
import { addPayout } from '../support/portal.ts'
import { addReceived } from '../support/received.ts'
import { signingSecret } from '../support/secrets.ts'

const database = useDatabase()

const dayAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

test.each(['', '/partners/:id'])(
  'the days of a chosen period are shown beside those before at "%s"',
  async (at) => {
    const merchant = await createMerchant()
    const path = at.replace(':id', merchant.partnerId)
    const clickId = await merchant.click()
    await merchant.sale({ externalId: 'inv_1', clickId })
    await merchant.sale({ externalId: 'inv_2', clickId })
    await database.age(merchant, '31 days')
    const pages = await openPages(merchant)
    const figures = async (query: string) =>
      /Sales (\d+) .*?before: (\d+)/
        .exec((await pages.get(`${path}?${query}`)).text)
        ?.slice(1)
        .map(Number)

    expect(await figures(`from=${dayAgo(40)}&to=${dayAgo(31)}`)).toEqual([2, 0])
    expect(await figures(`from=${dayAgo(30)}&to=${dayAgo(26)}`)).toEqual([0, 2])
    expect(await figures(`from=${dayAgo(25)}&to=${dayAgo(21)}`)).toEqual([0, 0])
    expect(await figures(`from=${dayAgo(200)}&to=${dayAgo(0)}`)).toEqual([2, 0])

    const { html } = await pages.get(`${path}?from=${dayAgo(40)}&to=${dayAgo(31)}`)
    expect(html).toMatch(/<details open[^>]*><summary aria-current="true">Custom/)
    expect(html).toContain(`value="${dayAgo(40)}" id="from"`)
    const refused = await pages.get(`${path}?from=${dayAgo(30)}&to=${dayAgo(31)}`)
    expect(refused.status).toBe(400)
    expect(refused.text).toContain('The period must begin on or before its last day')
  },
)

test('payouts that failed in the last 30 days need attention', async () => {
  const merchant = await createMerchant()
  const pages = await openPages(merchant)
  const partner = {
    workspaceId: merchant.workspace.id,
    partnerId: merchant.partnerId,
    merchant,
    email: 'maya@partners.example',
  }
  await addPayout(database, partner, 980, { outcome: 'paid_at' })
  expect((await pages.get('')).text).not.toContain('failed View')
  await addPayout(database, partner, 980, { outcome: 'failed_at' })
  const { text, html } = await pages.get('')
  expect(text).toContain('1 payout of the last 30 days has failed')
  expect(html).toContain(`/payouts/all?status=failed"`)
})

test('Stripe needs attention once it is silent for longer than it ever pauses, if the workspace is connected', async () => {
  const merchant = await createMerchant()
  const pages = await openPages(merchant)
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000)
  for (let n = 0; n < 10; n++)
    await addReceived(merchant.workspace.id, { received_at: hoursAgo(100 + 10 - n) })
  expect((await pages.get('')).text).not.toContain('Stripe has sent no event')

  expect(
    (await pages.post('/stripe', { secret: signingSecret(), purpose: 'account' })).status,
  ).toBe(303)
  const { text, html } = await pages.get('')
  expect(text).toContain('Stripe has sent no event for 4 days')
  expect(html).toContain(`href="/app/${merchant.workspace.slug}/stripe"`)

  await addReceived(merchant.workspace.id, { processor_event_id: 'reconcile_1' })
  expect((await pages.get('')).text).toContain('Stripe has sent no event for 4 days')
  await addReceived(merchant.workspace.id)
  expect((await pages.get('')).text).not.toContain('Stripe has sent no event')
})
