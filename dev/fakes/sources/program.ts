/** A program at another platform, in no platform's form: the fakes say it in theirs. */

export type OldPartner = {
  id: string
  /** Null: the platform knows none. */
  email: string | null
  firstName: string
  lastName: string | null
  state: 'active' | 'pending' | 'disabled'
  group: string
  slugs: string[]
  /** Unpaid, in minor units, by currency. */
  balances: Record<string, number>
}

export type OldCoupon = {
  id: string
  partnerId: string
  externalId: string
  code: string
  isArchived: boolean
  /** Entered by hand: some platforms don't know its id then. */
  isManual: boolean
}

export type OldCustomer = {
  id: string
  partnerId: string
  /** Null: a coupon referred the customer. */
  slug: string | null
  /** Null: the customer was deleted at the payment processor. */
  customerId: string | null
  email: string | null
  state: 'visitor' | 'lead' | 'conversion'
  isDeactivated: boolean
  isTest: boolean
  referredAt: string
  startedAt: string | null
}

export type OldCommission = {
  id: string
  partnerId: string
  /** Null: a bonus, for nobody's purchase. */
  customer: OldCustomer | null
  chargeId: string
  state: 'pending' | 'due' | 'paid' | 'voided'
  saleCents: number
  cents: number
  currency: string
  soldAt: string
}

/** What the partners of a group earn: a percentage of a sale, or an amount. */
export type OldReward = {
  id: string
  group: string
  percent: number | null
  cents: number | null
  /** Null: without end. */
  months: number | null
  /** Conditions with other amounts, as Dub has them. */
  modifiers: object[]
}

/** Oldest first. */
export type OldProgram = {
  rewards: OldReward[]
  partners: OldPartner[]
  coupons: OldCoupon[]
  customers: OldCustomer[]
  commissions: OldCommission[]
}

const uuid = (kind: number, n: number): string =>
  `${String(kind).padStart(8, '0')}-0000-4000-8000-${String(n).padStart(12, '0')}`

const DAY_MS = 86_400_000

const dayOf = (n: number): string =>
  new Date(Date.UTC(2025, 0, 1) + (n % 600) * DAY_MS).toISOString()

const STATES = { 17: 'pending', 23: 'disabled' } as const

const partner = (n: number, name: string, links: number): OldPartner => ({
  id: uuid(1, n),
  // One of a hundred has no address.
  email: n % 100 === 99 ? null : `${name}${n}@partner.example`,
  firstName: 'Partner',
  lastName: n % 10 === 3 ? null : `No. ${n}`,
  state: STATES[(n % 30) as keyof typeof STATES] ?? 'active',
  group: n % 7 === 0 ? 'VIP' : 'Default',
  slugs: Array.from({ length: links }, (_, link) =>
    link === 0 ? `${name}-${n}` : `${name}-${n}-${link}`,
  ),
  balances: {
    ...(n % 3 === 0 && { USD: 1_000 + n }),
    ...(n % 50 === 0 && { EUR: 700 }),
  },
})

const customer = (n: number, name: string, of: OldPartner): OldCustomer => ({
  id: uuid(3, n),
  partnerId: of.id,
  slug: n % 9 === 0 ? null : (of.slugs[n % of.slugs.length] ?? null),
  customerId: n % 41 === 40 ? null : `cus_${name}${n}`,
  // Some without either: nobody can tell who they were.
  email: n % 12 === 5 || n % 82 === 81 ? null : `buyer${n}@${name}.example`,
  state: n % 5 === 1 ? 'lead' : 'conversion',
  isDeactivated: n % 200 === 199,
  isTest: n % 500 === 250,
  referredAt: dayOf(n),
  startedAt: n % 5 === 1 ? null : dayOf(n),
})

const REWARDS: OldReward[] = [
  { id: uuid(5, 0), group: 'VIP', percent: 30, cents: null, months: null, modifiers: [] },
  { id: uuid(5, 1), group: 'Default', percent: 20, cents: null, months: 12, modifiers: [] },
]

/**
 * A program with everything that a real one may lack: partners without an address, archived
 * coupons, customers whom a coupon referred, who have no address, or who are gone.
 *
 * @param name begins every slug and id, so that programs of one workspace differ
 */
export const oldProgram = ({
  partners: partnerCount,
  links,
  customers: customerCount,
  commissions: commissionCount = 0,
  name = 'old',
}: {
  partners: number
  links: number
  customers: number
  commissions?: number
  name?: string
}): OldProgram => {
  const partners = Array.from({ length: partnerCount }, (_, n) => {
    const count =
      Math.floor(((n + 1) * links) / partnerCount) - Math.floor((n * links) / partnerCount)
    return partner(n, name, Math.max(count, 1))
  })
  const at = (n: number) => partners[n % partnerCount] ?? partner(0, name, 1)
  const customers = Array.from({ length: customerCount }, (_, n) => customer(n, name, at(n * 7)))
  const buyer = (n: number) => (n % 20 === 18 ? null : (customers[n % customerCount] ?? null))
  return {
    rewards: REWARDS.filter(({ group }) => partners.some((one) => one.group === group)),
    partners,
    coupons: partners.flatMap(({ id }, n) =>
      n % 4 === 0
        ? [
            {
              id: uuid(2, n),
              partnerId: id,
              externalId: `promo_${name}${n}`,
              code: `${name.toUpperCase()}${n}`,
              isArchived: n % 20 === 8,
              isManual: n % 48 === 16,
            },
          ]
        : [],
    ),
    customers: [
      ...customers,
      // Visitors are no customers, and lists without a filter have them too.
      ...Array.from({ length: 5 }, (_, n) => ({
        ...customer(customerCount + n, name, at(n)),
        state: 'visitor' as const,
        customerId: null,
        email: null,
      })),
    ],
    commissions: Array.from({ length: commissionCount }, (_, n) => ({
      id: uuid(4, n),
      // Some customers had another partner before.
      partnerId: n % 30 === 10 ? at(n * 7 + 1).id : (buyer(n)?.partnerId ?? at(n * 7).id),
      customer: buyer(n),
      chargeId: `ch_${name}${n}`,
      state: (['pending', 'due', 'paid', 'voided'] as const)[n % 4] ?? 'due',
      saleCents: 10_000 + n,
      cents: 2_000 + n,
      currency: n % 25 === 24 ? 'EUR' : 'USD',
      soldAt: dayOf(n + 3),
    })),
  }
}
