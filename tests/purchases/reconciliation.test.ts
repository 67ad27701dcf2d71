import { expect, test } from 'vitest'
import type { RecordedSale, SaleChange, Settlement } from '../../lib/purchases/plan.ts'
import { explainLack, isLacking } from '../../lib/purchases/reconciliation.ts'

const usd = (amountCents: bigint) => ({ amountCents, currency: 'USD' })

const UNCREDITED: SaleChange = {
  externalId: 'in_1',
  customerExternalId: 'cus_1',
  sale: usd(4_900n),
  clickId: null,
  credit: null,
  occurredAt: new Date(0),
  needsUnknownCustomer: false,
}
const RECORDED: RecordedSale = {
  id: 'a',
  externalId: 'in_1',
  customerExternalId: 'cus_1',
  occurredAt: new Date(0),
  partnerId: null,
  attributedBy: null,
  clickId: null,
  sale: usd(4_000n),
  steps: [],
  commission: null,
  revision: 0,
}
const NOTHING: Settlement = {
  sale: null,
  steps: null,
  customer: null,
  commission: null,
  reversals: [],
  duplicates: [],
  outcome: { code: 'nothing_changed', facts: { externalId: 'in_1' } },
}
const CUSTOMER = {
  externalId: 'cus_1',
  stripeCustomerId: 'cus_1',
  email: null,
  name: null,
  partnerId: 'maya',
  referredAt: null,
}
const changed = (amountCents: number): Partial<Settlement> => ({
  outcome: {
    code: 'commission_changed',
    facts: { externalId: 'in_1', amountCents, currency: 'USD', slug: 'maya' },
  },
})

test.each<{ case: string; settlement: Partial<Settlement>; recorded: RecordedSale | null; says: string }>([
  {
    case: 'a sale of which nothing is known',
    settlement: { sale: UNCREDITED },
    recorded: null,
    says: 'not recorded: nobody to credit',
  },
  {
    case: 'a sale of another amount',
    settlement: { sale: UNCREDITED },
    recorded: RECORDED,
    says: 'recorded as 40.00 USD instead of 49.00 USD: nobody to credit',
  },
  {
    case: 'a sale of another partner',
    settlement: { sale: UNCREDITED },
    recorded: { ...RECORDED, partnerId: 'leo' },
    says: 'recorded, but credited to another partner: nobody to credit',
  },
  {
    case: 'a refund that was told, and not settled',
    settlement: changed(-490),
    recorded: RECORDED,
    says: 'recorded, but 4.90 USD of the commission of “maya” is not taken back',
  },
  {
    case: 'a refund that failed',
    settlement: changed(490),
    recorded: RECORDED,
    says: 'recorded, but 4.90 USD of the commission of “maya” is not given again',
  },
  {
    case: 'a customer whom only the merchant’s id names',
    settlement: { customer: CUSTOMER },
    recorded: RECORDED,
    says: 'recorded, but the customer is not known by its id at Stripe',
  },
])('$case', ({ settlement, recorded, says }) => {
  expect(explainLack({ ...NOTHING, ...settlement }, recorded)).toBe(says)
})

test.each<{ case: string; settlement: Partial<Settlement>; hasNews: boolean; lacking: boolean }>([
  { case: 'nothing to change', settlement: {}, hasNews: true, lacking: false },
  { case: 'a sale to record', settlement: { sale: UNCREDITED }, hasNews: false, lacking: true },
  { case: 'a customer to be made known', settlement: { customer: CUSTOMER }, hasNews: true, lacking: true },
  {
    case: 'a customer of whom all is told',
    settlement: { customer: CUSTOMER },
    hasNews: false,
    lacking: false,
  },
])('$case: $lacking', ({ settlement, hasNews, lacking }) => {
  expect(isLacking({ ...NOTHING, ...settlement }, hasNews)).toBe(lacking)
})
