/** What a merchant, its manager, its buyers and Stripe say, as facts with their times. */

export type Partner = 'maya' | 'leo' | 'nora'
export type Program = 'A' | 'B'
export const PROGRAM_OF: Record<Partner, Program> = { maya: 'A', leo: 'A', nora: 'B' }

export type Terms = {
  reward: { percent: number } | { flatCents: number }
  interval: 'one-time' | 'recurring'
  months: number | null
  attribution: 'first' | 'last'
  knownCustomers: boolean
  /** Within how many days a late lead may follow. */
  lateDays: 0 | 1
}

export type Settings = {
  terms: Record<Program, Terms>
  /** What partners in the group earn. */
  groupPercent: number
  salesFrom: 'both' | 'stripe' | 'api'
}

/** Times are hours; what merchants report is at about 0, since its time is that of its arrival. */
export type Fact = { at: number } & (
  | { kind: 'click'; id: string; partner: Partner }
  | { kind: 'lead'; id: string; customer: string; address: string | null; click: string | null }
  | {
      kind: 'import'
      customer: string
      address: string | null
      partner: Partner
      startedAt: number | null
    }
  | { kind: 'report'; id: string; customer: string; cents: number; click: string | null }
  | Checkout
  | Invoice
  | { kind: 'link'; invoice: string; payment: string }
  | { kind: 'refund'; id: string; payment: string; cents: number }
  /**
   * A refund that the merchant reports, of a purchase under any of its ids; without cents, of all
   * that is left.
   */
  | { kind: 'asked'; id: string; sale: string; cents: number | null }
  | { kind: 'terms'; program: Program; terms: Terms }
  | { kind: 'group'; partner: Partner; isIn: boolean }
  | { kind: 'ban'; partner: Partner; isBanned: boolean }
)

export type Checkout = {
  at: number
  kind: 'checkout'
  id: string
  invoice: string | null
  payment: string | null
  subscription: string | null
  customer: string | null
  metadata: { customerExternalId?: string; externalId?: string }
  address: string
  click: string | null
  coupon: Partner | null
  /** 0 for a trial. */
  gross: number
  net: number
}

export type Invoice = {
  at: number
  kind: 'invoice'
  id: string
  /** Of an old invoice; new ones are linked. */
  payment: string | null
  subscription: string | null
  reason: 'subscription_create' | 'subscription_cycle' | 'subscription_update'
  customer: string
  metadata: { customerExternalId?: string; externalId?: string }
  address: string
  coupon: Partner | null
  gross: number
  net: number
}

type Of<Kind extends Fact['kind']> = Extract<Fact, { kind: Kind }>

export const ofKind = <Kind extends Fact['kind']>(facts: Fact[], kind: Kind) =>
  facts.filter((fact): fact is Of<Kind> => fact.kind === kind)

export const given = (...values: (string | null | undefined)[]): string[] =>
  values.filter((value) => value !== null && value !== undefined)

/** The ids of the purchase that a fact is about. */
export const purchaseIds = (fact: Fact): string[] => {
  if (fact.kind === 'checkout')
    return given(fact.id, fact.invoice, fact.payment, fact.metadata.externalId)
  if (fact.kind === 'invoice') return given(fact.id, fact.payment, fact.metadata.externalId)
  if (fact.kind === 'link') return [fact.invoice, fact.payment]
  if (fact.kind === 'refund') return [fact.payment]
  if (fact.kind === 'asked') return [fact.sale]
  return fact.kind === 'report' ? [fact.id] : []
}

/** The ids of the customer that a fact names. */
export const customerIds = (fact: Fact): string[] => {
  if (fact.kind === 'checkout') return given(fact.customer, fact.metadata.customerExternalId)
  if (fact.kind === 'invoice') return given(fact.customer, fact.metadata.customerExternalId)
  return fact.kind === 'lead' || fact.kind === 'import' || fact.kind === 'report'
    ? [fact.customer]
    : []
}
