/** PATCH /api/track/sale/:externalId: a sale is given what its report lacked. */
import { expect, inject, test } from 'vitest'
import {
  createMerchant,
  errorShape,
  type Merchant,
  send,
  useDatabase,
} from '../support/merchant.ts'

const database = useDatabase()

const open = async (program: object = {}) => {
  const merchant = await createMerchant({ program })
  const key = await merchant.seed.addApiKey(merchant.workspace.id, { scopes: ['write'] })
  const correct = (externalId: string, body: object, authorization = `Bearer ${key}`) =>
    send(new URL(`/api/track/sale/${encodeURIComponent(externalId)}`, inject('baseUrl')), {
      method: 'PATCH',
      body,
      headers: { Authorization: authorization },
    })
  return { merchant, correct }
}
const codesOf = async (merchant: Merchant, externalId: string) =>
  (await merchant.explainReport('sale', externalId))?.steps.map(({ code }) => code)

test('a click that was missing credits the sale, its customer and what the customer bought since', async () => {
  const { merchant, correct } = await open({ attribute_known_customers: true })
  const clickId = await merchant.click()
  await merchant.sale({ externalId: 'first/1' })
  await merchant.sale({ externalId: 'second' })

  const corrected = await correct('first/1', { clickId })
  expect(corrected).toMatchObject({
    status: 200,
    body: { eventId: expect.any(String), attributed: true },
  })
  expect(await codesOf(merchant, 'first/1')).toEqual([
    'click',
    'program_reward',
    'commission_created',
  ])
  expect(await codesOf(merchant, 'second')).toContain('customer')
  expect(await database.counts(merchant)).toEqual({ events: 2, customers: 1, commissions: 2 })

  const again = await correct('first/1', { clickId })
  expect(again.body).toEqual(corrected.body)
  // The report as it was, and its repeat, are the same event.
  expect((await merchant.sale({ externalId: 'first/1' })).body).toEqual(corrected.body)
  expect(await database.counts(merchant)).toEqual({ events: 2, customers: 1, commissions: 2 })
  const entries = (await database.audit(merchant)) as { action: string; details: object }[]
  expect(entries.filter(({ action }) => action === 'event.corrected')).toMatchObject([
    { details: { externalId: 'first/1', clickAdded: true, customerAdded: false } },
  ])
})

test('a click in the place of an unknown one counts, and a second one is refused', async () => {
  const { merchant, correct } = await open()
  await merchant.sale({ clickId: 'undefined' })
  expect((await correct('inv_1', { clickId: await merchant.click() })).body.attributed).toBe(true)
  const refused = await correct('inv_1', { clickId: await merchant.click() })
  expect({ status: refused.status, body: refused.body }).toEqual({
    status: 409,
    body: errorShape('conflict'),
  })
})

test('a customer id in the place of one that is no customer’s credits the customer’s partner', async () => {
  const { merchant, correct } = await open({ attribute_known_customers: true })
  await merchant.lead({ externalId: 'user_1', clickId: await merchant.click() })
  await merchant.sale({ externalId: 'order', customerExternalId: 'order' })
  const corrected = await correct('order', { customerExternalId: 'user_1' })
  expect(corrected.body).toMatchObject({ attributed: true })
  expect((await correct('order', { customerExternalId: 'user_1' })).body).toEqual(corrected.body)
  expect((await correct('order', { customerExternalId: 'user_2' })).status).toBe(409)
  expect((await merchant.explainReport('sale', 'order'))?.customer.externalId).toBe('user_1')
})

test('both at once name the customer whom the click refers', async () => {
  const { merchant, correct } = await open()
  await merchant.sale({ externalId: 'order', customerExternalId: 'order' })
  const { body } = await correct('order', {
    clickId: await merchant.click(),
    customerExternalId: 'user_1',
  })
  expect(body).toMatchObject({ attributed: true })
  const owners = await database.query(
    `select cu.external_id, p.slug from customers cu join partners p on p.id = cu.partner_id where cu.workspace_id = $1`,
    [merchant.workspace.id],
  )
  expect(owners).toEqual([{ external_id: 'user_1', slug: 'maya' }])
})

test('a click that was made after the sale, or had expired by then, is saved and does not count', async () => {
  const { merchant, correct } = await open()
  const day = 24 * 60 * 60_000
  const occurredAt = new Date(Date.now() - 5 * day).toISOString()
  const clicks = { later_click: await merchant.click(), expired_click: await merchant.click() }
  await database.query(
    `update clicks set created_at = now() - interval '90 days', expires_at = now() - interval '6 days' where id = $1`,
    [clicks.expired_click],
  )
  for (const [code, clickId] of Object.entries(clicks)) {
    await merchant.sale({ externalId: code, customerExternalId: code, occurredAt })
    expect((await correct(code, { clickId })).body).toEqual({ eventId: null, attributed: false })
  }
  expect(await database.counts(merchant)).toEqual({ events: 2, customers: 0, commissions: 0 })
})

test('is decided as of the sale’s time: a partner who was banned since is credited', async () => {
  const { merchant, correct } = await open()
  const clickId = await merchant.click()
  await merchant.sale({})
  await new Promise((done) => setTimeout(done, 1_100))
  const { patch } = await merchant.asManager()
  expect((await patch(`/partners/${merchant.partnerId}`, { status: 'banned' })).status).toBe(200)
  expect((await correct('inv_1', { clickId })).body).toMatchObject({ attributed: true })
})

test('eight at once, of the same click and of different ones, credit the sale once', async () => {
  const { merchant, correct } = await open()
  await merchant.seed.addPartner(merchant.workspace.id, merchant.programId, { slug: 'leo' })
  const clicks = [await merchant.click('maya'), await merchant.click('leo')]
  await merchant.sale({})
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) => correct('inv_1', { clickId: clicks[n % 2] })),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([
    200, 200, 200, 200, 409, 409, 409, 409,
  ])
  expect(await database.counts(merchant)).toEqual({ events: 1, customers: 1, commissions: 1 })
})

test('is refused of another workspace’s sale or click, without a key that may write, and without a field', async () => {
  const { merchant, correct } = await open()
  const { merchant: other, correct: correctOther } = await open()
  await merchant.sale({})
  const clickId = await merchant.click()
  const answers = [
    await correctOther('inv_1', { clickId: await other.click() }),
    await correct('inv_1', { clickId: await other.click() }),
    await correct('inv_2', { clickId }),
    await correct('inv_1', {}),
    await correct('inv_1', { clickId, amountCents: 1 }),
    await correct('inv_1', { clickId }, `Bearer ${merchant.apiKey}`),
    await correct('inv_1', { clickId }, ''),
  ]
  expect(answers.map(({ body }) => body.error?.code)).toEqual([
    'not_found',
    'invalid_body',
    'not_found',
    'invalid_body',
    'invalid_body',
    'insufficient_scope',
    'invalid_api_key',
  ])
  expect(await codesOf(merchant, 'inv_1')).toEqual(['no_click'])
})
