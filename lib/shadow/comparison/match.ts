/**
 * Matches sales of a program with commissions of another platform, one to one. The result does not
 * depend on the order of the two sets.
 *
 * 1. By id: a commission that names a sale by its external id, invoice, payment or charge matches
 *   it. Of several, one that is not voided comes first, then the nearest in time, then the smallest
 *   id.
 * 2. The rest by customer, within `WINDOW_MS`. Pairs of the same currency and amount come first,
 *   then those of the same currency, then any; among these the nearest in time, then the smallest
 *   ids.
 */

/** A sale of ours. @property amountCents of the sale; 0 or more */
export type HereSale = {
  id: string
  customer: string
  at: Date
  amountCents: bigint
  currency: string
  /** What it earns in the program, less what was reversed. */
  earnsCents: bigint
}

/** A commission of the other platform. */
export type ThereSale = {
  id: string
  /** The sale of ours that it names by an id, if there is one. */
  eventId: string | null
  /** Its customer, as ours are named. */
  customer: string
  at: Date
  /** Of the sale, if the platform says it. */
  saleCents: bigint | null
  currency: string
  amountCents: bigint
  isVoided: boolean
}

/**
 * The most time between a sale and its commission: a day without a time, in any time zone, and a
 * day until it is recorded.
 */
export const WINDOW_MS = 2 * 86_400_000

/** How many sales on either side of a commission are candidates: a customer may have thousands. */
const CANDIDATES = 25

type Pair = { hereId: string; thereId: string; by: 'id' | 'customer' }

type Edge = { here: HereSale; there: ThereSale; tier: number; distance: number }

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const distanceOf = (here: HereSale, there: ThereSale): number =>
  Math.abs(here.at.getTime() - there.at.getTime())

const compareEdges = (a: Edge, b: Edge): number =>
  a.tier - b.tier ||
  a.distance - b.distance ||
  compareTexts(a.here.id, b.here.id) ||
  compareTexts(a.there.id, b.there.id)

const tierOf = (here: HereSale, there: ThereSale): number => {
  if (here.currency !== there.currency) return 2
  const isEqual =
    there.saleCents === null
      ? here.earnsCents === there.amountCents
      : here.amountCents === there.saleCents
  return isEqual ? 0 : 1
}

/** The index of the first sale at or after a time, in sales by time. */
const firstSince = (sales: HereSale[], time: number): number => {
  let [low, high] = [0, sales.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sales[middle]?.at.getTime() ?? 0) < time) low = middle + 1
    else high = middle
  }
  return low
}

/** The sales of the same customer, by time, that a commission may be of. */
const edgesOf = (there: ThereSale, sales: HereSale[]): Edge[] => {
  const place = firstSince(sales, there.at.getTime())
  return sales
    .slice(Math.max(0, place - CANDIDATES), place + CANDIDATES)
    .map((here) => ({ here, there, tier: tierOf(here, there), distance: distanceOf(here, there) }))
    .filter(({ distance }) => distance <= WINDOW_MS)
}

/** The pairs, in no particular order. */
export const matchSales = (heres: readonly HereSale[], theres: readonly ThereSale[]): Pair[] => {
  const byId = new Map(heres.map((here) => [here.id, here]))
  const named: Edge[] = theres.flatMap((there) => {
    const here = there.eventId === null ? undefined : byId.get(there.eventId)
    return here
      ? [{ here, there, tier: there.isVoided ? 1 : 0, distance: distanceOf(here, there) }]
      : []
  })
  const isNamed = new Set(named.map(({ there }) => there.id))
  const pairs: Pair[] = []
  const [takenHere, takenThere] = [new Set<string>(), new Set<string>()]
  const take = (edges: Edge[], by: Pair['by']) => {
    for (const { here, there } of edges.sort(compareEdges)) {
      if (takenHere.has(here.id) || takenThere.has(there.id)) continue
      takenHere.add(here.id)
      takenThere.add(there.id)
      pairs.push({ hereId: here.id, thereId: there.id, by })
    }
  }
  take(named, 'id')

  const left = heres
    .filter(({ id }) => !takenHere.has(id))
    .sort((a, b) => a.at.getTime() - b.at.getTime() || compareTexts(a.id, b.id))
  const salesOf = Map.groupBy(left, ({ customer }) => customer)
  const rest = theres.filter(({ id }) => !isNamed.has(id))
  take(
    rest.flatMap((there) => edgesOf(there, salesOf.get(there.customer) ?? [])),
    'customer',
  )
  return pairs
}
