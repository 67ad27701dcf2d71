import { expect, test } from 'vitest'
import { CONNECT_EVENTS } from '../../lib/purchases/stripe/objects/event-types.ts'
import { createMerchant } from '../support/merchant.ts'
import { openPages } from '../support/pages.ts'
import { stripeKey } from '../support/secrets.ts'

const createSetup = async () => {
  const merchant = await createMerchant()
  return { merchant, pages: await openPages(merchant) }
}

test('a manager saves the Stripe key, replaces it, and removes it after confirmation', async () => {
  const { merchant, pages } = await createSetup()
  const empty = await pages.get('/stripe')
  expect(empty.text).toContain('Partner payouts Not set up')
  expect(empty.text).toContain('Account links')
  for (const name of CONNECT_EVENTS) expect(empty.text).toContain(name)

  const key = stripeKey()
  const set = await pages.post('/stripe/key', { key: ` ${key} ` })
  expect([set.status, set.location]).toEqual([
    303,
    `/app/${merchant.workspace.slug}/stripe?done=key_set`,
  ])
  const shown = await pages.get('/stripe?done=key_set')
  expect(shown.text).toContain('Key saved')
  expect(shown.text).toMatch(
    new RegExp(
      `Set up Test mode key ending in ${key.slice(-4)} for the account .*acct_\\w+ ?, saved at`,
    ),
  )
  expect(shown.html).not.toContain(key)
  expect((await pages.post('/stripe/key', { key: `${key}_rolled` })).status).toBe(303)

  const asked = await pages.get('/stripe/key/remove')
  expect(asked.text).toContain('Remove the Stripe key?')
  const removed = await pages.post('/stripe/key/remove', {})
  expect(removed.location).toBe(`/app/${merchant.workspace.slug}/stripe?done=key_removed`)
  expect((await pages.get('/stripe')).text).toContain('Not set up')
  expect((await pages.get('/stripe/key/remove')).status).toBe(404)
  expect((await pages.post('/stripe/key/remove', {})).status).toBe(404)
  const log = (await pages.get('/audit')).text
  expect(log).toContain(`saved the Stripe key ending in ${key.slice(-4)}`)
  expect(log).toContain('removed the Stripe key ending in lled')
})

test.each([
  '',
  'sk_test_',
  'pk_live_51H4xxxxxxxxxxxxxxxxxxxx',
  'sk_live_0123456789abcdef01',
  '<script>alert(1)</script>',
])('rejects “%s” at its field without showing it again', async (key) => {
  const { pages } = await createSetup()
  const { status, html, text } = await pages.post('/stripe/key', { key })
  expect(status).toBe(400)
  expect(html).toContain('id="key-error"')
  expect(html).not.toContain('id="secret-error"')
  expect(html).toContain('<title>Error: Stripe')
  if (key.length > 8) expect(text).not.toContain(key)
})

test('is for managers', async () => {
  const { merchant } = await createSetup()
  const pages = await openPages(merchant, 'member')
  expect((await pages.post('/stripe/key', { key: stripeKey() })).status).toBe(403)
  expect((await pages.get('/stripe/key/remove')).status).toBe(403)
  expect((await pages.post('/stripe/key/remove', {})).status).toBe(403)
})
