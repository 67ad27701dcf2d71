// @module-tag sampled
/**
 * Imports that name the same rows, undone in any order: what one that is not undone names is there,
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

/**
 * The first of them creates the partner; the undos come in any order, also before the last calls.
 */
const history = fc.record({
  first: partnerCall,
  calls: fc.array(fc.oneof(partnerCall, customerCall, customerCall), {
    minLength: 2,
    maxLength: 6,
    size: 'max',
  }),
  last: fc.array(fc.oneof(partnerCall, customerCall), { maxLength: 1 }),
  undos: fc.shuffledSubarray(
    Array.from({ length: IMPORTS }, (_, n) => n),
    { minLength: IMPORTS },
  ),
})

/** What an import that is not undone relies on. */
type Named =
  | { import: number; email: string; programId: string; owed: number }
  | { import: number; customer: string; partner: string | null }

/** What a merchant has, and what each import names that is not undone. */
const begin = async () => {
  const { merchant, partners, customers, undo } = await createUndoing()
  const { seed, workspace } = merchant
  const programs = [merchant.programId, await seed.addProgram(workspace.id)]
  await customers([{ customerExternalId: 'cus_0', partnerEmail: MAYA }])
  const ids = Array.from({ length: IMPORTS }, newImport)
  const undone = new Set<number>()
  let named: Named[] = []

  /** @returns the partner's balance; undefined if it does not exist */
  const owedOf = async (email: string, programId: string | undefined) => {
    const [row] = await database.query<{ cents: number }>(
      `select coalesce(sum(c.amount_cents), 0)::int as cents from partners p left join commissions c on c.partner_id = p.id
       where p.workspace_id = $1 and p.program_id = $2 and p.email = $3 group by p.id`,
      [workspace.id, programId, email],
    )
    return row?.cents
  }
  /**
   * @returns the address of the customer's partner, null for none; undefined if it does not exist
   */
  const ownerOf = async (externalId: string) => {
    const [row] = await database.query<{ email: string | null }>(
      `select (select p.email from partners p where p.id = c.partner_id) as email
       from customer_identities i join customers c on c.id = i.customer_id where i.workspace_id = $1 and i.value = $2`,
      [workspace.id, externalId],
    )
    return row?.email
  }

  const importPartners = async ({ of: n, program, rows, ...options }: PartnerCall) => {
    const programId = programs[program] ?? ''
    const { body } = await partners(rows, options, { programId, ...ids[n] })
    expect(body.summary.errors).toBe(0)
    for (const { email, openingBalanceCents } of rows) {
      const namesBalance = openingBalanceCents > 0 && options.importOpeningBalances
      named.push({
        import: n,
        email,
        programId,
        owed: namesBalance ? ((await owedOf(email, programId)) ?? -1) : 0,
      })
    }
  }
  const importCustomers = async ({ of: n, program, rows, keepOwners }: CustomerCall) => {
    const { body } = await customers(rows, {
      programId: programs[program],
      options: { keepOwners },
      ...ids[n],
    })
    for (const { status, customerExternalId: customer, partnerEmail, code } of body.results) {
      if (status !== 'error' && status !== 'partner_not_found')
        named.push({
          import: n,
          customer,
          partner: code === 'customer_owned' ? null : partnerEmail,
        })
    }
  }
  const importAs = async (call: PartnerCall | CustomerCall) => {
    if (undone.has(call.of)) return
    await ('keepOwners' in call ? importCustomers(call) : importPartners(call))
    await check()
  }
  const undoOne = async (n: number) => {
    const importId = ids[n]?.importId ?? ''
    const preview = await undo(importId, { dryRun: true })
    if (preview.status === 404) return
    undone.add(n)
    named = named.filter((one) => one.import !== n)
    const { undone: taken } = (await undo(importId)).body
    expect(taken.customers).toBe(preview.body.undone.customers)
  }
  /**
   * Once more, until nothing of those that were undone goes: what an earlier undo has left to a
   * later import.
   */
  const undoRest = async () => {
    for (let before = ''; ; ) {
      const answers = []
      for (const n of undone) answers.push((await undo(ids[n]?.importId ?? '')).body)
      const after = JSON.stringify(answers)
      if (after === before) return answers.flatMap(({ kept }) => kept)
      before = after
    }
  }
  const check = async () => {
    const owners = new Map<string, string | null>()
    for (const one of named) {
      if ('email' in one) {
        const owed = await owedOf(one.email, one.programId)
        expect({ ...one, owed: one.owed === 0 ? owed && 0 : owed }).toEqual(one)
      } else if (owners.get(one.customer) !== null) owners.set(one.customer, one.partner)
    }
    for (const [customer, partner] of owners) {
      const owner = await ownerOf(customer)
      // With keepOwners a row leaves the customer with whom it has.
      expect({ customer, owner: partner === null ? owner && null : owner }).toEqual({
        customer,
        owner: partner,
      })
    }
  }
  return { merchant, importAs, undoOne, undoRest, check, before: await present(database, merchant) }
}

test.each(SEEDS)(
  'what an import names is there until it is undone, whatever others are undone, and nothing is left of all (seed %i)',
  async (seed) => {
    await fc.assert(
      fc.asyncProperty(history, async ({ first, calls, last, undos }) => {
        const { merchant, importAs, undoOne, undoRest, check, before } = await begin()
        for (const call of [first, ...calls]) await importAs(call)
        for (const n of undos) {
          await undoOne(n)
          await undoRest()
          await check()
          if (n === undos[0]) for (const call of last) await importAs(call)
        }
        // One that had no call yet had nothing to undo.
        for (const n of undos) await undoOne(n)
        expect(await undoRest()).toEqual([])
        expect(await present(database, merchant)).toEqual(before)
        expect(await database.violations(merchant.workspace.id)).toEqual([])
      }),
      // The same ones in each run; SEED=7 plays others.
      { numRuns: timesOver({ quick: 2, thorough: 10, exhaustive: 1_000 }), seed },
    )
  },
)
