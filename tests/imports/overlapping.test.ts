// @module-tag sampled
/**
 * Imports of several calls that name the same rows, undone in any order: each whole or not at all,
 * and nothing is left of all.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LEO, MAYA } from '../support/imports.ts'
import { useDatabase } from '../support/merchant.ts'
import { SEEDS, timesOver } from '../support/thorough.ts'
import { createUndoing, newImport, present } from '../support/undo.ts'

const database = useDatabase()

const IMPORTS = 3
const P0 = 'p0@partner.example'
const of = fc.nat({ max: IMPORTS - 1 })
const program = fc.constantFrom(0, 0, 0, 1)
const partnerCall = fc.record({
  of,
  program,
  rows: fc.array(
    fc.record({ email: fc.constant(P0), openingBalanceCents: fc.constantFrom(0, 700) }),
    {
      minLength: 1,
      maxLength: 2,
    },
  ),
  importOpeningBalances: fc.boolean(),
  completeExisting: fc.boolean(),
})
const customerRow = fc.record(
  {
    customerExternalId: fc.constantFrom('cus_0', 'cus_1'),
    partnerEmail: fc.constantFrom(P0, LEO),
    customerEmail: fc.constantFrom('ann@x.example', 'bob@x.example'),
    startedAt: fc.constantFrom('2024-01-01', '2025-01-01'),
  },
  { requiredKeys: ['customerExternalId', 'partnerEmail'] },
)
const customerCall = fc.record({
  of,
  program,
  rows: fc.array(customerRow, { minLength: 1, maxLength: 2 }),
  keepOwners: fc.constantFrom(false, false, true),
})
type PartnerCall = typeof partnerCall extends fc.Arbitrary<infer T> ? T : never
type CustomerCall = typeof customerCall extends fc.Arbitrary<infer T> ? T : never

/** The first call creates the partner. Those of an import follow each other. */
const history = fc.record({
  first: partnerCall,
  calls: fc
    .array(fc.oneof(partnerCall, customerCall, customerCall), {
      minLength: 2,
      maxLength: 7,
      size: 'max',
    })
    .map((calls) => calls.toSorted((a, b) => a.of - b.of)),
  undos: fc.shuffledSubarray(
    Array.from({ length: IMPORTS }, (_, n) => n),
    { minLength: IMPORTS },
  ),
})

/** A merchant with two programs, its imports, and what it has. */
const begin = async () => {
  const { merchant, partners, customers, undo } = await createUndoing()
  const { seed, workspace } = merchant
  const programs = [merchant.programId, await seed.addProgram(workspace.id)]
  await customers([{ customerExternalId: 'cus_0', partnerEmail: MAYA }])
  const ids = Array.from({ length: IMPORTS }, newImport)
  const importAs = async ({ of: n, program, rows, ...options }: PartnerCall | CustomerCall) => {
    const more = { programId: programs[program], ...ids[n] }
    const { status } =
      'keepOwners' in options
        ? await customers(rows, { options, ...more })
        : await partners(rows, options, more)
    expect(status).toBe(200)
  }
  const there = () => present(database, merchant)
  /** @returns whether it was undone, or had no call */
  const undoOne = async (n: number): Promise<boolean> => {
    const importId = ids[n]?.importId ?? ''
    const before = await there()
    const preview = await undo(importId, { dryRun: true })
    expect(await there()).toEqual(before)
    const { status, body } = await undo(importId)
    expect([status, body.undone, body.dependents]).toEqual([
      preview.status,
      preview.body.undone,
      preview.body.dependents,
    ])
    if (status === 409) expect(await there()).toEqual(before)
    expect(await database.violations(workspace.id)).toEqual([])
    return status !== 409
  }
  return { importAs, undoOne, there, before: await there() }
}

test.each(SEEDS)(
  'an undo takes all of an import back or nothing, and nothing is left once all are undone, the latest first (seed %i)',
  async (seed) => {
    await fc.assert(
      fc.asyncProperty(history, async ({ first, calls, undos }) => {
        const { importAs, undoOne, there, before } = await begin()
        // What there was before the calls of each import.
        const states = new Map<number, Awaited<ReturnType<typeof there>>>()
        for (const call of [{ ...first, of: 0 }, ...calls]) {
          if (!states.has(call.of)) states.set(call.of, await there())
          await importAs(call)
        }
        const latest = Math.max(...states.keys())
        for (const [place, n] of undos.entries()) {
          const isUndone = await undoOne(n)
          if (n !== latest || place > 0) continue
          expect(isUndone).toBe(true)
          expect(await there()).toEqual(states.get(n))
        }
        for (const n of [...states.keys()].toReversed()) expect(await undoOne(n)).toBe(true)
        expect(await there()).toEqual(before)
      }),
      // The same ones in each run; SEED=7 plays others.
      { numRuns: timesOver({ quick: 2, thorough: 10, exhaustive: 1_000 }), seed },
    )
  },
)
