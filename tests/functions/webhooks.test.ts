/**
 * Webhooks from what causes them to a merchant's backend. tests/webhooks/ has the endpoints and
 * what goes wrong.
 */
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { webhookBody } from '../../api/webhooks.ts'
import type { EventType } from '../../lib/webhooks/types.ts'
import { importer } from '../support/imports.ts'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'
import { usePaidByStripe } from '../support/paid-by-stripe.ts'
import { createOwing } from '../support/runs.ts'
import {
  charge,
  dispute,
  oldInvoice,
  refund,
  type StripeObject,
  stripeEvent,
  useStripe,
} from '../support/stripe.ts'
import { addEndpoint, type Receiver, startReceiver } from '../support/webhooks.ts'

const database = useDatabase()
const { connectStripe, owe, connectMaya } = usePaidByStripe(database)
let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver()
})
afterAll(() => receiver.stop())

/** Of one merchant, as several share the receiver. */
const receivedBy = (endpointOf: Set<string>) =>
  receiver.received.filter(({ id }) => endpointOf.has(id))

const eventsOf = async ({ workspace }: Pick<Merchant, 'workspace'>) =>
  new Set(
    (
      await database.query<{ id: string }>(
        'select id from webhook_events where workspace_id = $1',
        [workspace.id],
      )
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
  expect(await typesOf(merchant)).toEqual([
    'commission.reversed',
    'refund.created',
    'refund.created',
  ])
  const refunds = (await receivedOf(merchant)).filter(({ type }) => type === 'refund.created')
  expect(refunds.map(({ data }) => [data.kind, data.externalId, data.amountCents])).toEqual(
    expect.arrayContaining([
      ['refund', 're_1', 1_000],
      ['refund', 're_2', null],
    ]),
  )
})

describe('a refund that Stripe reports', () => {
  const bought = async () => {
    const merchant = await createMerchant()
    await addEndpoint(merchant, receiver, { types: ['refund.created', 'commission.reversed'] })
    const stripe = await useStripe(merchant)
    const sale = oldInvoice({ metadata: { tributary_click: await merchant.click() } })
    const deliver = (type: string, object: StripeObject) =>
      stripe.deliver(stripeEvent(type, object))
    const refunded = (id: string, amount: number, fields: object = {}) =>
      refund({ id, amount, charge: sale.charge, ...fields })
    const refunds = async () =>
      (await receivedOf(merchant))
        .filter(({ type }) => type === 'refund.created')
        .map(({ data }) => `${data.externalId} ${data.amountCents}`)
        .toSorted()
    return { merchant, sale, deliver, refunded, refunds }
  }

  test('arrives once, however many events report it, and names its sale; another one of the sale arrives too', async () => {
    const { merchant, sale, deliver, refunded, refunds } = await bought()
    await deliver('invoice.paid', sale)
    await deliver('refund.created', refunded('re_1', 1_000))
    await deliver('refund.updated', refunded('re_1', 1_000))
    await deliver('charge.refunded', charge({ id: sale.charge, amount_refunded: 1_000 }))
    await deliver('refund.created', refunded('re_2', 500))
    await deliver('refund.created', refunded('re_3', 500, { status: 'failed' }))
    expect(await refunds()).toEqual(['re_1 1000', 're_2 500'])
    const { id } = (await merchant.explainReport('sale', String(sale.id))) ?? {}
    expect(
      (await receivedOf(merchant)).find(({ data }) => data.externalId === 're_1'),
    ).toMatchObject({
      type: 'refund.created',
      data: {
        kind: 'refund',
        currency: 'USD',
        attributed: true,
        partner: { slug: 'maya' },
        sale: { id, externalId: sale.id },
      },
    })
    expect((await typesOf(merchant)).filter((type) => type === 'commission.reversed').length).toBe(
      2,
    )
  })

  test('arrives once too if the backend reports it under Stripe’s id, whoever is first', async () => {
    const { merchant, sale, deliver, refunded, refunds } = await bought()
    await deliver('invoice.paid', sale)
    await deliver('refund.created', refunded('re_1', 1_000))
    await merchant.refund({ externalId: 're_1', saleExternalId: sale.id, amountCents: 1_000 })
    await merchant.refund({ externalId: 're_2', saleExternalId: sale.id, amountCents: 500 })
    await deliver('refund.created', refunded('re_2', 500))
    expect((await refunds()).map((sent) => sent.split(' ')[0])).toEqual(['re_1', 're_2'])
  })

  test('arrives with its sale if it is received before it, also of a sale without a partner, and eight copies announce it once', async () => {
    const { sale, deliver, refunded, refunds } = await bought()
    await deliver('refund.created', refunded('re_1', 1_000))
    const paid = { ...sale, metadata: {} }
    await Promise.all(Array.from({ length: 8 }, () => deliver('invoice.paid', paid)))
    await Promise.all(
      Array.from({ length: 8 }, () => deliver('refund.created', refunded('re_2', 500))),
    )
    expect(await refunds()).toEqual(['re_1 1000', 're_2 500'])
  })

  test('does not arrive if it was made before the endpoint was added', async () => {
    const merchant = await createMerchant()
    const stripe = await useStripe(merchant)
    const sale = oldInvoice({ metadata: { tributary_click: await merchant.click() } })
    await stripe.deliver(stripeEvent('invoice.paid', sale))
    await stripe.deliver(
      stripeEvent('refund.created', refund({ charge: sale.charge, amount: 500 })),
    )
    await addEndpoint(merchant, receiver, { types: ['refund.created', 'commission.reversed'] })
    await stripe.deliver(
      stripeEvent('charge.dispute.created', dispute({ charge: sale.charge, amount: 100 })),
    )
    expect(await typesOf(merchant)).toEqual(['commission.reversed'])
  })
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
  expect(
    received.find(({ data }) => data.action === 'partners.imported')?.data.details,
  ).toMatchObject({
    created: 2,
  })
})

test('an approved application arrives as a new partner who is approved, and an added partner as a new one', async () => {
  const merchant = await createMerchant()
  await addEndpoint(merchant, receiver, {
    types: ['partner.created', 'partner.approved', 'partner.banned'],
  })
  const { id: workspaceId } = merchant.workspace
  const apply = async (email: string) => {
    const [row] = await database.query<{ id: string }>(
      `insert into applications (id, workspace_id, program_id, email, name, promotion, answers, applied_at)
       values (uuidv7(), $1, $2, $3, 'Ann', 'Blog', '[]', now()) returning id`,
      [workspaceId, merchant.programId, email],
    )
    return `/applications/${row?.id}`
  }
  const manager = await merchant.asManager()
  const ann = await manager.post(`${await apply('ann@partner.example')}/approve`, {})
  await manager.post(`${await apply('bob@partner.example')}/reject`, {})
  await manager.post('/partners', { programId: merchant.programId, email: 'leo@partner.example' })
  // Who is a partner already does not become one.
  expect(
    (await manager.post(`${await apply('maya@partner.example')}/approve`, {})).body,
  ).toMatchObject({
    status: 'approved',
    partnerId: merchant.partnerId,
  })

  const sent = (await receivedOf(merchant)).map(
    ({ type, data }) => `${type} ${data.email} ${data.status}`,
  )
  expect(sent.toSorted()).toEqual([
    'partner.approved ann@partner.example approved',
    'partner.created ann@partner.example approved',
    'partner.created leo@partner.example approved',
  ])
  const approved = (await receivedOf(merchant)).find(({ type }) => type === 'partner.approved')
  expect(approved?.data).toEqual((await merchant.get(`/partners/${ann.body.partnerId}`)).body)
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

describe('a payout', () => {
  const types = ['payout.created', 'payout.paid', 'payout.failed']
  /** What a merchant's backend knows of its payouts: "payout.failed returned". */
  const known = async (merchant: Pick<Merchant, 'workspace'>) =>
    (await receivedOf(merchant)).map(({ type, data }) => `${type} ${data.status}`).toSorted()

  test('that Stripe refuses arrives as failed, the next one as paid, and as failed once its transfer is reversed', async () => {
    const merchant = await createMerchant()
    await addEndpoint(merchant, receiver, { types })
    const [key, manager] = [await connectStripe(merchant), await merchant.asManager()]
    await owe(merchant)
    const closed = await connectMaya(merchant, key)
    const origin = inject('stripeUrl')
    await fetch(`${origin}/dev/stripe/accounts/${closed}/close`, {
      method: 'POST',
      headers: { Origin: origin },
      redirect: 'manual',
    })
    await manager.post('/payouts/run', {})
    expect((await known(merchant)).at(-1)).toBe('payout.failed failed')
    expect(await typesOf(merchant)).toEqual(['payout.created', 'payout.failed'])

    await database.query(
      'update payout_accounts set disconnected_at = now() where workspace_id = $1',
      [merchant.workspace.id],
    )
    await connectMaya(merchant, key)
    const { body } = await manager.post('/payouts/run', {})
    const [payout] = body.payouts as { id: string; amountCents: number }[]
    expect(await known(merchant)).toContain('payout.paid paid')

    const { transferId } = (await manager.get(`/payouts/${payout?.id}`)).body
    const stripe = await useStripe(merchant)
    const transfer = { id: transferId, object: 'transfer', amount: 4_900, currency: 'usd' }
    for (const amount of [100, 4_900, 4_900])
      await stripe.deliver(
        stripeEvent('transfer.reversed', {
          ...transfer,
          metadata: { payout_id: payout?.id },
          amount_reversed: amount,
        }),
      )
    expect(await known(merchant)).toContain('payout.failed reversed')
    expect(await typesOf(merchant)).toEqual([
      'payout.created',
      'payout.created',
      'payout.failed',
      'payout.failed',
      'payout.paid',
    ])
  })

  test('by bank that is returned, and one that is canceled, arrive as failed, once each', async () => {
    const merchant = await createOwing()
    await addEndpoint(merchant, receiver, { types })
    const manager = await merchant.asManager()
    const run = await merchant.begin()
    const data = (await manager.get('/payouts')).body.data as { id: string }[]
    await Promise.all(
      Array.from({ length: 8 }, () => manager.post(`/payouts/${data[0]?.id}/cancel`)),
    )
    for (const status of ['paid', 'confirmed'])
      await manager.patch(`/payout-runs/${run}`, { status })
    const back = () =>
      manager.post(`/payouts/${data[1]?.id}/return`, { reason: 'The account is closed.' })
    await Promise.all(Array.from({ length: 8 }, back))
    expect(await typesOf(merchant)).toEqual([
      'payout.created',
      'payout.created',
      'payout.failed',
      'payout.failed',
      'payout.paid',
    ])
    const failed = (await known(merchant)).filter((seen) => seen.startsWith('payout.failed'))
    expect(failed).toEqual(['payout.failed canceled', 'payout.failed returned'])
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
