import { expect, test } from 'vitest'
import { slugKey } from '../../lib/values/slugs.ts'
import {
  type CustomersImported,
  importCounts,
  importedPartners,
  importer,
  type PartnersImported,
  partnerRows,
} from '../support/imports.ts'
import { createMerchant, useDatabase } from '../support/merchant.ts'
import { everyNth } from '../support/thorough.ts'

const database = useDatabase()

const CALLERS = 8
const ROUNDS = everyNth(3, [1, 2, 3])
const ALL = { sendWelcomeEmail: true, importOpeningBalances: true }
const atOnce = <T>(call: (caller: number) => Promise<T>) =>
  Promise.all(Array.from({ length: CALLERS }, (_, caller) => call(caller)))
const resultsOf = <A extends PartnersImported | CustomersImported>(
  answers: A[],
): A['body']['results'] => {
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  return answers.flatMap(({ body }) => body.results as never[])
}

test.each(ROUNDS)(
  'eight identical concurrent imports create every partner, coupon, balance and mail once, and report it as created once (round %i)',
  { tags: 'sampled' },
  async () => {
    const merchant = await createMerchant()
    const { partners } = await importer(merchant)
    const rows = [
      ...partnerRows(100),
      { email: 'x@partner.example', slug: 'maya' },
      { email: 'maya2@partner.example' },
    ]
    const results = resultsOf(await atOnce(() => partners(rows, ALL)))
    expect(results.filter(({ status }) => status === 'created')).toHaveLength(102)
    expect(results.filter(({ status }) => status === 'skipped_existing')).toHaveLength(7 * 102)
    expect(await importCounts(database, merchant)).toEqual({
      partners: 102,
      coupons: 100,
      balances: 100,
      mails: 102,
    })
    const slugs = new Map(
      (await importedPartners(database, merchant)).map(({ email, slug }) => [email, slug]),
    )
    expect(results.filter(({ email, slug }) => slugs.get(email) !== slug)).toEqual([])
  },
)

test.each(ROUNDS)(
  'eight imports at once whose partners want the same slugs and coupons: each has one owner, all partners are there (round %i)',
  { tags: 'sampled' },
  async () => {
    const merchant = await createMerchant()
    const { partners } = await importer(merchant)
    const results = resultsOf(
      await atOnce((caller) => {
        const rows = partnerRows(40).map((row) => ({ ...row, email: `${caller}-${row.email}` }))
        return partners(caller % 2 ? rows : rows.toReversed(), ALL)
      }),
    )
    expect(results.filter(({ status }) => status === 'created')).toHaveLength(320)
    expect(results.filter(({ requestedSlug }) => requestedSlug)).toHaveLength(280)
    expect(results.filter(({ couponMapped }) => couponMapped)).toHaveLength(40)
    expect(results.filter(({ code }) => code === 'coupon_taken')).toHaveLength(280)
    expect(await importCounts(database, merchant)).toEqual({
      partners: 320,
      coupons: 40,
      balances: 320,
      mails: 320,
    })
    const slugs = (await importedPartners(database, merchant)).map(({ slug }) => slugKey(slug))
    expect(new Set(slugs).size).toBe(320)
    expect(partnerRows(40).filter(({ slug }) => !slugs.includes(slug))).toEqual([])
  },
)

test('eight concurrent imports with overlapping rows all succeed', async () => {
  const merchant = await createMerchant()
  const { partners } = await importer(merchant)
  const rows = partnerRows(100)
  const results = resultsOf(
    await atOnce((caller) => partners(rows.slice(caller * 10, caller * 10 + 30), ALL)),
  )
  expect(results.filter(({ status }) => status === 'created')).toHaveLength(100)
  expect(await importCounts(database, merchant)).toEqual({
    partners: 100,
    coupons: 100,
    balances: 100,
    mails: 100,
  })
})

test('concurrent imports into two programs map each coupon once', async () => {
  const merchant = await createMerchant()
  const second = await merchant.seed.addProgram(merchant.workspace.id)
  const { partners } = await importer(merchant)
  const results = resultsOf(
    await atOnce((caller) =>
      caller % 2
        ? partners(partnerRows(50), ALL)
        : partners(partnerRows(50).toReversed(), ALL, { programId: second }),
    ),
  )
  expect(results.filter(({ status }) => status === 'created')).toHaveLength(100)
  expect(results.filter(({ couponMapped }) => couponMapped)).toHaveLength(50)
  expect(await importCounts(database, merchant)).toMatchObject({
    partners: 100,
    coupons: 50,
    mails: 100,
  })
})

test.each(ROUNDS)(
  'eight identical imports of customers at once make each customer once, and answer it as created once (round %i)',
  { tags: 'sampled' },
  async () => {
    const merchant = await createMerchant()
    const { customers } = await importer(merchant)
    const rows = Array.from({ length: 200 }, (_, index) => ({
      customerExternalId: `cus_${index}`,
      customerEmail: `ann${index}@x.example`,
      partnerEmail: 'maya@partner.example',
      startedAt: '2025-01-31',
    }))
    const results = resultsOf(
      await atOnce((caller) => customers(caller % 2 ? rows : rows.toReversed())),
    )
    expect(results.filter(({ status }) => status === 'created')).toHaveLength(200)
    expect(await database.counts(merchant)).toMatchObject({ customers: 200, commissions: 0 })
  },
)

test('concurrent imports and sales of the same customers all succeed, and each customer has one partner', async () => {
  const merchant = await createMerchant({ program: { attribution: 'first' } })
  await merchant.seed.addPartner(merchant.workspace.id, merchant.programId, { slug: 'leo' })
  const { customers } = await importer(merchant)
  const clickId = await merchant.click('maya')
  const rows = Array.from({ length: 50 }, (_, index) => `user_${index}`)
  const [imports, sales] = await Promise.all([
    atOnce((caller) => {
      const mapped = rows.map((customerExternalId) => ({
        customerExternalId,
        partnerEmail: `${caller % 2 ? 'maya' : 'leo'}@partner.example`,
      }))
      return customers(caller % 3 ? mapped : mapped.toReversed())
    }),
    Promise.all(
      rows.map((customerExternalId) =>
        merchant.sale({ externalId: `inv_${customerExternalId}`, customerExternalId, clickId }),
      ),
    ),
  ])
  resultsOf(imports)
  expect(sales.map(({ status }) => status)).toEqual(rows.map(() => 200))
  expect(await database.counts(merchant)).toEqual({ events: 50, customers: 50, commissions: 50 })
})
