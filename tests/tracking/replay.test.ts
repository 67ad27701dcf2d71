import { describe, expect, test } from 'vitest'
import type { PartnerTerms } from '../../lib/rules/attribution/attribution.ts'
import type {
  PastCustomer,
  PastEvent,
  PastPartner,
  TermsChange,
} from '../../lib/rules/decisions/past-events.ts'
import type { Referral } from '../../lib/rules/identities/owner.ts'
import type { Condition } from '../../lib/rules/rewards/conditions.ts'
import type { Reward } from '../../lib/rules/rewards/rewards.ts'
import { replay } from '../../lib/rules/what-if/replay.ts'
import { compare } from '../../lib/rules/what-if/what-if.ts'
import { paying } from '../support/reward-rules.ts'

const PROGRAM = 'program-1'
const percent = (percent: number): Reward => ({
  id: '',
  kind: 'percent',
  basisPoints: percent * 100,
})
const flat = (amountCents: number, currency = 'USD'): Reward => ({
  id: '',
  kind: 'flat',
  amountCents,
  currency,
})
/** A day of the period, in UTC. */
const day = (number: number): Date => new Date(Date.UTC(2026, 8, number, 12, 0, 0, 1))

const partner = (
  id: string,
  terms: Partial<PartnerTerms> = {},
  more: Partial<PastPartner> = {},
): PastPartner => ({
  name: null,
  groupId: null,
  formerStatuses: [],
  earned: [],
  terms: {
    id,
    slug: id,
    emails: [`${id}@partner.example`],
    status: 'approved',
    programId: PROGRAM,
    reward: percent(20),
    rewardInterval: 'recurring',
    rewardDurationMonths: null,
    oneTimeMinimumCents: 0,
    oneTimePer: 'customer',
    tier: null,
    budget: null,
    rewardShipping: false,
    creditOutOfBand: false,
    holdingDays: 30,
    netDays: null,
    attribution: 'last',
    attributeKnownCustomers: false,
    lateLeadDays: 7,
    selfReferrals: 'hold',
    unverifiedAddresses: 'allow',
    ownReward: null,
    group: null,
    firstRewardedAt: null,
    rewardedProducts: [],
    ...terms,
  },
  ...more,
})

let events = 0
/** A sale of 100.00 USD, which Maya is credited with. */
const sale = (at: Date, more: Partial<PastEvent> = {}): PastEvent => ({
  id: `event-${++events}`,
  kind: 'sale',
  externalId: `inv_${events}`,
  customerId: 'ann',
  customerExternalId: 'user_ann',
  occurredAt: at,
  sale: { amountCents: 10_000n, currency: 'USD' },
  partnerId: 'maya',
  attributedBy: 'click',
  click: null,
  code: null,
  metadata: null,
  lines: null,
  country: null,
  coupon: null,
  history: null,
  purchase: undefined,
  earnsNothing: false,
  erasedSelfReferral: null,
  decidedRules: null,
  decidedTier: null,
  ...more,
})
/** A sale of two products for 50.00 each. */
const linesSold = (on: number, ...products: string[]): PastEvent =>
  sale(day(on), {
    lines: products.map((productId) => ({ productId, quantity: 1, amountCents: 5_000 })),
  })
const lead = (at: Date, more: Partial<PastEvent> = {}) =>
  sale(at, { kind: 'lead', sale: null, ...more })

const click = (partnerId: string, at: Date, days = 30) => ({
  id: `clk_${partnerId}`,
  partnerId,
  createdAt: at,
  expiresAt: new Date(Number(at) + days * 86_400_000),
})
const bought = (more: Partial<NonNullable<PastEvent['purchase']>> = {}) => ({
  referredAt: day(1),
  checkoutId: null,
  subscription: null,
  isProration: false,
  coupons: [],
  paid: [],
  firstSale: null,
  ...more,
})
/** A payment of 100 and 20 of shipping, and one of 100 beside 50 that were paid otherwise. */
const SHIPPED = { grossCents: 14_280, netCents: 12_000, shippingCents: 2_000, currency: 'USD' }
const HALF_OUTSIDE = {
  grossCents: 10_000,
  netCents: 10_000,
  currency: 'USD',
  outOfBand: { grossCents: 5_000, netCents: 5_000 },
}
const customer = (more: Partial<PastCustomer> = {}): PastCustomer => ({
  referrals: [],
  emails: [],
  isGuest: false,
  rewardedAt: null,
  rewardedProducts: [],
  rewardedSubscriptions: [],
  earned: [],
  ...more,
})
const referral = (partnerId: string, referredAt: Date, more: Partial<Referral> = {}): Referral => ({
  origin: `of ${partnerId}`,
  partnerId,
  programId: PROGRAM,
  source: 'click',
  attribution: 'last',
  referredAt,
  clickedAt: null,
  startedAt: null,
  ...more,
})

type Case = {
  past: PastEvent[]
  change: Omit<TermsChange, 'programId'>
  ann?: Partial<PastCustomer>
  maya?: Partial<PartnerTerms>
  leo?: Partial<PartnerTerms>
  of?: Partial<PastPartner>
}

const pastOf = ({ past, ann, maya, leo, of }: Omit<Case, 'change'>) => ({
  since: day(1),
  events: past,
  customers: new Map([['ann', customer(ann)]]),
  tiers: null,
  partners: new Map([
    ['maya', partner('maya', maya, of)],
    ['leo', partner('leo', leo)],
  ]),
})

/** The amounts that each partner earns before and after, in units. */
const earned = ({ change, ...one }: Case) => {
  const { current, changed } = replay(pastOf(one), { programId: PROGRAM, ...change })
  const show = (all: typeof current) =>
    all.map(({ partnerId, amountCents }) => `${partnerId} ${Number(amountCents) / 100}`).join(', ')
  return { now: show(current), would: show(changed) }
}

describe('rewards', () => {
  test.each<Case & { case: string; now: string; would: string }>([
    {
      case: 'a higher percentage',
      past: [sale(day(1))],
      change: { program: { reward: percent(30) } },
      now: 'maya 20',
      would: 'maya 30',
    },
    {
      case: 'a flat reward, never more than the sale',
      past: [sale(day(1)), sale(day(2), { sale: { amountCents: 300n, currency: 'USD' } })],
      change: { program: { reward: flat(500) } },
      now: 'maya 20, maya 0.6',
      would: 'maya 5, maya 3',
    },
    {
      case: 'one-time instead of recurring: the earliest sale of the period',
      past: [sale(day(1)), sale(day(2))],
      change: { program: { rewardInterval: 'one-time' } },
      now: 'maya 20, maya 20',
      would: 'maya 20',
    },
    {
      case: 'one-time, and the customer was rewarded before the period',
      past: [sale(day(1)), sale(day(2))],
      ann: { rewardedAt: new Date('2026-01-01') },
      change: { program: { rewardInterval: 'one-time' } },
      now: 'maya 20, maya 20',
      would: '',
    },
    {
      case: 'recurring instead of one-time',
      past: [sale(day(1)), sale(day(2))],
      maya: { rewardInterval: 'one-time' },
      change: { program: { rewardInterval: 'recurring' } },
      now: 'maya 20',
      would: 'maya 20, maya 20',
    },
    {
      case: 'a trial that a minimum passes over',
      past: [sale(day(1), { sale: { amountCents: 100n, currency: 'USD' } }), sale(day(2))],
      maya: { rewardInterval: 'one-time' },
      change: { program: { oneTimeMinimumCents: 500 } },
      now: 'maya 0.2',
      would: 'maya 20',
    },
    {
      case: 'each product once instead of each customer',
      past: [linesSold(1, 'mug', 'pen'), linesSold(2, 'pen', 'cap'), sale(day(3)), sale(day(4))],
      maya: { rewardInterval: 'one-time' },
      ann: { rewardedAt: null, rewardedProducts: ['mug'] },
      change: { program: { oneTimePer: 'product' } },
      now: 'maya 20',
      would: 'maya 10, maya 10, maya 20',
    },
    {
      case: 'each customer once instead of each product, after a start that an import reports',
      past: [linesSold(1, 'mug', 'pen')],
      maya: { rewardInterval: 'one-time', oneTimePer: 'product' },
      ann: {
        referrals: [
          referral('maya', new Date('2026-05-01'), {
            source: 'import',
            startedAt: new Date('2025-01-01'),
          }),
        ],
      },
      change: { program: { rewardInterval: 'recurring' } },
      now: '',
      would: 'maya 20',
    },
    {
      case: 'a duration that began before the period',
      past: [sale(day(1)), sale(day(20))],
      ann: { rewardedAt: new Date('2026-03-10') },
      change: { program: { rewardDurationMonths: 6 } },
      now: 'maya 20, maya 20',
      would: 'maya 20',
    },
    {
      case: 'a duration that an import began',
      past: [sale(day(1))],
      ann: {
        referrals: [
          referral('maya', new Date('2026-05-01'), {
            source: 'import',
            startedAt: new Date('2025-01-01'),
          }),
        ],
      },
      change: { program: { rewardDurationMonths: 12 } },
      now: 'maya 20',
      would: '',
    },
    {
      case: 'shipping, which is in the payment',
      past: [sale(day(1), { purchase: bought({ paid: [SHIPPED] }) })],
      change: { program: { rewardShipping: true } },
      now: 'maya 20',
      would: 'maya 24',
    },
    {
      case: 'what was paid outside of Stripe beside the payment',
      past: [
        sale(day(1), {
          purchase: bought({ paid: [{ ...SHIPPED, currency: 'EUR' }, HALF_OUTSIDE] }),
        }),
      ],
      change: { program: { creditOutOfBand: true } },
      now: 'maya 20',
      would: 'maya 30',
    },
    {
      case: 'shipping of a payment that is not the recorded amount',
      past: [sale(day(1), { purchase: bought({ paid: [{ ...SHIPPED, netCents: 11_999 }] }) })],
      change: { program: { rewardShipping: true } },
      now: 'maya 20',
      would: 'maya 20',
    },
    {
      case: 'shipping of a sale that the backend reported',
      past: [sale(day(1))],
      change: { program: { rewardShipping: true } },
      now: 'maya 20',
      would: 'maya 20',
    },
    {
      case: 'a proration after a rewarded payment of its subscription, under a flat reward',
      past: [
        sale(day(1), { purchase: bought({ subscription: 'sub_1' }) }),
        sale(day(2), { purchase: bought({ subscription: 'sub_1', isProration: true }) }),
      ],
      change: { program: { reward: flat(500) } },
      now: 'maya 20, maya 20',
      would: 'maya 5',
    },
    {
      case: 'a proration that is the first payment of its subscription, under a flat reward',
      past: [
        sale(day(1), { purchase: bought({ subscription: 'sub_1' }) }),
        sale(day(2), { purchase: bought({ subscription: 'sub_2', isProration: true }) }),
      ],
      change: { program: { reward: flat(500) } },
      now: 'maya 20, maya 20',
      would: 'maya 5, maya 5',
    },
    {
      case: 'a proration of a subscription that was rewarded before these events, under a flat reward',
      past: [sale(day(2), { purchase: bought({ subscription: 'sub_1', isProration: true }) })],
      ann: { rewardedSubscriptions: [{ id: 'sub_1', rewardedAt: day(1) }] },
      change: { program: { reward: flat(500) } },
      now: 'maya 20',
      would: '',
    },
    {
      case: 'a purchase of the partner’s own, refused',
      past: [sale(day(1))],
      ann: { emails: ['maya@partner.example'] },
      change: { program: { selfReferrals: 'refuse' } },
      now: 'maya 20',
      would: '',
    },
    {
      case: 'a purchase of the partner’s own whose address is erased, refused',
      past: [
        sale(day(1), { erasedSelfReferral: { partnerId: 'maya', by: 'mailbox' } }),
        sale(day(2), { erasedSelfReferral: { partnerId: 'leo', by: 'mailbox' } }),
      ],
      change: { program: { selfReferrals: 'refuse' } },
      now: 'maya 20, maya 20',
      would: 'maya 20',
    },
    {
      case: 'a customer without a row, by its reported id',
      past: [sale(day(1), { customerId: null }), sale(day(2), { customerId: null })],
      change: { program: { rewardInterval: 'one-time' } },
      now: 'maya 20, maya 20',
      would: 'maya 20',
    },
    {
      case: 'what a manager rejected',
      past: [sale(day(1), { earnsNothing: true }), sale(day(2))],
      change: { program: { rewardInterval: 'one-time' } },
      now: 'maya 20',
      would: 'maya 20',
    },
    {
      case: 'an event of another program',
      past: [sale(day(1), { partnerId: 'leo' })],
      leo: { programId: 'program-2' },
      change: { program: { reward: percent(50) } },
      now: '',
      would: '',
    },
  ])('$case', ({ now, would, ...one }) => {
    expect(earned(one)).toEqual({ now, would })
  })

  const inGold = {
    of: { groupId: 'gold' },
    maya: { group: { name: 'Gold', saleReward: null, leadReward: null } },
  }
  test.each<Case & { case: string; now: string; would: string }>([
    {
      case: 'a sale reward',
      past: [sale(day(1)), sale(day(2), { partnerId: 'leo' })],
      ...inGold,
      change: { group: { id: 'gold', saleReward: percent(40) } },
      now: 'maya 20, leo 20',
      would: 'maya 40, leo 20',
    },
    {
      case: 'a lead reward',
      past: [lead(day(1)), sale(day(2))],
      ...inGold,
      change: { group: { id: 'gold', leadReward: flat(250, 'EUR') } },
      now: 'maya 20',
      would: 'maya 2.5, maya 20',
    },
    {
      case: 'no rewards any more',
      past: [lead(day(1)), sale(day(2))],
      of: { groupId: 'gold' },
      maya: { group: { name: 'Gold', saleReward: percent(40), leadReward: flat(100) } },
      change: { group: { id: 'gold', saleReward: null, leadReward: null } },
      now: 'maya 1, maya 40',
      would: 'maya 20',
    },
  ])('of a group: $case', ({ now, would, ...one }) => {
    expect(earned(one)).toEqual({ now, would })
  })
})

/** Under changed terms, the base pays 10%, and a rule 50% where a condition holds. */
const ruled = (condition: Condition): Reward => ({
  ...percent(10),
  rules: [paying(50, condition)],
})
const FIRST: Condition = { fact: 'payment', atMost: 1 }
const paid = (payments: number, firstSaleAt: Date | null = null) => ({
  history: { payments, ofSubscription: null, firstSaleAt },
})
const line = (productId: string, amountCents: number) => ({ productId, quantity: 1, amountCents })

describe('rules', () => {
  test.each<Omit<Case, 'change'> & { case: string; when: Condition; would: string }>([
    {
      case: 'the first payment and the next',
      past: [sale(day(1), paid(0)), sale(day(2), paid(1, day(1)))],
      when: FIRST,
      would: 'maya 50, maya 10',
    },
    {
      case: 'a customer who was imported with a start has paid before',
      past: [sale(day(3), paid(0))],
      ann: {
        referrals: [
          referral('maya', day(2), { source: 'import', startedAt: new Date('2026-01-01') }),
        ],
      },
      when: FIRST,
      would: 'maya 10',
    },
    {
      case: 'months since the first payment',
      past: [sale(day(20), paid(3, new Date('2026-01-01')))],
      when: { fact: 'customerMonths', atLeast: 6 },
      would: 'maya 50',
    },
    {
      case: 'lines, each for itself',
      past: [sale(day(1), { lines: [line('annual', 4_000), line('mug', 6_000)] })],
      when: { fact: 'product', in: ['annual'] },
      would: 'maya 26',
    },
    {
      case: 'metadata',
      past: [sale(day(1), { metadata: { plan: 'pro' } }), sale(day(2))],
      when: { fact: 'metadata', key: 'plan' },
      would: 'maya 50, maya 10',
    },
    {
      case: 'the country',
      past: [sale(day(1), { country: 'DE' }), sale(day(2), { country: 'FR' })],
      when: { fact: 'country', in: ['DE'] },
      would: 'maya 50, maya 10',
    },
    {
      case: 'the link and its channel',
      past: [sale(day(1), { click: { ...click('maya', day(1)), link: 'maya', sub: 'news' } })],
      when: { fact: 'sub', in: ['news'] },
      would: 'maya 50',
    },
    {
      case: 'a coupon of a report, and one of a checkout',
      past: [
        sale(day(1), { coupon: 'TEN' }),
        sale(day(2), { purchase: bought({ coupons: ['TEN'] }) }),
        sale(day(3), { purchase: bought() }),
      ],
      when: { fact: 'coupon', in: ['TEN'] },
      would: 'maya 50, maya 50, maya 10',
    },
    {
      case: 'a sale whose customer was erased keeps its rule',
      past: [
        sale(day(1), { decidedRules: { partnerId: 'maya', rules: ['50 percent'] } }),
        sale(day(2), { decidedRules: { partnerId: 'maya', rules: [null] }, metadata: { plan: 1 } }),
      ],
      when: { fact: 'metadata', key: 'plan' },
      would: 'maya 50, maya 10',
    },
    {
      case: 'the partner’s own reward comes first',
      past: [sale(day(1), paid(0))],
      maya: { ownReward: percent(33) },
      when: FIRST,
      would: 'maya 33',
    },
  ])('$case', ({ when, would, case: _, ...one }) => {
    const change = { program: { reward: ruled(when) } }
    expect(earned({ ...one, change }).would).toBe(would)
    const maya = { ...one.maya, reward: ruled(when) }
    expect(earned({ ...one, maya, change: {} })).toEqual({ now: would, would })
  })
})

describe('attribution', () => {
  const byLeo = { partnerId: 'leo', click: click('leo', day(3)) }
  const first = { program: { attribution: 'first' } } as const
  test.each<Case & { case: string; now: string; would: string }>([
    {
      case: 'a shorter window lets a click expire',
      past: [sale(day(20), { click: click('maya', day(1)) })],
      change: { attributionDays: 7 },
      now: 'maya 20',
      would: '',
    },
    {
      case: 'a longer window credits a click that had expired',
      past: [
        sale(day(20), { click: click('maya', day(1), 7), partnerId: null, attributedBy: null }),
      ],
      change: { attributionDays: 30 },
      now: '',
      would: 'maya 20',
    },
    {
      case: 'of a checkout, the window counts to when it was created',
      past: [
        sale(day(20), { click: click('maya', day(1)), purchase: bought({ referredAt: day(5) }) }),
      ],
      change: { attributionDays: 7 },
      now: 'maya 20',
      would: 'maya 20',
    },
    {
      case: 'a click that would have expired refers nobody',
      past: [
        sale(day(20), { id: 'shorter', click: click('maya', day(1)) }),
        sale(day(21), { attributedBy: 'customer', purchase: bought({ referredAt: day(21) }) }),
      ],
      ann: { referrals: [referral('maya', day(20), { origin: 'shorter' })] },
      change: { attributionDays: 7 },
      now: 'maya 20, maya 20',
      would: '',
    },
    {
      case: 'the first partner prevails over a click',
      past: [sale(day(5), byLeo)],
      ann: { referrals: [referral('maya', day(1)), referral('leo', day(5))] },
      change: first,
      now: 'leo 20',
      would: 'maya 20',
    },
    {
      case: 'a first partner who was banned by then does not, and is credited with nothing',
      past: [sale(day(5), byLeo)],
      of: { formerStatuses: [{ until: day(2), status: 'approved' }] },
      maya: { status: 'banned' },
      ann: { referrals: [referral('maya', day(1)), referral('leo', day(5))] },
      change: first,
      now: 'leo 20',
      would: 'leo 20',
    },
    {
      case: 'a first partner who has been banned since prevails',
      past: [sale(day(5), byLeo)],
      of: { formerStatuses: [{ until: day(9), status: 'approved' }] },
      maya: { status: 'banned' },
      ann: { referrals: [referral('maya', day(1)), referral('leo', day(5))] },
      change: first,
      now: 'leo 20',
      would: 'maya 20',
    },
    {
      case: 'a coupon decides before all others',
      past: [sale(day(5), { ...byLeo, attributedBy: 'coupon', purchase: bought() })],
      ann: { referrals: [referral('maya', day(1))] },
      change: first,
      now: 'leo 20',
      would: 'leo 20',
    },
    {
      case: 'a manager’s decision stays',
      past: [
        sale(day(5), { partnerId: 'leo', attributedBy: 'manual', click: click('maya', day(4)) }),
      ],
      change: { attributionDays: 60 },
      now: 'leo 20',
      would: 'leo 20',
    },
    {
      case: 'known customers are credited without a click, from their referral on',
      past: [
        sale(day(1), { partnerId: null, attributedBy: null }),
        sale(day(5), { partnerId: null, attributedBy: null }),
      ],
      ann: { referrals: [referral('maya', day(3))] },
      change: { program: { attributeKnownCustomers: true } },
      maya: {},
      now: '',
      would: 'maya 20',
    },
    {
      case: 'leads without a click are credited to nobody',
      past: [lead(day(5), { partnerId: null, attributedBy: null })],
      ann: { referrals: [referral('maya', day(3))] },
      maya: { group: { name: 'Gold', saleReward: null, leadReward: flat(100) } },
      change: { program: { attributeKnownCustomers: true } },
      now: '',
      would: '',
    },
    {
      case: 'a guest is owned by nobody',
      past: [sale(day(5), { ...byLeo, purchase: bought() })],
      ann: { isGuest: true, referrals: [referral('maya', day(1))] },
      change: first,
      now: 'leo 20',
      would: 'leo 20',
    },
  ])('$case', ({ now, would, ...one }) => {
    const [event] = one.past
    // The referral that the first event made is known by its id.
    for (const own of one.ann?.referrals ?? [])
      if (own.origin === 'event-shorter') own.origin = event?.id ?? ''
    expect(earned(one)).toEqual({ now, would })
  })

  test('renewals follow the first sale of their subscription to its other partner', () => {
    const start = sale(day(5), { ...byLeo, purchase: bought({ referredAt: day(5) }) })
    const renewal = sale(day(25), {
      partnerId: 'leo',
      attributedBy: 'customer',
      purchase: bought({
        referredAt: day(25),
        firstSale: { id: start.id, partnerId: 'leo', occurredAt: start.occurredAt },
      }),
    })
    const ann = { referrals: [referral('maya', day(1)), referral('leo', day(5))] }
    expect(earned({ past: [start, renewal], ann, change: first })).toEqual({
      now: 'leo 20, leo 20',
      would: 'maya 20, maya 20',
    })
  })

  test('renewals of a subscription whose first sale would be credited to nobody are, too', () => {
    const start = sale(day(20), {
      click: click('maya', day(1)),
      purchase: bought({ referredAt: day(20) }),
    })
    const renewal = sale(day(25), {
      attributedBy: 'customer',
      purchase: bought({
        referredAt: day(25),
        firstSale: { id: start.id, partnerId: 'maya', occurredAt: start.occurredAt },
      }),
    })
    expect(earned({ past: [start, renewal], change: { attributionDays: 7 } })).toEqual({
      now: 'maya 20, maya 20',
      would: '',
    })
  })

  test('a renewal of a subscription that began before the period keeps its partner', () => {
    const firstSale = { id: 'long-ago', partnerId: 'leo', occurredAt: new Date('2026-01-05') }
    const past = [
      sale(day(5), { partnerId: 'leo', attributedBy: 'customer', purchase: bought({ firstSale }) }),
    ]
    const ann = {
      referrals: [
        referral('maya', new Date('2025-12-01')),
        referral('leo', new Date('2026-01-05')),
      ],
    }
    expect(earned({ past, ann, change: first })).toEqual({ now: 'leo 20', would: 'leo 20' })
  })

  test('an event that the change does not concern keeps the partner that was recorded, whatever the facts say now', () => {
    const past = [
      sale(day(5), { partnerId: 'leo', attributedBy: 'click', click: click('maya', day(1)) }),
    ]
    expect(earned({ past, change: { attributionDays: 60 } })).toEqual({
      now: 'leo 20',
      would: 'leo 20',
    })
  })
})

describe('the comparison', () => {
  test('is by currency and partner: the largest differences first, and what is left in one sum', () => {
    const slugs = Array.from({ length: 25 }, (_, index) => `p${String(index).padStart(2, '0')}`)
    const past = {
      since: day(1),
      customers: new Map(),
      tiers: null,
      partners: new Map(slugs.map((slug) => [slug, partner(slug)])),
      events: [
        ...slugs.map((slug, index) =>
          sale(day(1), {
            partnerId: slug,
            customerId: slug,
            sale: { amountCents: BigInt(10_000 * (index + 1)), currency: 'USD' },
          }),
        ),
        sale(day(2), {
          partnerId: 'p00',
          sale: { amountCents: 99_999_999_999_999n, currency: 'JPY' },
        }),
      ],
    }
    const [yen, dollars, ...more] = compare(past, {
      programId: PROGRAM,
      program: { reward: percent(10) },
    })
    expect(more).toEqual([])
    expect(yen).toMatchObject({
      currency: 'JPY',
      currentCents: 20_000_000_000_000,
      changedCents: 10_000_000_000_000,
    })
    expect(dollars).toMatchObject({
      currency: 'USD',
      currentCents: 650_000,
      differenceCents: -325_000,
    })
    expect(dollars?.partners.map(({ slug }) => slug)).toEqual(slugs.slice(5).reverse())
    expect(dollars?.others).toEqual({
      count: 5,
      currentCents: 30_000,
      changedCents: 15_000,
      differenceCents: -15_000,
    })
    for (const { partners, others, ...total } of [yen, dollars].filter(
      (row) => row !== undefined,
    )) {
      for (const sum of ['currentCents', 'changedCents', 'differenceCents'] as const) {
        expect(partners.reduce((all, row) => all + row[sum], others[sum])).toBe(total[sum])
      }
    }
  })

  test('of a group is of its partners, and of others whom it concerns', () => {
    const group = { name: 'Gold', saleReward: percent(0), leadReward: null }
    const terms = { rewardInterval: 'one-time' } as const
    const past = {
      ...pastOf({
        past: [
          sale(day(1)),
          sale(day(2), { partnerId: 'leo' }),
          sale(day(3), { partnerId: 'eve', customerId: 'bob' }),
        ],
      }),
      partners: new Map([
        ['maya', partner('maya', { ...terms, group }, { groupId: 'gold' })],
        ['leo', partner('leo', terms)],
        ['eve', partner('eve', terms)],
      ]),
    }
    // Maya's sale of nothing left the reward to Leo's.
    const change = { programId: PROGRAM, group: { id: 'gold', saleReward: percent(20) } }
    expect(compare(past, change)).toMatchObject([
      {
        currentCents: 2_000,
        changedCents: 2_000,
        partners: [
          { slug: 'leo', currentCents: 2_000, changedCents: 0 },
          { slug: 'maya', currentCents: 0, changedCents: 2_000 },
        ],
        others: { count: 0 },
      },
    ])
  })
})
