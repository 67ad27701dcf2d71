import { expect, test } from 'vitest'
import { explainMissing, isMissing } from '../../lib/purchases/reconcile/reconciliation.ts'
import type {
  PurchasePlan,
  RecordedSale,
  SaleChange,
  SalePlan,
} from '../../lib/rules/plans/plan.ts'

const usd = (amountCents: bigint) => ({ amountCents, currency: 'USD' })

const UNCREDITED: SaleChange = {
  externalId: 'in_1',
  addressedId: null,
  customerExternalId: 'cus_1',
  sale: usd(4_900n),
  lines: null,
  country: null,
  coupons: [],
  clickId: null,
  credit: null,
  occurredAt: new Date(0),
  subscriptionId: null,
}
const RECORDED: RecordedSale = {
  id: 'a',
  externalId: 'in_1',
  customerExternalId: 'cus_1',
  occurredAt: new Date(0),
  partnerId: null,
  attributedBy: null,
  customerId: null,
  addressedId: null,
  subscriptionId: null,
  reportOccurredAt: null,
  clickId: null,
  sale: usd(4_000n),
  returnedCents: 0n,
  lines: null,
  country: null,
  metadata: null,
  coupon: null,
  coupons: [],
  isErased: false,
  steps: [],
  commission: null,
  lastCommissionId: null,
  revision: 0,
}
const NOTHING: PurchasePlan = {
  sale: { kind: 'keep', recorded: RECORDED },
  customer: null,
  duplicates: [],
  refunds: [],
  outcome: { code: 'nothing_changed', facts: { externalId: 'in_1' } },
}
const CREATE: SalePlan = {
  kind: 'create',
  change: UNCREDITED,
  returnedCents: 0n,
  steps: [],
  commission: null,
  oneTime: null,
  monthCap: null,
}
const update = (recorded: RecordedSale): SalePlan => ({
  kind: 'update',
  recorded,
  change: UNCREDITED,
  returnedCents: 0n,
  steps: [],
  commission: null,
  keepsCommission: false,
  oneTime: null,
  monthCap: null,
  reversals: [],
})
const CUSTOMER = {
  id: 'customer',
  revision: 0,
  email: null,
  name: null,
  referral: null,
  origins: [],
  replanFrom: null,
}
const adjust = (returnedCents: bigint): SalePlan => ({
  kind: 'adjust',
  recorded: RECORDED,
  returnedCents,
  steps: [],
  reversals: [],
})
const changed = (amountCents: number): Partial<PurchasePlan> => ({
  sale: adjust(0n),
  outcome: {
    code: 'commission_changed',
    facts: { externalId: 'in_1', amountCents, currency: 'USD', slug: 'maya' },
  },
})

test.each<{ case: string; plan: Partial<PurchasePlan>; explanation: string }>([
  {
    case: 'a sale that is not recorded',
    plan: { sale: CREATE },
    explanation: 'not recorded: no partner to credit',
  },
  {
    case: 'a sale of another amount',
    plan: { sale: update(RECORDED) },
    explanation: 'recorded as 40.00 USD instead of 49.00 USD: no partner to credit',
  },
  {
    case: 'a sale of another partner',
    plan: { sale: update({ ...RECORDED, partnerId: 'leo' }) },
    explanation: 'recorded, but credited to another partner: no partner to credit',
  },
  {
    case: 'a refund that was received, and not applied',
    plan: changed(-490),
    explanation: 'recorded, but 4.90 USD of the commission of “maya” is not reversed',
  },
  {
    case: 'a refund that failed',
    plan: changed(490),
    explanation: 'recorded, but 4.90 USD of the commission of “maya” is not reinstated',
  },
  {
    case: 'a refund of a sale that earns nothing',
    plan: { sale: adjust(490n) },
    explanation: 'recorded, but as 0.00 USD returned of it instead of 4.90 USD',
  },
  {
    case: 'a credit note that names other lines',
    plan: { sale: adjust(0n) },
    explanation: 'recorded, but as a return of other lines',
  },
  {
    case: 'a customer known by the merchant’s id only',
    plan: { customer: CUSTOMER },
    explanation: 'recorded, but the customer is not known by its id at the payment processor',
  },
])('$case', ({ plan, explanation }) => {
  expect(explainMissing({ ...NOTHING, ...plan })).toBe(explanation)
})

test.each<{ case: string; plan: Partial<PurchasePlan>; isUnreceived: boolean; missing: boolean }>([
  { case: 'nothing to change', plan: {}, isUnreceived: true, missing: false },
  { case: 'a sale to record', plan: { sale: CREATE }, isUnreceived: false, missing: true },
  { case: 'a customer to link', plan: { customer: CUSTOMER }, isUnreceived: true, missing: true },
  {
    case: 'a customer whose events were all received',
    plan: { customer: CUSTOMER },
    isUnreceived: false,
    missing: false,
  },
])('$case: $missing', ({ plan, isUnreceived, missing }) => {
  expect(isMissing({ ...NOTHING, ...plan }, isUnreceived)).toBe(missing)
})
