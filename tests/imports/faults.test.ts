import { describe, expect, test } from 'vitest'
import { FAULTS, type Fault } from '../support/faulty-database.ts'
import { useFaultyWorkers } from '../support/faulty-workers.ts'
import { importCounts, importer, partnerRows } from '../support/imports.ts'
import { createMerchant, useDatabase } from '../support/merchant.ts'
import { sampled } from '../support/thorough.ts'

const database = useDatabase()
const faulty = useFaultyWorkers('import-partners', 'import-customers', 'auth', 'manage')

/**
 * A merchant whose manager has signed in elsewhere, and whose fetches are counted and failed from
 * here on.
 */
const createWatched = async () => {
  const merchant = await createMerchant()
  const imports = await importer(merchant, faulty.baseUrl())
  // The session's token is what the auth Worker asks by; the rest names the workspace, its people
  // and its program.
  const [, session = ''] = imports.cookie.split('=')
  const token = decodeURIComponent(session).split('.')[0] ?? ''
  const tenant = [merchant.workspace.id, merchant.workspace.slug, merchant.programId, token].filter(
    Boolean,
  )
  return {
    ...merchant,
    ...imports,
    ...faulty.watch(tenant),
  }
}
type Watched = Awaited<ReturnType<typeof createWatched>>

const ALL = { sendWelcomeEmail: true, importOpeningBalances: true }
const customerRows = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    customerExternalId: `cus_${index}`,
    partnerEmail: 'maya@partner.example',
    startedAt: '2025-01-31',
  }))

const IMPORTS = {
  partners: {
    call: ({ partners }: Watched, count: number, options: object = {}) =>
      partners(partnerRows(count), { ...ALL, ...options }),
    most: 500,
  },
  customers: {
    call: ({ customers }: Watched, count: number, options: object = {}) =>
      customers(customerRows(count), { options }),
    most: 1_000,
  },
} as const
const KINDS = ['partners', 'customers'] as const

describe('database round trips (design, section 11)', () => {
  test.each(KINDS)('an import of %s makes 3, for 1 row and for the maximum', async (kind) => {
    const { call, most } = IMPORTS[kind]
    const merchant = await createWatched()
    for (const count of [1, most, most]) {
      merchant.plan()
      expect((await call(merchant, count)).status).toBe(200)
      expect({ count, fetches: merchant.fetches() }).toEqual({ count, fetches: 3 })
    }
  })

  test('an import of new partners alone makes 2, and its repeat 3', async () => {
    const merchant = await createWatched()
    for (const [created, fetches] of [
      [500, 2],
      [0, 3],
    ]) {
      merchant.plan()
      const { body } = await merchant.partners(partnerRows(500))
      expect({ ...body.summary, fetches: merchant.fetches() }).toMatchObject({ created, fetches })
    }
  })

  test.each(KINDS)('a dry run of %s makes 2', async (kind) => {
    const { call, most } = IMPORTS[kind]
    const merchant = await createWatched()
    merchant.plan()
    expect((await call(merchant, most, { dryRun: true })).status).toBe(200)
    expect(merchant.fetches()).toBe(2)
  })

  test('too many rows make only those of the session and of the role', async () => {
    const merchant = await createWatched()
    merchant.plan()
    expect((await IMPORTS.partners.call(merchant, 501)).status).toBe(400)
    expect(merchant.fetches()).toBe(2)
  })
})

const STEPS = [
  // The auth Worker doesn't know what its caller is about to import.
  { step: 'the session', before: [], kinds: ['partners'] as const },
  { step: 'the read', before: [null], kinds: KINDS },
  { step: 'the write', before: [null, null], kinds: KINDS },
]
/**
 * Those that differ in what has happened when the caller gives up; how each is noticed, the retries
 * show.
 */
const LASTING: Fault[] = ['cut_before', 'cut_after', 'half', 'silence_after']
/** How the others are noticed, tests/tracking/faults.test.ts shows for the same connection. */
const OTHERS = FAULTS.filter((fault) => !LASTING.includes(fault))
const passingAt = (step: number): Fault[] => sampled(LASTING, OTHERS, step)
const everyStep = (faultsAt: (step: number) => readonly Fault[]) =>
  STEPS.flatMap((step, index) =>
    faultsAt(index).flatMap((fault) => step.kinds.map((kind) => ({ ...step, fault, kind }))),
  )

/** What is there once each row was imported, however often. */
const expectAll = async (kind: (typeof KINDS)[number], merchant: Watched) => {
  if (kind === 'partners') {
    expect(await importCounts(database, merchant)).toEqual({
      partners: 20,
      coupons: 20,
      balances: 20,
      mails: 20,
    })
  } else {
    expect(await database.counts(merchant)).toEqual({ events: 0, customers: 20, commissions: 0 })
  }
}

describe.concurrent('an import with a 200 response is in the database, once', {
  tags: 'thorough',
}, () => {
  test.each(everyStep(passingAt))(
    '$kind: when $step meets $fault once, the retry saves it, and reports it as created',
    async ({ before, fault, kind }) => {
      const merchant = await createWatched()
      merchant.plan(...before, fault)
      const { status, body } = await IMPORTS[kind].call(merchant, 20)
      expect({ status, summary: body.summary }).toMatchObject({
        status: 200,
        summary: { created: 20 },
      })
      await expectAll(kind, merchant)
      expect(await database.audit(merchant)).toMatchObject([{ details: { rows: 20, created: 20 } }])
    },
  )

  test.each(everyStep(() => LASTING))(
    '$kind: when $step meets $fault for good, the caller hears 503, and a repeat ends the same, with one mail per partner',
    async ({ before, fault, kind }) => {
      const merchant = await createWatched()
      merchant.plan(...before, ...Array<Fault>(20).fill(fault))
      const failed = await IMPORTS[kind].call(merchant, 20)
      expect({ status: failed.status, code: failed.body.error?.code }).toEqual({
        status: 503,
        code: 'try_again',
      })
      expect(failed.headers.get('Retry-After')).toMatch(/^[1-9]\d*$/)

      merchant.plan()
      const { status, body } = await IMPORTS[kind].call(merchant, 20)
      expect(status).toBe(200)
      expect(body.results.map(({ status }) => status)).not.toContain('error')
      await expectAll(kind, merchant)
    },
  )

  test.each(LASTING)(
    'new partners: when the one round trip meets %s once, the retry saves it, and reports it as created',
    async (fault) => {
      const merchant = await createWatched()
      merchant.plan(null, fault)
      const { status, body } = await merchant.partners(partnerRows(20))
      expect({ status, summary: body.summary }).toMatchObject({
        status: 200,
        summary: { created: 20 },
      })
      expect(await importCounts(database, merchant)).toMatchObject({
        partners: 20,
        coupons: 20,
        mails: 0,
      })
      expect(await database.audit(merchant)).toMatchObject([{ details: { rows: 20, created: 20 } }])
    },
  )
})
