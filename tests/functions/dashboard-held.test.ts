import { expect, test } from 'vitest'
import { holdCommission } from '../support/holds.ts'
import { createMerchant, useDatabase } from '../support/merchant.ts'
import { fieldsOf, openPages } from '../support/pages.ts'
import { checkoutSession, refund, stripeEvent, stripeId, useStripe } from '../support/stripe.ts'

const database = useDatabase()

/**
 * A merchant with a sale of 49.00 reported by API, and one by Stripe that is held with the first as
 * evidence.
 */
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
  expect((await pages.get('')).text).toContain('1 commission is held for review')
  expect((await pages.get('/commissions')).html).toContain('/commissions/held"')
  const { text, html } = await pages.get('/commissions/held')
  expect(text).toContain('$9.80 for maya')
  expect(text).toMatch(
    new RegExp(`Event ${payment} order-<b>1</b> Reported by Stripe Your backend Customer`),
  )
  expect(text).toContain('ada@example.com user_1 Amount $49.00 $49.00 Date')
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
  expect((await pages.get('/audit')).text).toContain(
    'released a held commission of $9.80 of “maya”',
  )
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
    'A manager rejected the held commission of $9.80 of “maya”.',
  )
  expect((await pages.get('/audit')).text).toContain(
    'rejected a held commission of $9.80 of “maya”',
  )
})

test('a member reads held commissions and changes none', async () => {
  const { id, merchant } = await createHold()
  const pages = await openPages(merchant, 'member')
  const { text, html } = await pages.get('/commissions/held')
  expect(text).toContain('$9.80 for maya')
  expect(html).not.toContain('/release')
  for (const verb of ['release', 'reject']) {
    expect((await pages.post(`/commissions/${id}/${verb}`, {})).status).toBe(403)
  }
  const other = await openPages(await createMerchant())
  expect((await other.post(`/commissions/${id}/release`, {})).status).toBe(404)
})

test('a manager holds a commission of its page with a note, and releases it', async () => {
  const merchant = await createMerchant()
  const sale = await merchant.sale({ clickId: await merchant.click() })
  const { commission } = await merchant.explain(sale.body.eventId)
  const pages = await openPages(merchant)
  const path = `/commissions/${commission?.id}`
  expect((await pages.get('/commissions')).html).toContain(`${path}"`)
  const { text } = await pages.get(path)
  expect(text).toMatch(
    /Sale of \$9\.80 Status pending Partner maya Customer user_1 Created .* Hold commission/,
  )

  const blank = await pages.post(`${path}/hold`, { note: ' ' })
  expect([blank.status, blank.text.includes('Must not be blank.')]).toEqual([400, true])
  const held = await pages.post(`${path}/hold`, { note: 'Ask the <i>buyer</i>' })
  expect(held.location).toBe(`/app/${merchant.workspace.slug}${path}?done=held`)
  const after = await pages.get(`${path}?done=held`)
  expect(after.text).toContain('Commission held. It is not paid until a manager releases it.')
  expect(after.text).toMatch(/Hold Held by manager@.*\.example: “Ask the <i>buyer<\/i>”, 20/)
  expect((await pages.post(`${path}/hold`, { note: 'Another' })).status).toBe(409)
  expect((await pages.get('')).text).toContain('1 commission is held for review')
  const list = await pages.get('/commissions/held')
  expect(list.text).toContain('.example: “Ask the <i>buyer</i>”.')
  expect(list.text).toMatch(
    /Detail Held event Event inv_1 Reported by Your backend Customer user_1 Amount \$49\.00/,
  )
  expect((await pages.post(`${path}/release`, {})).status).toBe(303)
  expect((await pages.get('/audit')).text).toContain(
    'held a commission of $9.80 of “maya”: Ask the <i>buyer</i>',
  )

  const reader = await openPages(merchant, 'member')
  expect((await reader.get(path)).html).not.toContain('<form method="post" action="/app')
  expect((await reader.post(`${path}/hold`, { note: 'x' })).status).toBe(403)
  expect((await (await openPages(await createMerchant())).get(path)).status).toBe(404)
})

test('a manager adjusts a partner’s earnings on its page or on a commission’s, and a double click does it once', async () => {
  const merchant = await createMerchant()
  const sale = await merchant.sale({ clickId: await merchant.click() })
  const { commission, partner } = await merchant.explain(sale.body.eventId)
  const pages = await openPages(merchant)
  const form = (html: string): Record<string, string> => {
    const [, own = ''] = /action="[^"]*\/adjust"(.*?)<\/form>/s.exec(html) ?? []
    return fieldsOf(`<form>${own}`)
  }
  const ofCommission = form((await pages.get(`/commissions/${commission?.id}`)).html)
  expect(ofCommission).toMatchObject({ currency: 'USD', amount: '', reason: '' })
  const path = `/commissions/${commission?.id}/adjust`
  const wrong = await pages.post(path, { ...ofCommission, amount: 'ten', reason: 'Paid twice' })
  expect([
    wrong.status,
    wrong.text.includes('Enter an amount of the currency, such as 5.00 or -5.00.'),
  ]).toEqual([400, true])
  const typed = { ...form(wrong.html), amount: '-5.00' }
  expect(typed).toMatchObject({ externalId: ofCommission.externalId, reason: 'Paid twice' })
  const both = await Promise.all([pages.post(path, typed), pages.post(path, typed)])
  expect(both.map(({ status }) => status)).toEqual([303, 303])
  const page = await pages.get(
    (both[0].location ?? '').replace(`/app/${merchant.workspace.slug}`, ''),
  )
  expect(page.text).toMatch(
    /Adjustment of -\$5\.00 Earnings adjusted\. .* by manager@.* Reason Paid twice/,
  )
  const changed = await pages.post(path, { ...typed, amount: '-6.00' })
  expect([changed.status, changed.text.includes('This form was already submitted')]).toEqual([
    409,
    true,
  ])

  const ofPartner = form((await pages.get(`/partners/${partner?.id}`)).html)
  const goodwill = { ...ofPartner, amount: '1,25', currency: 'eur', reason: 'Goodwill' }
  expect((await pages.post(`/partners/${partner?.id}/adjust`, goodwill)).status).toBe(303)
  const zero = await pages.post(`/partners/${partner?.id}/adjust`, { ...goodwill, amount: '0' })
  expect([zero.status, zero.text.includes('and not 0')]).toEqual([400, true])
  const { text } = await pages.get('/commissions?kind=adjustment')
  expect(text).toContain('1.25 EUR')
  expect(text).toContain('-5.00 USD')
  expect((await pages.get('/audit')).text).toContain(
    'adjusted the earnings of “maya” by -5.00 USD: Paid twice',
  )
})

test('a manager reverses a part of a commission on its page, and a double click does it once', async () => {
  const merchant = await createMerchant()
  const sale = await merchant.sale({ clickId: await merchant.click() })
  const { commission } = await merchant.explain(sale.body.eventId)
  const pages = await openPages(merchant)
  const path = `/commissions/${commission?.id}`
  const form = (html: string) =>
    fieldsOf(`<form>${/action="[^"]*\/reverse"(.*?)<\/form>/s.exec(html)?.[1]}`)
  const first = form((await pages.get(path)).html)
  const wrong = await pages.post(`${path}/reverse`, { ...first, amount: '0', reason: 'Returned' })
  expect([wrong.status, wrong.text.includes('Enter an amount of the currency')]).toEqual([
    400,
    true,
  ])
  const typed = { ...form(wrong.html), amount: '2.50' }
  const both = await Promise.all([
    pages.post(`${path}/reverse`, typed),
    pages.post(`${path}/reverse`, typed),
  ])
  expect(both.map(({ status }) => status)).toEqual([303, 303])
  expect((await pages.get(`${path}?done=reversed`)).text).toContain('Commission reversed.')
  const tooMuch = await pages.post(`${path}/reverse`, {
    ...form((await pages.get(path)).html),
    amount: '8',
    reason: 'x',
  })
  expect([
    tooMuch.status,
    tooMuch.text.includes('Only 7.30 USD of this commission is left.'),
  ]).toEqual([409, true])
  expect((await pages.get('/commissions?kind=reversal')).text).toContain('-$2.50')
})

test('a held commission that was refunded in full is not listed until a part is due again', async () => {
  const { stripe, payment, pages, merchant } = await createHold()
  const whole = refund({ payment_intent: payment })
  await stripe.deliver(stripeEvent('refund.created', whole))
  expect((await pages.get('/commissions/held')).text).toContain('No commissions are held.')
  expect((await pages.get('')).text).not.toContain('Commissions to review')
  await stripe.deliver(stripeEvent('refund.failed', { ...whole, status: 'failed' }))
  expect((await pages.get('/commissions/held')).text).toContain('$9.80 for maya')
  expect(await database.violations(merchant.workspace.id)).toEqual([])
})

test('a manager holds and releases many commissions at once, and reads which ones could not be', async () => {
  const [merchant, theirs] = [await createMerchant(), await createMerchant()]
  const pages = await openPages(merchant)
  const clickId = await merchant.click()
  for (const externalId of ['a', 'b', 'c'])
    await merchant.sale({ externalId, customerExternalId: externalId, clickId })
  await merchant.refund({ externalId: 'r', saleExternalId: 'c', amountCents: 100 })
  await theirs.sale({ clickId: await theirs.click() })
  const idsOf = async ({ workspace }: typeof merchant) =>
    (
      await database.query<{ id: string }>(
        'select id from commissions where workspace_id = $1 order by id',
        [workspace.id],
      )
    ).map(({ id }) => id)
  const [a = '', b = '', c = '', reversal = ''] = await idsOf(merchant)
  const [foreign = ''] = await idsOf(theirs)
  const choose = (...ids: string[]) => Object.fromEntries(ids.map((id) => [`choice-${id}`, 'on']))
  const heldOf = async () =>
    (
      await database.query<{ id: string }>(
        'select commission_id as id from commission_holds where resolved_at is null and workspace_id = any($1) order by 1',
        [[merchant.workspace.id, theirs.workspace.id]],
      )
    ).map(({ id }) => id)
  const change = (fields: Record<string, string>) => pages.post('/commissions/change', fields)

  expect((await pages.get('/commissions')).html).toContain(`name="choice-${a}"`)
  const hold = { ...choose(a, b, reversal, foreign), change: 'hold', note: 'Looks like one order' }
  const [held, again] = await Promise.all([change(hold), change(hold)])
  expect(held.status).toBe(200)
  expect(held.text).toContain('2 commissions held')
  expect(held.text).toContain('A reversal is held with the commission that it reverses.')
  expect(again.text).toContain('2 commissions held')
  expect(await heldOf()).toEqual([a, b])

  const released = await change({ ...choose(a, c), change: 'release' })
  expect(released.text).toContain('1 commission released')
  expect(released.text).toContain('This commission is not held.')
  expect(await heldOf()).toEqual([b])

  const many = Array.from({ length: 51 }, () => crypto.randomUUID())
  for (const fields of [
    {},
    { change: 'hold', note: 'x' },
    { ...choose(a), change: 'hold' },
    { ...choose(a), change: 'delete', note: 'x' },
    { ...choose('1'), change: 'release' },
    { ...choose(...many), change: 'release' },
  ])
    expect((await change(fields)).status).toBe(400)
  const member = await openPages(merchant, 'member')
  expect((await member.post('/commissions/change', hold)).status).toBe(403)
  expect((await member.get('/commissions')).html).not.toContain('choice-')
  expect(await heldOf()).toEqual([b])
  expect(await database.violations(merchant.workspace.id)).toEqual([])
})
