// @module-tag sampled
/**
 * Dated reports end in the ledger of live ones, in whichever order they arrive, and sales that
 * lacked their click when it is added.
 */
import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { createMerchant, type Merchant, send, useDatabase } from '../support/merchant.ts'
import { SEEDS, timesOver } from '../support/thorough.ts'

const database = useDatabase()

const DAY_MS = 24 * 60 * 60_000
const START = new Date(Date.now() - 390 * DAY_MS).setUTCHours(12, 0, 0, 0)
const atDay = (day: number) => new Date(START + day * DAY_MS)

type Slug = 'maya' | 'leo'
type Dated = {
  kind: 'sale' | 'lead'
  customer: string
  day: number
  click: { via: Slug; age: number } | null
  named: Slug | null
  /**
   * After how many more reports a sale is given its click, which its report lacked. Null if the
   * report had it.
   */
  lacking: number | null
}
type Terms = {
  attribution: 'first' | 'last'
  interval: 'one-time' | 'recurring'
  months: number | null
  knownCustomers: boolean
  lateDays: number
  /** Until which day Leo was banned, if he was. */
  bannedUntil: number | null
}

const terms: fc.Arbitrary<Terms> = fc.record({
  attribution: fc.constantFrom('first', 'last'),
  interval: fc.constantFrom('one-time', 'recurring'),
  months: fc.constantFrom(null, 3),
  knownCustomers: fc.boolean(),
  lateDays: fc.constantFrom(0, 60),
  bannedUntil: fc.option(fc.integer({ min: 0, max: 300 })),
})
const history: fc.Arbitrary<Dated[]> = fc.uniqueArray(
  fc.record({
    kind: fc.constantFrom('sale', 'sale', 'lead'),
    customer: fc.constantFrom('ann', 'bob'),
    day: fc.integer({ min: 130, max: 380 }),
    // A click of more than 90 days has expired.
    click: fc.option(
      fc.record({ via: fc.constantFrom('maya', 'leo'), age: fc.integer({ min: 1, max: 120 }) }),
      {
        nil: null,
      },
    ),
    // A slug in the report.
    named: fc.constantFrom(null, null, 'maya', 'leo'),
    lacking: fc.option(fc.nat({ max: 6 })),
  }),
  { minLength: 1, maxLength: 9, selector: ({ day }) => day },
)
type Case = { terms: Terms; reports: Dated[]; arrival: number[] }
const cases: fc.Arbitrary<Case> = fc.tuple(terms, history).chain(([terms, reports]) =>
  fc
    .shuffledSubarray([...reports.keys()], {
      minLength: reports.length,
      maxLength: reports.length,
    })
    .map((arrival) => ({ terms, reports, arrival })),
)

const open = async ({
  attribution,
  interval,
  months,
  knownCustomers,
  lateDays,
  bannedUntil,
}: Terms) => {
  const merchant = await createMerchant({
    program: {
      attribution,
      reward_interval: interval,
      reward_duration_months: months,
      attribute_known_customers: knownCustomers,
      late_lead_days: lateDays,
      trusted_attribution: true,
    },
    group: { leadReward: { amountCents: 500n, currency: 'USD' } },
  })
  const leo = await merchant.seed.addPartner(merchant.workspace.id, merchant.programId, {
    slug: 'leo',
  })
  if (bannedUntil !== null) {
    await database.query(
      `insert into former_partner_terms (workspace_id, partner_id, until, status) values ($1, $2, $3, 'banned')`,
      [merchant.workspace.id, leo, atDay(bannedUntil)],
    )
  }
  return merchant
}

/** A click made at a time. */
const clickAt = async (merchant: Merchant, via: Slug, at: Date): Promise<string> => {
  const id = await merchant.click(via)
  await database.query(
    `update clicks set created_at = $2, expires_at = $2::timestamptz + interval '90 days' where workspace_id = $3 and id = $1`,
    [id, at, merchant.workspace.id],
  )
  return id
}

const isLacking = ({ kind, click, lacking }: Dated) =>
  kind === 'sale' && click !== null && lacking !== null

/**
 * @param order the places of the reports, or of those that are sent at once
 * @param isComplete whether each has its click from the beginning
 */
const deliver = async (
  merchant: Merchant,
  reports: Dated[],
  order: number[][],
  isComplete = true,
) => {
  const key = await merchant.seed.addApiKey(merchant.workspace.id, { scopes: ['write'] })
  const clicks = new Map<number, string>()
  for (const [n, { click, day }] of reports.entries()) {
    if (click) clicks.set(n, await clickAt(merchant, click.via, atDay(day - click.age)))
  }
  const report = async (n: number) => {
    const dated = reports[n]
    if (!dated) throw new Error('No such report.')
    const { status } = await merchant[dated.kind]({
      externalId: `${n}`,
      customerExternalId: dated.customer,
      clickId: isComplete || !isLacking(dated) ? clicks.get(n) : undefined,
      partnerSlug: dated.named,
      occurredAt: atDay(dated.day).toISOString(),
    })
    expect(status).toBe(200)
  }
  const correct = async (n: number) => {
    const { status } = await send(new URL(`/api/track/sale/${n}`, inject('baseUrl')), {
      method: 'PATCH',
      body: { clickId: clicks.get(n) },
      headers: { Authorization: `Bearer ${key}` },
    })
    expect(status).toBe(200)
  }
  const waiting = new Map<number, number>()
  for (const together of order) {
    await Promise.all(together.map(report))
    for (const [n, left] of waiting) {
      if (left > 0) waiting.set(n, left - 1)
      else if (waiting.delete(n)) await correct(n)
    }
    for (const n of together) {
      const dated = reports[n]
      if (!isComplete && dated && isLacking(dated)) waiting.set(n, dated.lacking ?? 0)
    }
  }
  for (const n of waiting.keys()) await correct(n)
}

type Entry = { event: string; credited: Slug | null; net: number }

/** What each event is credited with at present, and who owns each customer. */
const ledgerOf = async ({ workspace }: Merchant) => ({
  events: await database.query<Entry>(
    `select e.kind || ' ' || e.external_id as event, p.slug as credited, e.attributed_by as "by", e.occurred_at as at,
            c.amount_cents::int as earned, c.payable_at as payable,
            (select coalesce(sum(amount_cents), 0)::int from commissions r where r.event_id = e.id) as net
     from events e left join partners p on p.id = e.partner_id left join commissions c on c.id = e.commission_id
     where e.workspace_id = $1 order by e.occurred_at`,
    [workspace.id],
  ),
  owners: await database.query(
    `select cu.external_id, p.slug from customers cu join partners p on p.id = cu.partner_id
     where cu.workspace_id = $1 order by 1`,
    [workspace.id],
  ),
})

/** The rules in few words, as if each event had been reported when it took place. */
const account = (terms: Terms, reports: Dated[]) => {
  const referrals = reports.flatMap(({ customer, day, click, named }) => {
    const isBanned = (slug: Slug) =>
      slug === 'leo' && terms.bannedUntil !== null && day < terms.bannedUntil
    const ways = [
      ...(click && click.age < 90 ? [{ via: click.via, clickedOn: day - click.age }] : []),
      ...(named ? [{ via: named, clickedOn: Number.POSITIVE_INFINITY }] : []),
    ]
    const way = ways.find(({ via }) => !isBanned(via))
    return way ? [{ customer, day, ...way }] : []
  })
  const ownerOn = (of: string, day: number): { via: Slug; isLate: boolean } | undefined => {
    const its = referrals.filter(({ customer }) => customer === of).sort((a, b) => a.day - b.day)
    const known = its.filter((referral) => referral.day < day)
    const late = its.find(
      (referral) =>
        referral.day > day && referral.day - day <= terms.lateDays && referral.clickedOn <= day,
    )
    const referral = (terms.attribution === 'last' ? known.at(-1) : known[0]) ?? late
    return referral && { via: referral.via, isLate: referral === late }
  }
  const rewarded = new Map<string, number>()
  return [...reports.entries()]
    .sort(([, a], [, b]) => a.day - b.day)
    .map(([n, { kind, customer, day }]) => {
      const own = referrals.find(
        (referral) => referral.customer === customer && referral.day === day,
      )
      const isBanned = (slug: Slug) =>
        slug === 'leo' && terms.bannedUntil !== null && day < terms.bannedUntil
      const earlier = referrals.some(
        (referral) => referral.customer === customer && referral.day < day,
      )
      const owner = ownerOn(customer, day)
      const active = owner && !isBanned(owner.via) ? owner.via : undefined
      const credited = own
        ? terms.attribution === 'first' && earlier
          ? (active ?? own.via)
          : own.via
        : kind === 'sale' && (terms.knownCustomers || owner?.isLate)
          ? active
          : undefined
      const first = rewarded.get(customer)
      const ends = first === undefined || terms.months === null ? null : new Date(atDay(first))
      ends?.setUTCMonth(ends.getUTCMonth() + (terms.months ?? 0))
      const isRefused =
        first !== undefined &&
        (terms.interval === 'one-time' || (ends !== null && atDay(day) >= ends))
      const earns = kind === 'sale' ? credited !== undefined && !isRefused : credited === 'maya'
      if (earns && kind === 'sale' && first === undefined) rewarded.set(customer, day)
      return { event: `${kind} ${n}`, credited: credited ?? null, earns }
    })
}

test('a history of dated reports leaves the same ledger in every order of arrival and at once, and that of the rules', async () => {
  await fc.assert(
    fc.asyncProperty(cases, async ({ terms, reports, arrival }) => {
      const inOrder = [...reports.keys()].sort(
        (a, b) => (reports[a]?.day ?? 0) - (reports[b]?.day ?? 0),
      )
      const [live, late, together, corrected] = [
        await open(terms),
        await open(terms),
        await open(terms),
        await open(terms),
      ]
      await deliver(
        live,
        reports,
        inOrder.map((n) => [n]),
      )
      await deliver(
        late,
        reports,
        arrival.map((n) => [n]),
      )
      await deliver(together, reports, [arrival])
      await deliver(
        corrected,
        reports,
        arrival.map((n) => [n]),
        false,
      )
      const [expected, ...others] = [
        await ledgerOf(live),
        await ledgerOf(late),
        await ledgerOf(together),
        await ledgerOf(corrected),
      ]
      // A lead is decided by what is known when it is received: under "first", a later report may
      // know of an earlier partner.
      const compared = (rows: Entry[]) =>
        rows.filter(({ event }) => terms.attribution === 'last' || event.startsWith('sale'))
      for (const ledger of others) {
        expect(compared(ledger.events)).toEqual(compared(expected.events))
        expect(ledger.owners).toEqual(expected.owners)
      }
      expect(
        expected.events.map(({ event, credited, net }) => ({ event, credited, earns: net !== 0 })),
      ).toEqual(account(terms, reports))
    }),
    { seed: SEEDS[0], numRuns: timesOver({ quick: 1, thorough: 12, exhaustive: 100 }) },
  )
}, 240_000)
