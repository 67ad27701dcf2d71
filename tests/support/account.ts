/** A model of attribution and rewards, to compare the service with. */
import fc from 'fast-check'

export type Slug = 'maya' | 'leo'
export type Report = { kind: 'sale' | 'lead'; externalId: string; customer: string; via: Slug | null }
export type Terms = {
  attribution: 'first' | 'last'
  interval: 'one-time' | 'recurring'
  knownCustomers: boolean
}

/** What the rules say in the fewest words: an account of the partners that a history of reports leaves behind. */
export const account = ({ attribution, interval, knownCustomers }: Terms, history: Report[]) => {
  const owners = new Map<string, Slug>()
  const events = new Map<string, Report & { credited: Slug | null }>()

  for (const report of history) {
    const { kind, externalId, customer, via } = report
    const key = `${kind} ${externalId}`
    if (events.has(key)) continue
    const owner = owners.get(customer)
    const known = kind === 'sale' && knownCustomers ? (owner ?? null) : null
    const credited = via === null ? known : attribution === 'first' ? (owner ?? via) : via
    events.set(key, { ...report, credited })
    if (credited === null) continue

    if (owner === undefined || (attribution === 'last' && via !== null)) owners.set(customer, credited)
    // The links were clicked before all reports, and a late one may follow within a week: the first one with a click refers its
    // customer's earlier sales.
    if (owner !== undefined) continue
    for (const event of events.values())
      if (event.kind === 'sale' && event.customer === customer) event.credited ??= credited
  }

  const rewarded = new Set<string>()
  const commissions: string[] = []
  for (const [key, { kind, customer, credited }] of events) {
    if (credited === null) continue
    // Maya is in a group that rewards leads, Leo is in none.
    const earns = kind === 'lead' ? credited === 'maya' : interval === 'recurring' || !rewarded.has(customer)
    if (earns) commissions.push(`${key} ${credited}`)
    if (earns && kind === 'sale') rewarded.add(customer)
  }
  return { events, commissions: commissions.sort(), owners: Object.fromEntries(owners) }
}

export const terms: fc.Arbitrary<Terms> = fc.record({
  attribution: fc.constantFrom('first', 'last'),
  interval: fc.constantFrom('one-time', 'recurring'),
  knownCustomers: fc.boolean(),
})
// Few ids and customers, so that reports repeat and meet each other.
export const report: fc.Arbitrary<Report> = fc.record({
  kind: fc.constantFrom('sale', 'sale', 'lead'),
  externalId: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
  customer: fc.constantFrom('ann', 'bob'),
  via: fc.constantFrom('maya', 'leo', null),
})
