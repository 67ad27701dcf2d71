import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import { type Payer, usePayouts } from '../support/payouts.ts'

const world = usePayouts()
afterEach(() => void vi.unstubAllGlobals())

/** A hundred in CI; more by hand: PLACES=2000 npx vitest run tests/functions/payout-faults.test.ts */
const PLACES = Number(process.env.PLACES ?? 100)

/** Who is gone, from one fetch of a run on: this process for good, the database or Stripe until the run ends. */
const VICTIMS = ['process', 'database', 'stripe'] as const
type Cut = {
  victim: (typeof VICTIMS)[number]
  /** Whether the fetch at which it happens is still carried out. */
  isCarriedOut: boolean
  /** The fetch, of all that the run makes. */
  place: number
  /** Whether the next run is the next day, when Stripe has forgotten the keys of this one. */
  isNextDay: boolean
}

const never = () => new Promise<never>(() => {})

/** Does something while somebody is killed. @returns how many fetches it made, and whether it came to its end */
const during = async (cut: Cut | null, work: () => Promise<unknown>) => {
  const real = fetch
  const stripe = world.env().STRIPE_URL ?? ''
  let fetches = 0
  let killed: () => void = () => {}
  const death = new Promise<'killed'>((resolve) => {
    killed = () => resolve('killed')
  })
  const cutFetch: typeof fetch = async (input, init) => {
    const place = fetches++
    if (!cut || place < cut.place) return real(input, init)
    const isStripe = String(input instanceof Request ? input.url : input).startsWith(stripe)
    const isHit = cut.victim === 'process' || (cut.victim === 'stripe') === isStripe
    if (!isHit) return real(input, init)
    if (place === cut.place && cut.isCarriedOut) await (await real(input, init)).text()
    if (cut.victim !== 'process') throw new TypeError('fetch failed')
    killed()
    // Whoever is dead hears of nothing any more.
    return never()
  }
  vi.stubGlobal('fetch', cutFetch)
  const end = await Promise.race([
    death,
    work().then(
      () => 'ended' as const,
      () => 'failed' as const,
    ),
  ])
  vi.unstubAllGlobals()
  return { fetches, end }
}

/** Partners of every kind, with what is due to the account of each, by currency. */
const addPartners = async (payer: Payer) => {
  const due: Record<string, string[]> = {}
  const add = async (slug: string, owed: { amountCents: number; currency?: string }[], sums: string[]) => {
    const partner = await payer.addPartner({ slug, owed })
    if (sums.length) due[partner.account ?? ''] = sums
    return partner
  }
  await add('maya', [{ amountCents: 1_000 }, { amountCents: 250 }], ['1250 usd'])
  await add('leo', [{ amountCents: 700, currency: 'EUR' }, { amountCents: 90 }], ['700 eur', '90 usd'])
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
  const { fetches } = await during(null, () => payer.run())
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
    const { end } = await during(cut, () => payer.run())
    seen.add(`${cut.victim} ${end}`)
    expect(await world.violations(payer.workspaceId)).toEqual([])

    await payer.run({}, {}, world.hoursLater(cut.isNextDay ? 25 : 0))

    expect(payer.sent()).toEqual(due)
    const [left] = await world.query(
      `select count(*)::int as unsent from payouts where workspace_id = $1 and paid_at is null`,
      [payer.workspaceId],
    )
    expect(left).toEqual({ unsent: 0 })
    expect(await world.violations(payer.workspaceId)).toEqual([])
  })
  await fc.assert(holds, { numRuns: PLACES, endOnFailure: true })

  // A cut that nobody noticed would have shown nothing.
  expect([...seen]).toEqual(expect.arrayContaining(['process killed', 'database failed', 'stripe ended']))
}, 600_000)
