/** Webhooks from what causes them to a merchant's backend. tests/webhooks/ has the endpoints and what goes wrong. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { webhookBody } from '../../api/webhooks.ts'
import type { EventType } from '../../lib/webhooks/types.ts'
import { importer } from '../support/imports.ts'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'
import { createOwing } from '../support/runs.ts'
import { addEndpoint, type Receiver, startReceiver } from '../support/webhooks.ts'

const database = useDatabase()
let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver()
})
afterAll(() => receiver.stop())

/** Of one merchant, as several share the receiver. */
const receivedBy = (endpointOf: Set<string>) => receiver.received.filter(({ id }) => endpointOf.has(id))

const eventsOf = async ({ workspace }: Pick<Merchant, 'workspace'>) =>
  new Set(
    (
      await database.query<{ id: string }>('select id from webhook_events where workspace_id = $1', [
        workspace.id,
      ])
    ).map(({ id }) => id),
  )

/** Waits until everything that is queued for a merchant was received, without the cron. */
const receivedOf = async (merchant: Pick<Merchant, 'workspace'>) => {
  const ids = await eventsOf(merchant)
  await vi.waitFor(() => expect(new Set(receivedBy(ids).map(({ id }) => id))).toEqual(ids), {
    timeout: 10_000,
    interval: 20,
  })
  const received = receivedBy(ids)
  for (const { type, body } of received) webhookBody(type as EventType).parse(JSON.parse(body))
  return received
}

const typesOf = async (merchant: Pick<Merchant, 'workspace'>) =>
  (await receivedOf(merchant)).map(({ type }) => type).toSorted()

test('a lead, a sale and its commission arrive once each, signed, as the API represents them', async () => {
  const merchant = await createMerchant()
  await addEndpoint(merchant, receiver)
  await merchant.lead({ clickId: await merchant.click(), customerEmail: 'kim@buyer.example' })
  const { body } = await merchant.sale({})
  const credited = await merchant.sale({ externalId: 'inv_2', clickId: await merchant.click() })
  await merchant.sale({ externalId: 'inv_2', clickId: await merchant.click() })

  expect(body.attributed).toBe(false)
  expect(await typesOf(merchant)).toEqual([
    'commission.created',
    'lead.created',
    'sale.created',
    'sale.created',
  ])
  const received = await receivedOf(merchant)
  const sale = received.find(({ data }) => data.id === credited.body.eventId)
  expect(sale?.data).toEqual((await merchant.get(`/events/${credited.body.eventId}`)).body)
  const commission = received.find(({ type }) => type === 'commission.created')
  expect(commission?.data).toEqual((await merchant.get(`/commissions/${commission?.data.id}`)).body)
  expect(receiver.unsigned).toEqual([])
  for (const { headers, timestamp } of received) {
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Tributary-Webhooks/1',
    })
    expect(Math.abs(Date.parse(timestamp) - Date.now())).toBeLessThan(60_000)
  }
})

test('a refund arrives with what it reverses, and one that waits for its sale arrives too', async () => {
  const merchant = await createMerchant()
  await addEndpoint(merchant, receiver, { types: ['refund.created', 'commission.reversed'] })
  await merchant.sale({ clickId: await merchant.click() })
  const refund = (fields: object) =>
    merchant.post('/api/track/refund', { externalId: 're_1', saleExternalId: 'inv_1', ...fields })
  await refund({ amountCents: 1_000 })
  await refund({ amountCents: 1_000 })
  await refund({ externalId: 're_2', saleExternalId: 'inv_later' })
  expect(await typesOf(merchant)).toEqual(['commission.reversed', 'refund.created', 'refund.created'])
  const refunds = (await receivedOf(merchant)).filter(({ type }) => type === 'refund.created')
  expect(refunds.map(({ data }) => [data.kind, data.externalId, data.amountCents])).toEqual(
    expect.arrayContaining([
      ['refund', 're_1', 1_000],
      ['refund', 're_2', null],
    ]),
  )
})

test('an import, a ban and its end arrive: each partner, and the import itself once', async () => {
  const merchant = await createMerchant()
  await addEndpoint(merchant, receiver)
  const imports = await importer(merchant)
  await imports.partners([{ email: 'leo@partner.example' }, { email: 'ann@partner.example' }])
  await imports.customers([{ customerExternalId: 'user_9', partnerEmail: 'leo@partner.example' }])
  const manager = await merchant.asManager()
  for (const status of ['banned', 'banned', 'approved'])
    await manager.patch(`/partners/${merchant.partnerId}`, { status })

  expect(await typesOf(merchant)).toEqual([
    'import.finished',
    'import.finished',
    'partner.approved',
    'partner.banned',
    'partner.created',
    'partner.created',
  ])
  const received = await receivedOf(merchant)
  expect(
    received
      .filter(({ type }) => type === 'partner.created')
      .map(({ data }) => data.email)
      .toSorted(),
  ).toEqual(['ann@partner.example', 'leo@partner.example'])
  expect(received.find(({ data }) => data.action === 'partners.imported')?.data.details).toMatchObject({
    created: 2,
  })
})

test('a payout arrives when it is created and when it is paid, and an adjustment and a reversal do', async () => {
  const merchant = await createOwing()
  await addEndpoint(merchant, receiver)
  const manager = await merchant.asManager()
  const runId = await merchant.begin()
  await manager.patch(`/payout-runs/${runId}`, { status: 'paid' })
  await merchant.sale({ clickId: await merchant.click() })
  const [sale] = (await merchant.get('/commissions?kind=sale')).body.data as { id: string }[]
  await manager.post(`/commissions/${sale?.id}/hold`, { note: 'Look at it' })
  await manager.post(`/commissions/${sale?.id}/reject`)

  expect(await typesOf(merchant)).toEqual([
    'commission.created',
    'commission.reversed',
    'payout.created',
    'payout.created',
    'payout.paid',
    'payout.paid',
    'sale.created',
  ])
  const received = await receivedOf(merchant)
  expect(received.find(({ type }) => type === 'payout.paid')?.data).toMatchObject({
    runId,
    status: 'paid',
    method: 'manual',
  })
  expect(received.find(({ type }) => type === 'commission.reversed')?.data).toMatchObject({
    kind: 'reversal',
    reversesId: sale?.id,
  })
})

test('nothing is queued for types that no endpoint wants, nor for a disabled endpoint, nor in another workspace', async () => {
  const [merchant, other] = [await createMerchant(), await createMerchant()]
  await addEndpoint(merchant, receiver, { types: ['lead.created'] })
  const { id } = await addEndpoint(merchant, receiver, { types: ['sale.created'] })
  await (await merchant.asManager()).patch(`/webhook-endpoints/${id}`, { enabled: false })
  for (const one of [merchant, other]) await one.sale({ clickId: await one.click() })
  expect([...(await eventsOf(merchant)), ...(await eventsOf(other))]).toEqual([])
})
