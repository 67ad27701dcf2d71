import { expect, test } from 'vitest'
import { createMerchant, useDatabase } from '../support/merchant.ts'
import { timesOver } from '../support/thorough.ts'

const database = useDatabase()

const ROUNDS = Array.from(
  { length: timesOver({ quick: 1, thorough: 3, exhaustive: 20 }) },
  (_, round) => round + 1,
)
const times = <T>(count: number, call: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => call(index)))
const distinct = (values: unknown[]) => [...new Set(values.map((value) => JSON.stringify(value)))]

test.each(ROUNDS)(
  '200 copies of one sale at once make one event, one customer, one commission and 200 equal answers (round %i)',
  { tags: 'sampled' },
  async () => {
    const merchant = await createMerchant()
    const clickId = await merchant.click()
    const answers = await times(200, () => merchant.sale({ clickId }))

    expect(distinct(answers.map(({ status, body }) => ({ status, body })))).toEqual([
      JSON.stringify({
        status: 200,
        body: { eventId: answers[0]?.body.eventId, attributed: true },
      }),
    ])
    expect(await database.counts(merchant)).toEqual({ events: 1, customers: 1, commissions: 1 })
  },
)

test.each(ROUNDS)(
  '50 different sales of one new customer at once under a one-time reward make exactly one commission (round %i)',
  { tags: 'sampled' },
  async () => {
    const merchant = await createMerchant({ program: { reward_interval: 'one-time' } })
    const clickId = await merchant.click()
    const answers = await times(50, (index) =>
      merchant.sale({ clickId, externalId: `inv_${index}` }),
    )

    expect(distinct(answers.map(({ status }) => status))).toEqual(['200'])
    expect(distinct(answers.map(({ body }) => body.eventId))).toHaveLength(50)
    expect(await database.counts(merchant)).toEqual({ events: 50, customers: 1, commissions: 1 })
    const outcomes = await database.query<{ code: string; events: number }>(
      "select steps -> -1 ->> 'code' as code, count(*)::int as events from events where workspace_id = $1 group by 1 order by 1",
      [merchant.workspace.id],
    )
    expect(outcomes).toEqual([
      { code: 'commission_created', events: 1 },
      { code: 'one_time_already_rewarded', events: 49 },
    ])
  },
)

test('copies of one sale that differ make one event too, and only those unlike the first get Idempotency-Mismatch', async () => {
  const merchant = await createMerchant()
  const clickId = await merchant.click()
  const answers = await times(60, (index) =>
    merchant.sale({
      clickId,
      amountCents: 1_000 + (index % 3),
      customerExternalId: `user_${index % 3}`,
    }),
  )
  expect(distinct(answers.map(({ body }) => body.eventId))).toHaveLength(1)
  expect(answers.filter(({ headers }) => headers.has('Idempotency-Mismatch'))).toHaveLength(40)
  expect(await database.counts(merchant)).toEqual({ events: 1, customers: 1, commissions: 1 })
})

test('200 concurrent copies of one unattributed lead make one event and 200 equal responses', async () => {
  const merchant = await createMerchant()
  const answers = await times(200, () => merchant.lead({}))
  expect(distinct(answers.map(({ status, body }) => ({ status, body })))).toEqual([
    '{"status":200,"body":{"eventId":null,"attributed":false}}',
  ])
  expect(await database.counts(merchant)).toEqual({ events: 1, customers: 0, commissions: 0 })
})

test('under attribution "first", concurrent first events through two links credit one partner', async () => {
  for (let round = 0; round < 10; round++) {
    const merchant = await createMerchant({ program: { attribution: 'first' } })
    await merchant.seed.addPartner(merchant.workspace.id, merchant.programId, { slug: 'leo' })
    const clicks = [await merchant.click('maya'), await merchant.click('leo')]
    const answers = await times(10, (index) =>
      merchant.sale({ clickId: clicks[index % 2], externalId: `inv_${index}` }),
    )
    expect(distinct(answers.map(({ status }) => status))).toEqual(['200'])
    const partners = await database.query(
      'select distinct partner_id from commissions where workspace_id = $1',
      [merchant.workspace.id],
    )
    expect(partners).toHaveLength(1)
    expect(await database.counts(merchant)).toEqual({ events: 10, customers: 1, commissions: 10 })
  }
})

test('concurrent leads and sales of one new customer make one customer', async () => {
  const merchant = await createMerchant()
  const clickId = await merchant.click()
  const answers = await times(40, (index) =>
    index % 2
      ? merchant.sale({ clickId, externalId: `inv_${index}` })
      : merchant.lead({
          clickId,
          externalId: `lead_${index}`,
          customerExternalId: 'user_1',
          customerEmail: 'ann@example.com',
        }),
  )
  expect(distinct(answers.map(({ status }) => status))).toEqual(['200'])
  expect(await database.counts(merchant)).toEqual({ events: 40, customers: 1, commissions: 20 })
})

test('a sale without a click and the first lead of its customer, at once, credit the lead’s partner', async () => {
  const merchant = await createMerchant({ program: { attribute_known_customers: true } })
  const clickIds = await times(40, () => merchant.click())
  const answers = await times(40, async (index) => {
    const customerExternalId = `user_${index}`
    const sale = merchant.sale({ customerExternalId, externalId: `inv_${index}` })
    const lead = merchant.lead({
      customerExternalId,
      externalId: `lead_${index}`,
      clickId: clickIds[index] ?? '',
    })
    return [(await sale).status, (await lead).status]
  })
  expect(distinct(answers.flat())).toEqual(['200'])
  const [sales] = await database.query<{ all: number; credited: number }>(
    `select count(*)::int as all, count(commission_id)::int as credited from events where workspace_id = $1 and kind = 'sale'`,
    [merchant.workspace.id],
  )
  expect(sales).toEqual({ all: 40, credited: 40 })
})
