// @module-tag thorough
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { during, VICTIMS } from '../support/killed.ts'
import { type Payer, usePayouts } from '../support/payouts.ts'
import { isExhaustive, SEEDS } from '../support/thorough.ts'

const world = usePayouts()

const PLACES = isExhaustive ? 1_000 : 50

const stripeUrl = () => world.stripe().url

/** Partners of every kind, with what is due to the account of each, by currency. */
const addPartners = async (payer: Payer) => {
  const due: Record<string, string[]> = {}
  const add = async (
    slug: string,
    owed: { amountCents: number; currency?: string }[],
    sums: string[],
  ) => {
    const partner = await payer.addPartner({ slug, owed })
    if (sums.length) due[partner.account ?? ''] = sums
    return partner
  }
  await add('maya', [{ amountCents: 1_000 }, { amountCents: 250 }], ['1250 usd'])
  await add(
    'leo',
    [{ amountCents: 700, currency: 'EUR' }, { amountCents: 90 }],
    ['700 eur', '90 usd'],
  )
  await add('kim', [{ amountCents: 4_900 }], ['4900 usd'])
  const ada = await add('ada', [{ amountCents: 300 }, { amountCents: 500 }], ['500 usd'])
  await payer.reverse(ada.commissions[0] ?? '')
  const ben = await add('ben', [{ amountCents: 300 }], [])
  await payer.reverse(ben.commissions[0] ?? '')
  await payer.addPartner({ slug: 'eve', owed: [{ amountCents: 100 }], connected: false })
  return due
}

/** The fetches of a run that nothing happens to. */
const countFetches = async (): Promise<number> => {
  const payer = await world.createPayer()
  const due = await addPartners(payer)
  const { fetches } = await during(null, stripeUrl(), () => payer.run())
  expect(payer.sent()).toEqual(due)
  return fetches
}

test(`killed at ${PLACES} random places, the next run leaves each partner sent exactly what was due`, async () => {
  const fetches = await countFetches()
  expect(fetches).toBeGreaterThan(10)
  const seen = new Set<string>()

  const cuts = fc.record({
    victim: fc.constantFrom(...VICTIMS),
    isCarriedOut: fc.boolean(),
    place: fc.nat(fetches - 1),
    isNextDay: fc.boolean(),
  })
  const holds = fc.asyncProperty(cuts, async (cut) => {
    world.hoursLater(0)
    const payer = await world.createPayer()
    const due = await addPartners(payer)
    const { end } = await during(cut, stripeUrl(), () => payer.run())
    seen.add(`${cut.victim} ${end}`)
    expect(await world.violations()).toEqual([])

    await payer.run({}, {}, world.hoursLater(cut.isNextDay ? 25 : 1))

    expect(payer.sent()).toEqual(due)
    const [left] = await world.query(
      `select count(*)::int as unsent from payouts where workspace_id = $1 and paid_at is null`,
      [payer.workspaceId],
    )
    expect(left).toEqual({ unsent: 0 })
    expect(await world.violations()).toEqual([])
  })
  await fc.assert(holds, { seed: SEEDS[0], numRuns: PLACES, endOnFailure: true })

  // A cut that nobody noticed would have shown nothing.
  expect([...seen]).toEqual(
    expect.arrayContaining(['process killed', 'database failed', 'stripe ended']),
  )
}, 600_000)
