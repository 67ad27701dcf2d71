/** Lines of sales, and the customer's country: reported, stored, answered, exported and erased. */
import { setTimeout as pause } from 'node:timers/promises'
import { expect, inject, test } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { checked } from '../../lib/http/validate.ts'
import { removeDue } from '../../lib/people/retention.queries.ts'
import { sha256 } from '../../lib/platform/sha256.ts'
import type { MismatchResponse } from '../../lib/tracking/events/events.responses.ts'
import { hashReport } from '../../lib/tracking/reports/report.service.ts'
import { SaleEvent } from '../../lib/tracking/reports/reports.schemas.ts'
import { readSubjects } from '../../lib/webhooks/subjects.queries.ts'
import { createMerchant, errorShape, type Merchant, useDatabase } from '../support/merchant.ts'
import { openPages } from '../support/pages.ts'
import { paying, setRules } from '../support/reward-rules.ts'

const database = useDatabase()

const LINES = [
  { productId: 'prod_annual', name: 'Annual plan', amountCents: 3_900, metadata: { seats: 3 } },
  { productId: 'prod_mug', quantity: 2, amountCents: 1_000 },
]
const ANSWERED = [
  {
    productId: 'prod_annual',
    priceId: null,
    name: 'Annual plan',
    quantity: 1,
    amountCents: 3_900,
    billingInterval: null,
    isProration: false,
    metadata: { seats: 3 },
  },
  {
    productId: 'prod_mug',
    priceId: null,
    name: null,
    quantity: 2,
    amountCents: 1_000,
    billingInterval: null,
    isProration: false,
    metadata: null,
  },
]

const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) })

const whole = (amountCents: unknown, more = {}) => [{ productId: 'x', amountCents, ...more }]
const REFUSED: [string, unknown, string, string?][] = [
  ['no line', [], 'lines'],
  ['101 lines', Array(101).fill({ productId: 'x', amountCents: 49 }), 'lines'],
  ['a line too many', [...whole(4_900), ...whole(1)], 'lines', '4901, and amountCents is 4900'],
  ['a cent too few', whole(4_899), 'lines', 'add up to 4899, and amountCents is 4900'],
  [
    'a sum beyond exact numbers',
    Array(100).fill({ productId: 'x', amountCents: 99_999_999_999_999 }),
    'lines',
    'add up to 9999999999999900, and',
  ],
  ['an amount as text', whole('4900'), 'lines.0.amountCents'],
  ['a negative amount', [...whole(5_000), ...whole(-100)], 'lines.1.amountCents'],
  ['a fraction', whole(4_900.5), 'lines.0.amountCents'],
  ['1e20', whole(1e20), 'lines.0.amountCents'],
  ['no product', [{ amountCents: 4_900 }], 'lines.0.productId'],
  ['an empty product', whole(4_900, { productId: '' }), 'lines.0.productId'],
  ['a long name', whole(4_900, { name: 'x'.repeat(256) }), 'lines.0.name'],
  ['no quantity', whole(4_900, { quantity: 0 }), 'lines.0.quantity'],
  ['half a unit', whole(4_900, { quantity: 0.5 }), 'lines.0.quantity'],
  ['too many units', whole(4_900, { quantity: 1_000_001 }), 'lines.0.quantity'],
  ['a list as metadata', whole(4_900, { metadata: [1] }), 'lines.0.metadata'],
  ['deep metadata', whole(4_900, { metadata: nested(40) }), ''],
  ['a line of text', ['x'], 'lines.0'],
  ['an object', { productId: 'x', amountCents: 4_900 }, 'lines'],
  ['a NUL', whole(4_900, { name: 'a\0b' }), 'lines.0.name'],
]
test.each(REFUSED)('refuses %s', async (_, lines, path, message = '') => {
  const merchant = await createMerchant()
  const { status, body } = await merchant.sale({ lines })
  expect(status).toBe(400)
  expect(body).toMatchObject({ error: { code: 'invalid_body' } })
  expect(body.error?.details?.[0]).toMatchObject({
    path,
    message: expect.stringContaining(message),
  })
  const batch = await merchant.post('/api/track/batch', {
    events: [
      { kind: 'sale', externalId: 'inv_1', customerExternalId: 'u', amountCents: 4_900, lines },
      { kind: 'sale', externalId: 'inv_2', customerExternalId: 'u', amountCents: 4_900 },
    ],
  })
  expect(batch.body.results).toMatchObject([
    { error: { code: 'invalid_body', details: body.error?.details } },
    { attributed: false },
  ])
  expect(await database.counts(merchant)).toMatchObject({ events: 1 })
})

test('refuses metadata of a sale and its lines that is too large together', async () => {
  const merchant = await createMerchant()
  const metadata = { text: 'x'.repeat(8_192 - 11) }
  const lines = [{ productId: 'x', amountCents: 4_900, metadata }]
  expect((await merchant.sale({ lines, metadata })).status).toBe(200)
  const { body } = await merchant.sale({
    externalId: 'inv_2',
    metadata: { text: `${metadata.text}x` },
    lines,
  })
  expect(body.error?.details).toEqual([
    { path: 'lines', message: 'The metadata has 16385 bytes of JSON. At most 16384 are kept.' },
  ])
})

test.each(['DEU', 'D', 'D1', 'ßß', 49, ''])('refuses the country %j', async (customerCountry) => {
  const merchant = await createMerchant()
  for (const answer of [
    await merchant.sale({ customerCountry }),
    await merchant.lead({ customerCountry }),
  ]) {
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual({
      error: {
        ...errorShape('invalid_body').error,
        details: [expect.objectContaining({ path: 'customerCountry' })],
      },
    })
  }
})

test('lines and country are stored once, and answered in every form', async () => {
  const merchant = await createMerchant()
  const clickId = await merchant.click()
  const { body } = await merchant.sale({ clickId, lines: LINES, customerCountry: 'de' })
  const event = await merchant.explain(body.eventId)
  expect(event).toMatchObject({ lines: ANSWERED, customerCountry: 'DE' })
  const listed = await merchant.get('/events')
  expect(listed.body.data).toMatchObject([{ lines: ANSWERED, customerCountry: 'DE' }])

  const file = String((await merchant.get('/export/events.csv')).body.text)
  const [head = '', row = '', ...others] = file.trim().split('\r\n')
  expect(head).toContain('"lines","customerCountry"')
  expect(row).toContain('""productId"":""prod_mug""')
  expect(row).toContain(',"DE",')
  expect(others).toEqual([])

  const subject = {
    ...{ eventId: event.id, workspaceId: merchant.workspace.id, subjectId: event.id },
    ...{ occurredAt: new Date(), refund: null },
  }
  const sent = await readSubjects(
    connect(inject('database')),
    [
      { ...subject, type: 'sale.created' },
      {
        ...subject,
        type: 'refund.created',
        refund: { id: 're_1', amountCents: 100, currency: 'USD' },
      },
    ],
    new Date(),
  )
  expect(sent).toMatchObject([
    { kind: 'sale', lines: ANSWERED, customerCountry: 'DE' },
    { kind: 'refund', lines: null, customerCountry: null },
  ])

  const manager = await merchant.asManager()
  const customer = event.customer.id
  expect((await manager.get(`/customers/${customer}/personal-data`)).body).toMatchObject({
    data: { events: [{ country: 'DE', lines: [{ name: 'Annual plan' }, {}] }] },
  })
})

test('a sale without lines has none, and a lead has a country alone', async () => {
  const merchant = await createMerchant()
  const clickId = await merchant.click()
  const sale = await merchant.sale({ clickId, lines: null, customerCountry: null })
  expect(await merchant.explain(sale.body.eventId)).toMatchObject({
    lines: null,
    customerCountry: null,
  })
  const lead = await merchant.lead({
    externalId: 'lead_1',
    clickId,
    customerCountry: 'At',
    lines: LINES,
  })
  expect(await merchant.explain(lead.body.eventId)).toMatchObject({
    lines: null,
    customerCountry: 'AT',
  })
})

test('100 lines with the longest ids and names are one sale, alone and in a batch', async () => {
  const merchant = await createMerchant()
  const lines = Array.from({ length: 100 }, (_, i) => ({
    productId: `${i}`.padEnd(255, '產'),
    name: '品'.repeat(255),
    quantity: 1_000_000,
    amountCents: 49,
  }))
  const sale = await merchant.sale({ clickId: await merchant.click(), lines })
  expect(sale.status).toBe(200)
  const { lines: stored } = await merchant.explain(sale.body.eventId)
  expect(stored?.map(({ productId }) => productId)).toEqual(lines.map((line) => line.productId))
  const events = ['inv_2', 'inv_3'].map((externalId) => ({
    ...{ kind: 'sale', externalId, customerExternalId: 'user_1', amountCents: 4_900 },
    lines,
  }))
  const batch = await merchant.post('/api/track/batch', { events })
  expect(batch.body.results).toMatchObject([{ attributed: false }, { attributed: false }])
  const padding = 'x'.repeat(256 * 1024)
  expect((await merchant.sale({ padding })).status).toBe(413)
})

test('a body without lines hashes as it did before there were any', async () => {
  const { data: report } = checked(SaleEvent, {
    externalId: 'inv_1',
    customerExternalId: 'user_1',
    amountCents: 4_900,
  })
  const before =
    '{"clickId":null,"customerEmail":null,"customerExternalId":"user_1","customerName":null,"eventName":"sale","externalId":"inv_1","kind":"sale","metadata":null,"sale":{"amountCents":"4900","currency":"USD"}}'
  expect(report && (await hashReport(report))).toBe(await sha256(before))
})

/** The mismatches, once as many reports are counted: they are written after the response. */
const counted = async (merchant: Merchant, reports: number) => {
  for (;;) {
    const { body } = await merchant.get('/mismatches')
    const mismatches = body.data as unknown as MismatchResponse[]
    if (mismatches.length >= reports) return mismatches
    await pause(20)
  }
}

test('an equal repeat is none, and one that differs names the lines and the country', async () => {
  const merchant = await createMerchant()
  const clickId = await merchant.click()
  const sale = { clickId, lines: LINES, customerCountry: 'DE' }
  await merchant.sale(sale)
  const [first, second] = LINES
  const same = await merchant.sale({
    ...sale,
    customerCountry: 'de',
    lines: [
      { ...first, quantity: 1, name: 'Annual plan' },
      { ...second, metadata: null },
    ],
  })
  expect(same.headers.has('Idempotency-Mismatch')).toBe(false)
  const other = await merchant.sale({ ...sale, customerCountry: 'AT', lines: [second, first] })
  expect(other.headers.get('Idempotency-Mismatch')).toBe('true')
  const without = await merchant.sale({ clickId })
  expect(without.headers.get('Idempotency-Mismatch')).toBe('true')

  const mismatches = await counted(merchant, 2)
  const fields = mismatches.map(({ differences }) => differences.map(({ field }) => field))
  expect(fields).toEqual([
    ['customerCountry', 'lines'],
    ['customerCountry', 'lines'],
  ])
  const [difference] = mismatches.flatMap(({ differences }) =>
    differences.filter(({ field, reported }) => field === 'lines' && reported === null),
  )
  expect(difference?.recorded).toContain('"productId": "prod_annual"')
  const { html } = await (await openPages(merchant)).get('/mismatches')
  expect(html).toContain('Country of the customer')
})

test('the page of a sale shows its lines, and what each earned', async () => {
  const merchant = await createMerchant()
  const clickId = await merchant.click()
  const pages = await openPages(merchant)
  const plain = await merchant.sale({ clickId, lines: LINES, customerCountry: 'DE' })
  const before = await pages.get(`/events/${plain.body.eventId}`)
  expect(before.text).toContain('Annual plan (prod_annual) 1 $39.00 prod_mug 2 $10.00')
  expect(before.text).toContain('Country of the customer DE')
  expect(before.text).not.toContain('Earned')

  await setRules(database, merchant.programId, [paying(50, { fact: 'product', in: ['prod_mug'] })])
  const ruled = await merchant.sale({ externalId: 'inv_2', clickId, lines: LINES })
  const after = await pages.get(`/events/${ruled.body.eventId}`)
  expect(after.text).toContain('Annual plan (prod_annual) 1 $39.00 $3.90 prod_mug 2 $10.00 $5.00')

  const without = await merchant.sale({ externalId: 'inv_3', clickId })
  expect((await pages.get(`/events/${without.body.eventId}`)).text).not.toContain('Quantity')
})

test('an erasure removes the metadata of lines, and an id that is an address; products stay', async () => {
  const merchant = await createMerchant()
  const clickId = await merchant.click()
  await merchant.lead({ externalId: 'user_1', clickId, customerEmail: 'ann@buyer.example' })
  const { body } = await merchant.sale({
    clickId,
    lines: [{ ...LINES[0], productId: 'ann@buyer.example' }, LINES[1]],
    customerCountry: 'DE',
  })
  const { customer } = await merchant.explain(body.eventId)
  const manager = await merchant.asManager()
  expect((await manager.post(`/customers/${customer.id}/erase`)).status).toBe(200)
  const { lines, customerCountry } = await merchant.explain(body.eventId)
  expect(lines).toMatchObject([
    { productId: expect.stringMatching(/^erased-/), name: 'Annual plan', metadata: null },
    { productId: 'prod_mug', quantity: 2, metadata: null },
  ])
  expect(customerCountry).toBe('DE')
})

test('the metadata of lines is removed with that of an uncredited sale, and of nobody else', async () => {
  const merchant = await createMerchant()
  const credited = await merchant.sale({
    clickId: await merchant.click(),
    externalId: 'credited',
    lines: LINES,
  })
  for (const [externalId, metadata] of [
    ['both', { a: 1 }],
    ['lines alone', null],
  ])
    await merchant.sale({ externalId, metadata, customerExternalId: 'user_2', lines: LINES })
  await merchant.sale({
    externalId: 'none',
    customerExternalId: 'user_2',
    lines: [LINES[1]],
    amountCents: 1_000,
  })
  await database.query(`update events set occurred_at = '2020-01-01' where workspace_id = $1`, [
    merchant.workspace.id,
  ])
  const due = () =>
    removeDue(connect(inject('database')), 'metadata', new Date('2020-01-02'), 1_000)
  expect(await due()).toBe(2)
  expect(await due()).toBe(0)
  for (const externalId of ['both', 'lines alone'])
    expect(await merchant.explainReport('sale', externalId)).toMatchObject({
      metadata: null,
      lines: [{ name: 'Annual plan', metadata: null }, { productId: 'prod_mug' }],
    })
  expect((await merchant.explain(credited.body.eventId)).lines).toMatchObject(ANSWERED)
})
