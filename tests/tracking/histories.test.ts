import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMerchant, useDatabase } from '../support/merchant.ts'

const database = useDatabase()

type Slug = 'maya' | 'leo'
type Report = { kind: 'sale' | 'lead'; externalId: string; customer: string; via: Slug | null }
type Terms = { attribution: 'first' | 'last'; interval: 'one-time' | 'recurring'; knownCustomers: boolean }

/** What the rules say in the fewest words: an account of the partners that a history of reports leaves behind. */
const account = ({ attribution, interval, knownCustomers }: Terms, history: Report[]) => {
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
    // The links were clicked before all reports, so the first one with a click refers its customer's earlier sales.
    if (owner !== undefined || !knownCustomers) continue
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

const terms: fc.Arbitrary<Terms> = fc.record({
  attribution: fc.constantFrom('first', 'last'),
  interval: fc.constantFrom('one-time', 'recurring'),
  knownCustomers: fc.boolean(),
})
// Few ids and customers, so that reports repeat and meet each other.
const report: fc.Arbitrary<Report> = fc.record({
  kind: fc.constantFrom('sale', 'sale', 'lead'),
  externalId: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
  customer: fc.constantFrom('ann', 'bob'),
  via: fc.constantFrom('maya', 'leo', null),
})

test('any history of reports, with repeats, leaves the account that the rules say', async () => {
  await fc.assert(
    fc.asyncProperty(terms, fc.array(report, { minLength: 1, maxLength: 14 }), async (terms, history) => {
      const merchant = await createMerchant({
        program: {
          attribution: terms.attribution,
          reward_interval: terms.interval,
          attribute_known_customers: terms.knownCustomers,
        },
        group: { leadReward: { amountCents: 500n, currency: 'USD' } },
      })
      await merchant.seed.addPartner(merchant.workspace.id, merchant.programId, { slug: 'leo' })
      const clicks = { maya: await merchant.click('maya'), leo: await merchant.click('leo') }

      for (const [at, { kind, externalId, customer, via }] of history.entries()) {
        const { status, body } = await merchant[kind]({
          externalId,
          customerExternalId: customer,
          clickId: via && clicks[via],
        })
        expect(status).toBe(200)
        const { events } = account(terms, history.slice(0, at + 1))
        expect(body.attributed).toBe(events.get(`${kind} ${externalId}`)?.credited !== null)
      }
      const expected = account(terms, history)

      const commissions = await database.query<{ entry: string }>(
        `select e.kind || ' ' || e.external_id || ' ' || p.slug as entry
         from commissions c join events e on e.id = c.event_id join partners p on p.id = c.partner_id
         where c.workspace_id = $1 group by e.id, p.slug having sum(c.amount_cents) <> 0`,
        [merchant.workspace.id],
      )
      const owners = await database.query<{ external_id: string; slug: string }>(
        'select cu.external_id, p.slug from customers cu join partners p on p.id = cu.partner_id where cu.workspace_id = $1',
        [merchant.workspace.id],
      )
      expect(commissions.map(({ entry }) => entry).sort()).toEqual(expected.commissions)
      expect(Object.fromEntries(owners.map((row) => [row.external_id, row.slug]))).toEqual(expected.owners)
    }),
    { numRuns: 60 },
  )
})
