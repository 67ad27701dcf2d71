import { expect, inject, test } from 'vitest'
import { STRIPE_EVENTS } from '../../lib/purchases/stripe/objects/event-types.ts'
import { createMerchant, useDatabase } from '../support/merchant.ts'
import { openPages } from '../support/pages.ts'
import { addReceived } from '../support/received.ts'
import { SECRETS_KEY, signingSecret } from '../support/secrets.ts'

const database = useDatabase()

const createSetup = async () => {
  const merchant = await createMerchant()
  return { merchant, id: merchant.workspace.id, pages: await openPages(merchant) }
}

test('guides a manager from the URL to the first event', async () => {
  const { merchant, id, pages } = await createSetup()
  const empty = await pages.get('/stripe')
  expect(empty.text).toContain(
    `${inject('baseUrl')}/api/webhooks/stripe/${merchant.workspace.slug}`,
  )
  for (const name of STRIPE_EVENTS) expect(empty.text).toContain(name)
  expect(empty.text).toContain('Not connected')
  expect(empty.text).toContain('No events received yet.')

  const secret = signingSecret()
  const added = await pages.post('/stripe', { secret: ` ${secret} ` })
  expect([added.status, added.location]).toEqual([
    303,
    `/app/${merchant.workspace.slug}/stripe?done=added`,
  ])
  const waiting = await pages.get('/stripe?done=added')
  expect(waiting.text).toContain('Signing secret added')
  expect(waiting.text).toContain('Waiting No event has arrived yet.')
  expect(waiting.html).toContain(secret.slice(-4))
  expect(waiting.html).not.toContain(secret)

  await addReceived(id, { received_at: new Date('2026-05-01T10:00:00Z') })
  await addReceived(id, { received_at: new Date('2026-05-02T10:00:00Z') })
  const connected = await pages.get('/stripe')
  expect(connected.text).toContain(
    'Connected First event received at 2026-05-01 10:00 UTC , last at 2026-05-02 10:00 UTC .',
  )
})

test('accepts up to four secrets, and removes one after confirmation', async () => {
  const { merchant, pages } = await createSetup()
  const [first, second] = [signingSecret(), signingSecret()]
  await pages.post('/stripe', { secret: first })
  const again = await pages.post('/stripe', { secret: first })
  expect(again.location).toContain('?done=there_already')
  await pages.post('/stripe', { secret: second })
  expect((await pages.get('/stripe')).html).toContain('name="secret"')
  const purpose = 'connected_accounts'
  for (const secret of [signingSecret(), signingSecret()])
    await pages.post('/stripe', { secret, purpose })

  const full = await pages.get('/stripe')
  expect(full.html).not.toContain('name="secret"')
  const refused = await pages.post('/stripe', { secret: signingSecret() })
  expect(refused.status).toBe(409)
  expect(refused.text).toContain('This endpoint has two signing secrets already.')

  const paths = [...full.html.matchAll(/\/stripe\/secrets\/[\w-]+\/remove/g)].map(([path]) => path)
  expect(paths).toHaveLength(4)
  expect(full.html.match(/(?<="Events of">)[^<]+/g)).toEqual([
    'Connected accounts',
    'Connected accounts',
    'Your account',
    'Your account',
  ])
  const oldest = paths.at(-1) ?? ''
  const asked = await pages.get(oldest)
  expect(asked.text).toContain('Remove this signing secret?')
  expect(asked.html).toContain(first.slice(-4))
  const removed = await pages.post(oldest, {})
  expect(removed.location).toBe(`/app/${merchant.workspace.slug}/stripe?done=removed`)
  expect((await pages.get(oldest)).status).toBe(404)
  const left = await pages.get('/stripe')
  expect(left.html).toContain(second.slice(-4))
  expect(left.html).toContain('name="secret"')
  expect((await pages.get('/audit')).text).toContain(
    `removed the Stripe signing secret ending in ${first.slice(-4)}`,
  )
})

test.each([
  '',
  'whsec_',
  'sk_live_51H4xxxxxxxxxxxxxxxxxxxx',
  '<script>alert(1)</script>',
  `${signingSecret()} x`,
])('rejects “%s” at its field without showing it again', async (secret) => {
  const { id, pages } = await createSetup()
  const { status, html } = await pages.post('/stripe', { secret })
  expect(status).toBe(400)
  expect(html).toContain('id="secret-error"')
  if (secret.length > 6) expect(html).not.toContain(secret)
  expect(await database.query('select from stripe_secrets where workspace_id = $1', [id])).toEqual(
    [],
  )
})

test('shows the received events, their results and their mode', async () => {
  const { merchant, id, pages } = await createSetup()
  const sale = await merchant.sale({ externalId: 'in_<b>1</b>', clickId: await merchant.click() })
  const facts = { externalId: 'in_<b>1</b>', slug: 'maya', amountCents: 4_900, currency: 'USD' }
  await addReceived(id, {
    event_id: sale.body.eventId ?? null,
    outcome: { code: 'sale_credited', facts },
    livemode: false,
  })
  await addReceived(id, { type: 'charge.refunded', outcome: { code: 'no_sale', facts: {} } })
  await addReceived(id, { type: 'refund.created', outcome: null })
  const all = await pages.get('/stripe')
  expect(all.text).toContain('The sale in_<b>1</b> of $49.00 is credited to “maya”.')
  expect(all.html).toContain(`/events/${sale.body.eventId}"`)
  expect(all.text).toContain('The sale for this event has not been received yet.')
  expect(all.text).toContain('Received but not processed yet.')
  expect(all.html.match(/data-status="test"/g)).toHaveLength(1)

  const found = await pages.get('/stripe?externalId=in_%3Cb%3E1%3C%2Fb%3E&type=')
  expect(found.html.match(/<code class="hint">/g)).toHaveLength(1)
  expect((await pages.get('/stripe?type=charge.dispute.closed')).text).toContain(
    'No events match these filters.',
  )
  const odd = await pages.get('/stripe?cursor=x')
  expect([odd.status, odd.text.includes('These filters are not valid.')]).toEqual([400, true])
})

test('paginates', async () => {
  const { id, pages } = await createSetup()
  for (let n = 0; n < 3; n++) await addReceived(id)
  const first = await pages.get('/stripe?limit=2')
  const [, next = ''] =
    /rel="next" href="[^"]*(\/stripe\?[^"]*)"/.exec(first.html.replace(/&amp;/g, '&')) ?? []
  const second = await pages.get(next)
  const ids = [first, second].flatMap(({ html }) => html.match(/evt_\w+(?=<\/code>)/g) ?? [])
  expect(new Set(ids).size).toBe(3)
  expect(second.html).not.toContain('rel="next"')
})

test('is for managers of the workspace, from this site', async () => {
  const [ours, theirs] = await Promise.all([createSetup(), createSetup()])
  const secret = signingSecret()
  await ours.merchant.seed.addStripeSecret(ours.id, secret, SECRETS_KEY)
  const [row] = await database.query<{ id: string }>(
    'select id from stripe_secrets where workspace_id = $1',
    [ours.id],
  )
  const remove = `/stripe/secrets/${row?.id}/remove`
  const member = await openPages(ours.merchant, 'member')
  const stranger = await openPages(ours.merchant, 'stranger')
  for (const [who, status] of [
    [member, 403],
    [stranger, 404],
  ] as const) {
    expect((await who.get('/stripe')).status).toBe(status)
    expect((await who.post('/stripe', { secret: signingSecret() })).status).toBe(status)
    expect((await who.get(remove)).status).toBe(status)
    expect((await who.post(remove, {})).status).toBe(status)
  }
  expect((await member.get('')).html).not.toContain('/stripe')
  expect((await theirs.pages.get(remove)).status).toBe(404)
  expect((await theirs.pages.post(remove, {})).status).toBe(404)
  for (const from of [{ Origin: 'https://evil.example' }, { 'Sec-Fetch-Site': 'cross-site' }]) {
    expect((await ours.pages.post('/stripe', { secret: signingSecret() }, from)).status).toBe(403)
    expect((await ours.pages.post(remove, {}, from)).status).toBe(403)
  }
  expect(
    await database.query('select id from stripe_secrets where workspace_id = $1', [ours.id]),
  ).toEqual([row])
})
