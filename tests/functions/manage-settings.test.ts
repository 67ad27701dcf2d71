import { describe, expect, test } from 'vitest'
import { createMerchant, useDatabase } from '../support/merchant.ts'
import { openPages } from '../support/pages.ts'

const database = useDatabase()

describe('the settings of a workspace', () => {
  test('have defaults: partners are not paid by bank transfer', async () => {
    const merchant = await createMerchant()
    expect(await merchant.get('/settings')).toMatchObject({
      status: 200,
      body: {
        manualPayouts: false,
        paypalPayouts: false,
        wisePayouts: false,
        ibanPayouts: false,
        requireDocuments: false,
        selfBilling: false,
        salesFrom: 'both',
      },
    })
  })

  test('are changed by a manager, with an audit entry for what differs', async () => {
    const merchant = await createMerchant()
    const as = await merchant.asManager()
    const { body: before } = await as.get('/settings')
    const changed = await as.patch('/settings', { manualPayouts: true })
    expect(changed).toMatchObject({ status: 200, body: { ...before, manualPayouts: true } })
    expect((await as.get('/settings')).body).toEqual(changed.body)

    const { limitRequest: _, ...settings } = changed.body
    expect(await as.patch('/settings', settings)).toMatchObject({ status: 200, body: changed.body })
    expect(await as.patch('/settings', {})).toMatchObject({ status: 200, body: changed.body })
    expect(await database.audit(merchant)).toMatchObject([
      { action: 'workspace.changed', details: { manualPayouts: { from: false, to: true } } },
    ])
  })

  test('apply to one workspace only', async () => {
    const [merchant, other] = await Promise.all([createMerchant(), createMerchant()])
    await (await merchant.asManager()).patch('/settings', { manualPayouts: true })
    expect((await other.get('/settings')).body).toMatchObject({ manualPayouts: false })
  })

  test.each([
    { case: 'a word instead of true or false', body: { manualPayouts: 'yes' } },
    { case: 'an unknown reporter of sales', body: { salesFrom: 'paypal' } },
    { case: 'null', body: { manualPayouts: null } },
    { case: 'a misspelt setting', body: { manualPayout: true } },
    { case: 'a list', body: [] },
  ])('refuse $case with 400', async ({ body }) => {
    const merchant = await createMerchant()
    const as = await merchant.asManager()
    expect(await as.patch('/settings', body)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_body' } },
    })
    expect(await database.audit(merchant)).toEqual([])
  })
})

describe('the page "Settings"', () => {
  test('shows and saves them', async () => {
    const merchant = await createMerchant()
    const pages = await openPages(merchant)
    const box = (html: string) => /<input[^>]*name="manualPayouts"[^>]*>/.exec(html)?.[0]
    expect(box((await pages.get('/settings')).html)).not.toContain('checked')

    const saved = await pages.post('/settings', { manualPayouts: 'on' })
    expect(saved).toMatchObject({
      status: 303,
      location: `/app/${merchant.workspace.slug}/settings?done=saved`,
    })
    const { html } = await pages.get('/settings?done=saved')
    expect(html).toContain('Settings saved.')
    expect(box(html)).toContain('checked')

    await pages.post('/settings', {})
    expect((await merchant.get('/settings')).body).toMatchObject({ manualPayouts: false })
  })
})
