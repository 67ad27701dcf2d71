/** What holds for both imports: what a call may be, and how much. Spec, sections 7 and 8. */
import fc from 'fast-check'
import { describe, expect, inject, test } from 'vitest'
import { everything, importer, partnerRows } from '../support/imports.ts'
import { createMerchant, errorShape, send, useDatabase } from '../support/merchant.ts'
import { SEEDS, timesOver } from '../support/thorough.ts'

const database = useDatabase()

const PATHS = ['/partners/import', '/customers/import'] as const
const url = (workspace: string, path: string) =>
  `${inject('baseUrl')}/api/workspaces/${workspace}${path}`
const customerRows = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    customerExternalId: `cus_${index}`,
    partnerEmail: 'maya@partner.example',
  }))
const rowsOf = (path: string, count: number) =>
  path === PATHS[0] ? partnerRows(count) : customerRows(count)

describe.each([
  { path: PATHS[0], most: 500 },
  { path: PATHS[1], most: 1_000 },
])('spec 8: $path accepts at most $most rows per request', ({ path, most }) => {
  test(`${most} are imported`, async () => {
    const merchant = await createMerchant()
    const manager = await merchant.asManager()
    const { status, body } = await manager.post(path, {
      programId: merchant.programId,
      rows: rowsOf(path, most),
    })
    expect({ status, summary: body.summary }).toMatchObject({
      status: 200,
      summary: { created: most },
    })
  })

  test(`${most + 1} are 400 too_many_rows, valid or not, and none is imported`, async () => {
    const merchant = await createMerchant()
    const manager = await merchant.asManager()
    const before = await everything(database, merchant)
    for (const rows of [rowsOf(path, most + 1), Array(most + 1).fill(null)]) {
      const answer = await manager.post(path, { programId: merchant.programId, rows })
      expect(answer.status).toBe(400)
      expect(answer.body).toEqual(errorShape('too_many_rows'))
    }
    expect(await everything(database, merchant)).toEqual(before)
  })

  test('an empty list imports nothing', async () => {
    const merchant = await createMerchant()
    const manager = await merchant.asManager()
    const before = await everything(database, merchant)
    const { status, body } = await manager.post(path, { programId: merchant.programId, rows: [] })
    expect(status).toBe(200)
    expect(body.results).toEqual([])
    expect(Object.values(body.summary as object).every((count) => count === 0)).toBe(true)
    expect(await everything(database, merchant)).toEqual(before)
  })
})

describe('an invalid body is 400 invalid_body, and nothing is imported', () => {
  test.each([
    { case: 'no rows', change: { rows: undefined }, path: 'rows' },
    { case: 'rows that are an object', change: { rows: {} }, path: 'rows' },
    { case: 'a programId that is not a UUID', change: { programId: 'x' }, path: 'programId' },
    { case: 'an unknown field', change: { row: [] }, path: '' },
    { case: 'options that are a list', change: { options: [] }, path: 'options' },
    {
      case: 'an unknown option',
      change: { options: { sendWelcomeEmails: true } },
      path: 'options',
    },
    {
      case: 'an option as a string',
      change: { options: { dryRun: 'true' } },
      path: 'options.dryRun',
    },
    { case: 'a NUL in a row', change: { rows: [{ email: 'a\0@x' }] }, path: 'rows.0.email' },
    {
      case: 'half a surrogate pair in a row',
      change: { rows: [{ a: ['\ud800'] }] },
      path: 'rows.0.a.0',
    },
  ])('$case', async ({ change, path }) => {
    const merchant = await createMerchant()
    const manager = await merchant.asManager()
    const before = await everything(database, merchant)
    for (const endpoint of PATHS) {
      const answer = await manager.post(endpoint, {
        programId: merchant.programId,
        rows: rowsOf(endpoint, 1),
        ...change,
      })
      expect({ status: answer.status, code: answer.body.error?.code }).toEqual({
        status: 400,
        code: 'invalid_body',
      })
      expect(answer.body.error?.details?.map((detail) => detail.path)).toContain(path)
    }
    expect(await everything(database, merchant)).toEqual(before)
  })

  test('a partner import without a program', async () => {
    const merchant = await createMerchant()
    const { status, body } = await (await merchant.asManager()).post(PATHS[0], { rows: [] })
    expect({ status, path: body.error?.details?.[0]?.path }).toEqual({
      status: 400,
      path: 'programId',
    })
  })

  test('a body of up to 1 MiB is accepted, a larger one is 413', async () => {
    const merchant = await createMerchant()
    const manager = await merchant.asManager()
    for (const endpoint of PATHS) {
      const call = { programId: merchant.programId, rows: rowsOf(endpoint, 1) }
      const spare = 1024 * 1024 - JSON.stringify(call).length
      const padded = JSON.stringify(call) + ' '.repeat(spare)
      expect((await manager.post(endpoint, padded)).status).toBe(200)
      const { status, body } = await manager.post(endpoint, `${padded} `)
      expect({ status, code: body.error?.code }).toEqual({ status: 413, code: 'body_too_large' })
    }
  })

  test('a Content-Type other than JSON is 415, so forms of other sites are rejected', async () => {
    const merchant = await createMerchant()
    for (const endpoint of PATHS) {
      const { status } = await send(url(merchant.workspace.slug, endpoint), {
        body: JSON.stringify({ programId: merchant.programId, rows: rowsOf(endpoint, 1) }),
        headers: { Cookie: await merchant.manager(), 'Content-Type': 'text/plain' },
      })
      expect(status).toBe(415)
    }
  })
})

/** Bodies that are generated for each path. */
const GENERATED = timesOver({ quick: 40, thorough: 200, exhaustive: 5_000 })

test.each(PATHS)(
  'any generated input to %s gets a status below 500',
  { tags: 'sampled' },
  async (path) => {
    const merchant = await createMerchant()
    const { cookie } = await importer(merchant)
    const scalar = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.double(),
      fc.constantFrom(
        null,
        true,
        'maya',
        'maya@partner.example',
        'ann@x.example',
        '2025-01-31',
        merchant.programId,
      ),
    )
    const value = fc.oneof(scalar, scalar, fc.jsonValue({ maxDepth: 3 }))
    const fields = [
      'email',
      'name',
      'slug',
      'couponId',
      'couponLabel',
      'openingBalanceCents',
      'customerExternalId',
    ]
    const row = fc.record(
      Object.fromEntries(
        [...fields, 'customerEmail', 'partnerEmail', 'startedAt', 'programId'].map((f) => [
          f,
          value,
        ]),
      ),
      { requiredKeys: [] },
    )
    const good = fc.record(
      {
        email: fc.emailAddress(),
        customerExternalId: fc.oneof(
          fc.emailAddress(),
          fc.string({ minLength: 1, maxLength: 255 }),
        ),
        partnerEmail: fc.constant('maya@partner.example'),
        slug: fc.string({ unit: 'grapheme', maxLength: 255 }),
        name: fc.string({ unit: 'grapheme', maxLength: 80 }),
        couponId: fc.string({ unit: 'grapheme', maxLength: 80 }),
        openingBalanceCents: fc.nat(),
        startedAt: fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
      },
      { requiredKeys: ['email', 'customerExternalId', 'partnerEmail'] },
    )
    const call = fc.record(
      {
        programId: fc.constant(merchant.programId),
        rows: fc.array(fc.oneof(row, good, good, value), { maxLength: 30 }),
        options: fc.constantFrom<unknown[]>(
          {},
          null,
          { dryRun: true },
          ...(path === PATHS[0] ? [{ sendWelcomeEmail: true, importOpeningBalances: true }] : []),
        ),
      },
      { requiredKeys: ['rows', 'programId'] },
    )
    const text = fc.oneof(
      { weight: 6, arbitrary: call.map((body) => JSON.stringify(body)) },
      { weight: 1, arbitrary: fc.json() },
    )
    let imported = 0
    await fc.assert(
      fc.asyncProperty(text, async (body) => {
        const { status } = await send(url(merchant.workspace.slug, path), {
          body,
          headers: { Cookie: cookie },
        })
        expect(status).toBeLessThan(500)
        if (status === 200) imported++
      }),
      { seed: SEEDS[0], numRuns: GENERATED },
    )
    expect(imported).toBeGreaterThan(GENERATED / 4)
  },
)
