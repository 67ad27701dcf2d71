import { expect, test } from 'vitest'
import { holdCommission } from '../support/holds.ts'
import { createMerchant, useDatabase } from '../support/merchant.ts'
import { openPages } from '../support/pages.ts'
import { checkoutSession, refund, stripeEvent, stripeId, useStripe } from '../support/stripe.ts'

const database = useDatabase()

/** A merchant with a sale of 49.00 reported by API, and one by Stripe that is held with the first as evidence. */
const createHold = async () => {
  const merchant = await createMerchant()
  const stripe = await useStripe(merchant)
  const clickId = await merchant.click()
  const payment = stripeId('pi')
  await merchant.sale({ externalId: 'order-<b>1</b>', customerExternalId: 'user_1', clickId })
  const paid = checkoutSession({ payment_intent: payment, client_reference_id: clickId })
  await stripe.deliver(stripeEvent('checkout.session.completed', paid))
  const id = await holdCommission(merchant, payment, 'order-<b>1</b>')
  return { merchant, stripe, clickId, payment, id, pages: await openPages(merchant) }
}

test('a manager sees both sales side by side, and releases the commission', async () => {
  const { clickId, payment, id, pages, merchant } = await createHold()
  expect((await pages.get('')).text).toContain('1 Commissions to review')
  expect((await pages.get('/commissions')).html).toContain('/commissions/held"')
  const { text, html } = await pages.get('/commissions/held')
  expect(text).toContain('9.80 USD for maya')
  expect(text).toMatch(new RegExp(`Event ${payment} order-<b>1</b> Reported by Stripe Your backend Customer`))
  expect(text).toContain('ada@example.com user_1 Amount 49.00 USD 49.00 USD Date')
  expect(text).toContain(`Click ${clickId} ${clickId} Partner maya maya`)
  expect(html).not.toContain('<b>1</b>')

  const released = await pages.post(`/commissions/${id}/release`, {})
  expect(released).toMatchObject({
    status: 303,
    location: `/app/${merchant.workspace.slug}/commissions/held?done=released`,
  })
  const after = await pages.get('/commissions/held?done=released')
  expect(after.text).toContain('Commission released.')
  expect(after.text).toContain('No commissions are held.')
  expect((await pages.get('/audit')).text).toContain('released a held commission of 9.80 USD of “maya”')
  expect((await pages.get('')).text).not.toContain('Commissions to review')

  const refused = await pages.post(`/commissions/${id}/reject`, {})
  expect([refused.status, refused.text.includes('This commission was already released.')]).toEqual([
    409,
    true,
  ])
})

test('a manager rejects the commission, which earns nothing from then on', async () => {
  const { id, pages, payment, merchant } = await createHold()
  await pages.post(`/commissions/${id}/reject`, {})
  expect((await pages.get('/commissions/held?done=rejected')).text).toContain(
    'Commission rejected and reversed.',
  )
  const event = await merchant.explainReport('sale', payment)
  expect((await pages.get(`/events/${event?.id}`)).text).toContain(
    'A manager rejected the held commission of 9.80 USD of “maya”.',
  )
  expect((await pages.get('/audit')).text).toContain('rejected a held commission of 9.80 USD of “maya”')
})

test('a member reads held commissions and changes none', async () => {
  const { id, merchant } = await createHold()
  const pages = await openPages(merchant, 'member')
  const { text, html } = await pages.get('/commissions/held')
  expect(text).toContain('9.80 USD for maya')
  expect(html).not.toContain('/release')
  for (const verb of ['release', 'reject']) {
    expect((await pages.post(`/commissions/${id}/${verb}`, {})).status).toBe(403)
  }
  const other = await openPages(await createMerchant())
  expect((await other.post(`/commissions/${id}/release`, {})).status).toBe(404)
})

test('a held commission that was refunded in full is not listed until a part is due again', async () => {
  const { stripe, payment, pages, merchant } = await createHold()
  const whole = refund({ payment_intent: payment })
  await stripe.deliver(stripeEvent('refund.created', whole))
  expect((await pages.get('/commissions/held')).text).toContain('No commissions are held.')
  expect((await pages.get('')).text).not.toContain('Commissions to review')
  await stripe.deliver(stripeEvent('refund.failed', { ...whole, status: 'failed' }))
  expect((await pages.get('/commissions/held')).text).toContain('9.80 USD for maya')
  expect(
    await database.query('select * from verify_ledger() where workspace_id = $1', [merchant.workspace.id]),
  ).toEqual([])
})
