/**
 * What the overview says of reports that a backend probably makes wrongly. docs/decisions.md,
 * "Unlikely reports".
 */
import { expect, test } from 'vitest'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'
import { openPages } from '../support/pages.ts'

const database = useDatabase()

type Sales = {
  customer?: string
  amountCents?: number
  currency?: string
  partnerId?: string | null
  daysAgo?: number
  isReported?: boolean
}

/** Records sales, newer than those recorded before. */
const record = ({ workspace, partnerId: maya }: Merchant, number: number, sales: Sales = {}) => {
  const {
    amountCents = 4900,
    currency = 'USD',
    partnerId = maya,
    daysAgo = 1,
    isReported = true,
  } = sales
  return database.query(
    `insert into events (id, workspace_id, kind, external_id, event_name, customer_external_id, amount_cents, currency,
                         partner_id, attributed_by, steps, occurred_at, report_occurred_at)
     select uuidv7(), $1, 'sale', 'order-' || gen_random_uuid(), 'sale', coalesce($2, 'user-' || gen_random_uuid()), $3, $4,
            $5::uuid, case when $5 is not null then 'click' end::attribution_source, '[]',
            now() - $6 * interval '1 day', case when $7 then now() - $6 * interval '1 day' end
     from generate_series(1, $8)`,
    [
      workspace.id,
      sales.customer ?? null,
      amountCents,
      currency,
      partnerId,
      daysAgo,
      isReported,
      number,
    ],
  )
}

const overviewOf = async (merchant: Merchant) => (await (await openPages(merchant)).get('')).text

const GUESTS = 'Is it the ID of all guests?'
const UNITS = 'Are amounts in minor units?'

test('one customer id for all guests is named, credited or not', async () => {
  const merchant = await createMerchant()
  await record(merchant, 20)
  await record(merchant, 11, { customer: 'guest' })
  await record(merchant, 11, { customer: 'guest', partnerId: null })
  const overview = await overviewOf(merchant)
  expect(overview).toContain('The customer ID “guest” has 22 of the latest 42 sales.')
  expect(overview).not.toContain(UNITS)
})

test.each([
  { case: 'sales of more than 30 days ago', sales: { customer: 'guest', daysAgo: 31 } },
  {
    case: 'sales that only the payment processor reports',
    sales: { customer: 'guest', isReported: false },
  },
  { case: 'customers of their own', sales: {} },
])('$case give no notice of a guest', async ({ sales }) => {
  const merchant = await createMerchant()
  await record(merchant, 30, sales)
  expect(await overviewOf(merchant)).not.toContain(GUESTS)
})

test('amounts of a hundredth are noticed in the program and currency that they are of', async () => {
  const merchant = await createMerchant({ program: { name: 'Summer' } })
  const { seed, workspace } = merchant
  const winter = await seed.addProgram(workspace.id, { name: 'Winter' })
  const leo = await seed.addPartner(workspace.id, winter, { slug: 'leo' })
  await record(merchant, 40)
  await record(merchant, 40, { partnerId: leo, amountCents: 25 })
  await record(merchant, 40, { currency: 'JPY', amountCents: 490_000 })
  expect(await overviewOf(merchant)).not.toContain(UNITS)

  await record(merchant, 9, { amountCents: 49 })
  expect(await overviewOf(merchant)).not.toContain(UNITS)
  await record(merchant, 11, { amountCents: 49 })
  const overview = await overviewOf(merchant)
  expect(overview).toMatch(
    /The typical sale of Summer went from (\$49\.00|49\.00 USD) to (\$0\.49|0\.49 USD)\. Are amounts/,
  )
  expect(overview).not.toContain('Winter')

  await record(merchant, 20)
  expect(await overviewOf(merchant)).not.toContain(UNITS)
})

test.each([
  {
    case: 'of more than 30 days ago',
    before: 40,
    sales: { amountCents: 49, daysAgo: 31 },
    daysAgo: 31,
  },
  { case: 'after too few to compare them with', before: 19, sales: { amountCents: 49 } },
  { case: 'that nobody is credited with', before: 40, sales: { amountCents: 49, partnerId: null } },
  {
    case: 'that only the payment processor reports',
    before: 40,
    sales: { amountCents: 49, isReported: false },
  },
])('amounts $case give no notice', async ({ before, sales, daysAgo = 1 }) => {
  const merchant = await createMerchant()
  await record(merchant, before, { daysAgo })
  await record(merchant, 20, sales)
  expect(await overviewOf(merchant)).not.toContain(UNITS)
})
