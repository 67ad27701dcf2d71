/** A model of attribution and rewards, to compare the service with. */
import fc from 'fast-check'
import type { Merchant } from './merchant.ts'

export type Slug = 'maya' | 'leo'
export type Report = {
  kind: 'sale' | 'lead'
  externalId: string
  customer: string
  via: Slug | null
  /** How the report names the partner. */
  by: 'clickId' | 'partnerSlug' | 'couponCode'
}
export type Terms = {
  attribution: 'first' | 'last'
  interval: 'one-time' | 'recurring'
  knownCustomers: boolean
  /** Within how many days a late lead may follow; all reports of a history are of one day. */
  lateDays: 0 | 7
  /** Whether slugs and coupons in reports count. */
  trusted: boolean
}

/**
 * What the rules say in the fewest words: an account of the partners that a history of reports
 * leaves behind.
 */
export const account = (
  { attribution, interval, knownCustomers, lateDays, trusted }: Terms,
  history: Report[],
) => {
  const owners = new Map<string, Slug>()
  const clicked = new Set<string>()
  const events = new Map<string, Report & { credited: Slug | null; isFirst: boolean }>()

  for (const report of history) {
    const { kind, externalId, customer, by } = report
    const via = by === 'clickId' || trusted ? report.via : null
    const key = `${kind} ${externalId}`
    if (events.has(key)) continue
    const owner = owners.get(customer)
    const known = kind === 'sale' && knownCustomers ? (owner ?? null) : null
    const credited = via === null ? known : attribution === 'first' ? (owner ?? via) : via
    events.set(key, { ...report, credited, isFirst: owner === undefined })
    if (credited === null) continue

    if (owner === undefined || (attribution === 'last' && via !== null))
      owners.set(customer, credited)
    // The links were clicked before all reports: where a late one may follow, the first one with a
    // click refers its customer's sales before anybody had. A slug or coupon refers none.
    if (via === null || by !== 'clickId' || clicked.has(customer)) continue
    clicked.add(customer)
    if (lateDays === 0 && !knownCustomers) continue
    for (const event of events.values())
      if (event.kind === 'sale' && event.customer === customer && event.isFirst)
        event.credited ??= via
  }

  const rewarded = new Set<string>()
  const commissions: string[] = []
  for (const [key, { kind, customer, credited }] of events) {
    if (credited === null) continue
    // Maya is in a group that rewards leads, Leo is in none.
    const earns =
      kind === 'lead' ? credited === 'maya' : interval === 'recurring' || !rewarded.has(customer)
    if (earns) commissions.push(`${key} ${credited}`)
    if (earns && kind === 'sale') rewarded.add(customer)
  }
  return { events, commissions: commissions.sort(), owners: Object.fromEntries(owners) }
}

export const terms: fc.Arbitrary<Terms> = fc.record({
  attribution: fc.constantFrom('first', 'last'),
  interval: fc.constantFrom('one-time', 'recurring'),
  knownCustomers: fc.boolean(),
  lateDays: fc.constantFrom(0, 7),
  trusted: fc.boolean(),
})
// Few ids and customers, so that reports repeat and meet each other.
export const report: fc.Arbitrary<Report> = fc.record({
  kind: fc.constantFrom('sale', 'sale', 'lead'),
  externalId: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
  customer: fc.constantFrom('ann', 'bob'),
  via: fc.constantFrom('maya', 'leo', null),
  by: fc.constantFrom('clickId', 'clickId', 'partnerSlug', 'couponCode'),
})

/** A program under the terms. */
export const programOf = ({ attribution, interval, knownCustomers, lateDays, trusted }: Terms) => ({
  attribution,
  reward_interval: interval,
  attribute_known_customers: knownCustomers,
  late_lead_days: lateDays,
  trusted_attribution: trusted,
})

/**
 * Adds the partner "leo", and a coupon of each partner.
 * @returns how a report names each of them
 */
export const addPartners = async ({ seed, workspace, programId, partnerId, click }: Merchant) => {
  const leo = await seed.addPartner(workspace.id, programId, { slug: 'leo' })
  await seed.addCoupon(workspace.id, partnerId, 'MAYA')
  await seed.addCoupon(workspace.id, leo, 'LEO')
  return {
    maya: { clickId: await click('maya'), partnerSlug: 'maya', couponCode: 'MAYA' },
    leo: { clickId: await click('leo'), partnerSlug: 'leo', couponCode: 'LEO' },
  }
}

/** A report as it is sent. */
export const bodyOf = (
  { externalId, customer, via, by }: Report,
  names: Awaited<ReturnType<typeof addPartners>>,
) => ({ externalId, customerExternalId: customer, ...(via && { [by]: names[via][by] }) })
