/** Reports that differ from the event with their ID: docs/decisions.md, "Mismatched reports". */
import { setTimeout as pause } from 'node:timers/promises'
import { expect, inject, test } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { removeDue } from '../../lib/people/retention.queries.ts'
import type { MismatchResponse } from '../../lib/tracking/events/events.responses.ts'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'
import { openPages } from '../support/pages.ts'

const database = useDatabase()

const listed = async (merchant: Merchant, query = '') =>
  (await merchant.get(`/mismatches${query}`)).body.data as unknown as MismatchResponse[]

/** The mismatches, once as many reports are counted: they are written after the response. */
const counted = async (merchant: Merchant, reports: number) => {
  for (;;) {
    const mismatches = await listed(merchant)
    if (mismatches.reduce((sum, mismatch) => sum + mismatch.reports, 0) >= reports)
      return mismatches
    await pause(20)
  }
}

test('an id that two shops use is listed with what differs, and counted on the overview', async () => {
  const merchant = await createMerchant()
  const clickId = await merchant.click()
  const { body } = await merchant.sale({
    externalId: '1001',
    clickId,
    metadata: { shop: 'a', same: 1 },
  })
  const other = {
    externalId: '1001',
    customerExternalId: 'user_2',
    amountCents: 1_500,
    metadata: { shop: 'b', only: 'b', same: 1 },
  }
  const answer = await merchant.sale(other)
  expect(answer.body).toEqual(body)
  expect(answer.headers.get('Idempotency-Mismatch')).toBe('true')
  await merchant.sale(other)
  const mismatches = await counted(merchant, 2)
  expect(mismatches).toEqual([
    {
      id: expect.any(String),
      eventId: body.eventId,
      kind: 'sale',
      externalId: '1001',
      differences: [
        { field: 'amountCents', recorded: '4900', reported: '1500' },
        { field: 'clickId', recorded: clickId, reported: null },
        { field: 'customerExternalId', recorded: 'user_1', reported: 'user_2' },
        { field: 'metadata.only', recorded: null, reported: 'b' },
        { field: 'metadata.shop', recorded: 'a', reported: 'b' },
      ],
      reports: 2,
      firstReportedAt: expect.any(String),
      lastReportedAt: expect.any(String),
    },
  ])
  expect(await database.counts(merchant)).toEqual({ events: 1, customers: 1, commissions: 1 })

  const pages = await openPages(merchant)
  const overview = await pages.get('')
  expect(overview.html).toContain('1 report of the last 7 days has the ID of another one')
  const { html, status } = await pages.get('/mismatches')
  expect(status).toBe(200)
  expect(html).toContain('Probably two different orders with the same ID.')
  expect(html).toContain('<code>user_2</code>')
  const event = await pages.get(`/events/${body.eventId}`)
  expect(event.html).toContain(`/mismatches?eventId=${body.eventId}`)
  const file = await merchant.get('/export/mismatches.csv')
  expect(String(file.body.text)).toContain('1001')
})

test('an exact repeat, in whatever order and spelling, is none', async () => {
  const merchant = await createMerchant()
  const clickId = await merchant.click()
  await merchant.sale({ clickId, metadata: { a: 1, b: 2 } })
  await merchant.sale({ metadata: { b: 2, a: 1 }, clickId, currency: 'usd' })
  await merchant.sale({ clickId, amountCents: 1, metadata: { a: 1, b: 2 } })
  const [mismatch, ...others] = await counted(merchant, 1)
  expect(mismatch?.differences).toEqual([{ field: 'amountCents', recorded: '4900', reported: '1' }])
  expect(others).toEqual([])
})

test('leads, refunds, dated reports and batches are compared too, each by the fields that it has', async () => {
  const merchant = await createMerchant()
  const clickId = await merchant.click()
  await merchant.lead({ externalId: 'lead_1', clickId })
  await merchant.lead({ externalId: 'lead_1', clickId, eventName: 'demo' })
  await merchant.sale({ externalId: 'inv_1', clickId, occurredAt: new Date().toISOString() })
  await merchant.sale({ externalId: 'inv_1', clickId, occurredAt: '2026-10-01T12:00:00Z' })
  await merchant.refund({ externalId: 're_1', saleExternalId: 'inv_1', amountCents: 100 })
  await merchant.refund({ externalId: 're_1', saleExternalId: 'inv_2' })
  const same = { kind: 'sale', externalId: 'inv_1', customerExternalId: 'user_1', clickId }
  await merchant.post('/api/track/batch', {
    events: [
      { ...same, amountCents: 1 },
      { ...same, amountCents: 2 },
      { ...same, amountCents: 1 },
    ],
  })
  // One body is sent twice in a batch, and counted once.
  const mismatches = await counted(merchant, 5)
  const fields = mismatches.map(({ kind, differences }) => [
    kind,
    ...differences.map(({ field }) => field),
  ])
  expect(fields.sort()).toEqual([
    ['lead', 'eventName'],
    ['refund', 'amountCents', 'saleExternalId'],
    ['sale', 'amountCents'],
    ['sale', 'amountCents'],
    ['sale', 'occurredAt'],
  ])
})

test('the newer of several clicks, and a field that no event keeps, are no differences', async () => {
  const merchant = await createMerchant()
  const [older, newer] = [await merchant.click(), await merchant.click()]
  await merchant.sale({ clickId: newer })
  await merchant.sale({ clickId: `${older}_${newer}`, customerEmail: 'ann@buyer.example' })
  const [mismatch] = await counted(merchant, 1)
  expect(mismatch?.differences).toEqual([])
  expect(
    JSON.stringify(
      await database.query('select * from report_mismatches where event_id = $1', [
        mismatch?.eventId,
      ]),
    ),
  ).not.toContain('ann@')
  expect((await (await openPages(merchant)).get('/mismatches')).html).toContain(
    'A field differs that is not kept',
  )
})

test('the first 20 bodies of an event are kept, and of each at most 500 characters', async () => {
  const merchant = await createMerchant()
  await merchant.sale({})
  const long = 'x'.repeat(700)
  for (let n = 0; n < 20; n++) await merchant.sale({ metadata: { n, long } })
  await counted(merchant, 20)
  for (let n = 20; n < 24; n++) await merchant.sale({ metadata: { n, long } })
  await merchant.sale({ metadata: { n: 0, long } })
  const mismatches = await counted(merchant, 21)
  expect(mismatches).toHaveLength(20)
  for (const { differences } of mismatches) expect(differences[0]?.reported).toHaveLength(500)
})

test('other workspaces see none, and eight copies at once count eight', async () => {
  const [merchant, other] = [await createMerchant(), await createMerchant()]
  await merchant.sale({})
  await Promise.all(Array.from({ length: 8 }, () => merchant.sale({ amountCents: 1 })))
  const [mismatch] = await counted(merchant, 8)
  expect(await listed(other)).toEqual([])
  expect(await listed(other, `?eventId=${mismatch?.eventId}`)).toEqual([])
  expect(await listed(merchant, `?eventId=${mismatch?.eventId}`)).toHaveLength(1)
})

test('they are removed with the customer whom they name, and after some time', async () => {
  const merchant = await createMerchant()
  const clickId = await merchant.click()
  await merchant.sale({ externalId: 'a', customerExternalId: 'ann@buyer.example', clickId })
  await merchant.sale({ externalId: 'b', customerExternalId: 'bob@buyer.example', clickId })
  await merchant.sale({ externalId: 'b', customerExternalId: 'ann@buyer.example', clickId })
  await merchant.sale({
    externalId: 'a',
    customerExternalId: 'ann@buyer.example',
    clickId,
    amountCents: 1,
  })
  await merchant.sale({
    externalId: 'b',
    customerExternalId: 'bob@buyer.example',
    clickId,
    amountCents: 1,
  })
  await counted(merchant, 3)
  const [ann] = await database.query<{ id: string }>(
    `select id from customers where workspace_id = $1 and external_id like 'ann%'`,
    [merchant.workspace.id],
  )
  const pages = await merchant.asManager()
  await pages.post(`/customers/${ann?.id}/erase`)
  const left = await listed(merchant)
  expect(left.map(({ externalId }) => externalId)).toEqual(['b'])
  // What is reported of an erased customer is not kept again.
  await merchant.sale({
    externalId: 'a',
    customerExternalId: 'ann@buyer.example',
    clickId,
    amountCents: 2,
  })
  await merchant.sale({
    externalId: 'b',
    customerExternalId: 'bob@buyer.example',
    clickId,
    amountCents: 2,
  })
  expect(await counted(merchant, 2)).toHaveLength(2)

  await database.query(
    `update report_mismatches set last_at = now() - interval '91 days' where workspace_id = $1`,
    [merchant.workspace.id],
  )
  while (
    (await removeDue(
      connect(inject('database')),
      'mismatches',
      new Date(Date.now() - 90 * 86_400_000),
      500,
    )) > 0
  );
  expect(await listed(merchant)).toEqual([])
})
