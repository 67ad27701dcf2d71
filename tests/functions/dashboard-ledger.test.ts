import { expect, test } from 'vitest'
import { openShop } from '../support/buyers.ts'
import { importer } from '../support/imports.ts'
import { createMerchant, useDatabase } from '../support/merchant.ts'
import { openPages } from '../support/pages.ts'
import { createShop } from '../support/shop.ts'

const database = useDatabase()

test('an event’s page explains its attribution', async () => {
  const { pages, eventId } = await createShop()
  const counted = await pages.get(`/events/${eventId}`)
  expect(counted.text).toContain('Credited')
  expect(counted.text).toContain('The program’s reward applies: 20% of the sale.')
  expect(counted.html).not.toContain('<script>alert')

  const list = await pages.get('/events?attributed=false')
  expect(list.text).toContain('Not credited')
  expect(list.text).not.toContain('inv_')
  const [, lost] = /\/events\/([\w-]{36})"/.exec(list.html) ?? []
  const missed = await pages.get(`/events/${lost}`)
  expect(missed.text).toContain('Not credited')
  expect(missed.text).toContain('The report has no click ID')
  expect(missed.text).toContain('This event earned no commission.')
})

test.each([
  ['/partners?query=ann', 'ann@partner.example', 'maya@'],
  ['/partners?status=banned', 'No partners match these filters.', 'ann@'],
  ['/partners?query=&status=&groupId=', 'maya@partner.example', 'No partner'],
  ['/events?externalId=lost', 'Not credited', 'Earned'],
  ['/events?kind=lead', 'No events match these filters.', 'Earned'],
  ['/commissions?status=payable', 'No commissions match these filters.', '$9.80'],
  ['/commissions?status=pending', '$9.80', 'No commission'],
  ['/customers?externalId=user_1', 'Ann & <b>Co</b>', 'No customer'],
  ['/customers?email=nobody@x.example', 'No customers match these filters.', 'user_1'],
])('%s shows the matching rows', async (path, there, notThere) => {
  const { pages } = await createShop()
  const { text } = await pages.get(path)
  expect(text).toContain(there)
  expect(text).not.toContain(notThere)
})

test('the search opens the only match, and lists several by what they are', async () => {
  const { merchant, pages, ann, eventId } = await createShop()
  const base = `/app/${merchant.workspace.slug}`
  const clickId = await merchant.click('ann')
  await merchant.lead({ externalId: 'user_1', clickId, customerEmail: 'Buyer@Example.com' })
  const [row] = await database.query<{ lost: string; lead: string; customer: string }>(
    `select (select id from events where workspace_id = $1 and external_id = 'lost') as lost,
            (select id from events where workspace_id = $1 and kind = 'lead') as lead,
            (select customer_id from customer_identities where workspace_id = $1 and value = 'buyer@example.com') as customer`,
    [merchant.workspace.id],
  )
  const find = (text: string) => pages.get(`/search?q=${encodeURIComponent(text)}`)

  expect(await find(' ANN ')).toMatchObject({ status: 303, location: `${base}/partners/${ann}` })
  expect(await find('inv_<i>')).toMatchObject({
    status: 303,
    location: `${base}/events/${eventId}`,
  })
  expect(await find('lost')).toMatchObject({ status: 303, location: `${base}/events/${row?.lost}` })
  expect(await find('BUYER@example.com')).toMatchObject({
    location: `${base}/customers/${row?.customer}`,
  })
  const ofClick = await find(clickId)
  expect(ofClick).toMatchObject({ status: 200, location: null })
  expect(ofClick.html).toContain(`href="${base}/events/${row?.lead}"`)
  expect(ofClick.text).toContain(`Clicks ${clickId} Through the link of Ann & <b>Co</b>`)

  for (const unknown of ['nothing-like-it', '%', '\0', 'PO-000042', '💸'.repeat(200)]) {
    const { status, text } = await find(unknown)
    expect(status).toBe(200)
    expect(text).toContain('Nothing matches')
  }
  expect((await pages.get('/search')).text).not.toContain('Nothing matches')
  const other = await createShop()
  expect((await other.pages.get(`/search?q=${clickId}`)).text).toContain('Nothing matches')
})

test('the pages of a customer and of an event list its ids, and what tied them', async () => {
  const shop = await openShop(database)
  const { merchant } = shop
  const buyer = shop.buyer()
  await buyer.lead({ clickId: await buyer.click() })
  await buyer.invoice({ at: 60, metadata: { customerExternalId: buyer.id('user') } })
  const pages = await openPages(merchant)
  const { customer } = (await merchant.explainReport('sale', buyer.id('in'))) ?? {}
  for (const path of [
    `/customers/${customer?.id}`,
    `/events/${(await merchant.explainReport('sale', buyer.id('in')))?.id}`,
  ]) {
    const { text } = await pages.get(path)
    const [user, cus, invoice] = [buyer.id('user'), buyer.id('cus'), buyer.id('in')]
    expect(text).toContain(`${user} Your ID Reported by your lead ${user}.`)
    expect(text).toContain(`${buyer.address} Email address Reported by your lead ${user}.`)
    expect(text).toContain(`${cus} Stripe Named by the purchase ${invoice}.`)
  }
  expect((await pages.get('/customers')).html).toContain(`/customers/${customer?.id}"`)
})

test('an empty list of partners links to the import, for managers', async () => {
  const merchant = await createMerchant()
  await database.query('delete from partners where workspace_id = $1', [merchant.workspace.id])
  const manager = await (await openPages(merchant)).get('/partners')
  expect(manager.text).toContain('Import them from another platform')
  const member = await (await openPages(merchant, 'member')).get('/partners')
  expect(member.text).toContain('No partners yet.')
  expect(member.html).not.toContain('/import')
})

test('pagination keeps the filters', async () => {
  const merchant = await createMerchant()
  const pages = await openPages(merchant)
  const { partners } = await importer(merchant)
  await partners(Array.from({ length: 60 }, (_, index) => ({ email: `p${index}@x.example` })))
  const first = await pages.get('/partners?query=x.example')
  const [, next] =
    /rel="next" href="[^"]*(\/partners\?[^"]*)"/.exec(first.html.replace(/&amp;/g, '&')) ?? []
  expect(next).toContain('query=x.example')
  const second = await pages.get(next ?? '')
  const emails = [first, second].flatMap(({ text }) => text.match(/p\d+@x\.example/g) ?? [])
  expect(new Set(emails).size).toBe(60)
  expect(second.html).not.toContain('rel="next"')
})

test('the audit log describes actions with their actors', async () => {
  const { merchant, pages, ann } = await createShop()
  const imports = await importer(merchant)
  await imports.partners(
    [{ email: 'new@x.example' }, { email: 'ann@partner.example' }, { email: 'bad' }],
    {
      sendWelcomeEmail: true,
    },
  )
  await imports.customers([{ customerExternalId: 'cus_1', partnerEmail: 'new@x.example' }])
  await pages.post(`/partners/${ann}/status`, { status: 'banned' })
  await pages.post(`/partners/${ann}/coupons`, { couponId: 'C1' })
  const { text } = await pages.get('/audit')
  const actor = `manager@${merchant.workspace.slug}.example`
  for (const words of [
    `${actor} imported 3 partners: 1 created, 1 skipped, 1 with errors; emailed new partners`,
    `${actor} imported 1 customer: 1 created`,
    `${actor} changed the partner ann@partner.example: status from approved to banned`,
    `${actor} added the coupon “C1” to ann@partner.example`,
  ]) {
    expect(text).toContain(words)
  }
})

test('a failed email is listed first, and can be resent', async () => {
  const merchant = await createMerchant()
  const pages = await openPages(merchant)
  const { partners } = await importer(merchant)
  await partners([{ email: 'lost@x.example' }, { email: 'fine@x.example' }], {
    sendWelcomeEmail: true,
  })
  await database.query(
    `update mails set failed_at = now(), sent_at = null, last_error = 'No such <mailbox>.'
     where workspace_id = $1 and recipient = 'lost@x.example'`,
    [merchant.workspace.id],
  )
  const before = await pages.get('/mails')
  expect(before.text).toContain('Undelivered emails')
  expect(before.html).toContain('No such &lt;mailbox&gt;.')
  const [, retry] = /action="[^"]*(\/mails\/[\w-]+\/retry)"/.exec(before.html) ?? []

  expect((await (await openPages(merchant, 'member')).post(retry ?? '', {})).status).toBe(403)
  expect((await pages.post(retry ?? '', {}, { Origin: 'null' })).status).toBe(403)
  const sent = await pages.post(retry ?? '', {})
  expect([sent.status, sent.location]).toEqual([
    303,
    `/app/${merchant.workspace.slug}/mails?done=queued`,
  ])
  const after = await pages.get('/mails?done=queued')
  expect(after.text).toContain('Email queued.')
  expect(after.text).not.toContain('Undelivered emails')
})

test('a manager credits an event on its page, by the partner’s slug or address', async () => {
  const merchant = await createMerchant()
  await merchant.sale({})
  const event = await merchant.explainReport('sale', 'inv_1')
  const pages = await openPages(merchant)
  const path = `/events/${event?.id}`
  expect((await pages.get(path)).text).toContain('Credit to')
  const nobody = await pages.post(`${path}/credit`, { partner: 'nobody', reason: 'Told us' })
  expect([
    nobody.status,
    nobody.text.includes('No partner has this slug or email address.'),
  ]).toEqual([400, true])
  const noReason = await pages.post(`${path}/credit`, { partner: 'maya', reason: '' })
  expect(noReason.status).toBe(400)
  expect((await pages.post(`${path}/credit`, { partner: 'maya', reason: 'Told us' })).status).toBe(
    303,
  )
  expect((await pages.get(path)).text).toContain('credited “maya” by hand: Told us')
  const again = await pages.post(`${path}/credit`, {
    partner: ' maya@partner.example ',
    reason: 'By address',
  })
  expect(again.status).toBe(303)
  expect((await pages.get('/audit')).text).toContain('credited “maya” with “inv_1”: By address')
  expect((await pages.post(`${path}/credit`, { partner: '', reason: 'Our own' })).status).toBe(303)
  expect((await pages.get(path)).text).toContain('decided that nobody is credited: Our own')
  expect(await database.violations(merchant.workspace.id)).toEqual([])
})
