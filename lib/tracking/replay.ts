/** Decides past events again under other terms of a program, by the rules that decided them. docs/decisions.md, "What-if". */
import { endOfSecond, ownerAt, type Referral, startAt } from '../customers/owner.ts'
import { renewalOf } from '../purchases/known-facts.ts'
import {
  type AttributedBy,
  attribute,
  type Click,
  type PartnerTerms,
  type PurchaseFacts,
} from './attribution.ts'
import { decideReward } from './decide.ts'
import type { Report } from './report.ts'
import type { Money } from './rewards.ts'

/** A recorded sale or lead, as far as its decision depends on it. */
export type PastEvent = Pick<Report, 'kind' | 'externalId' | 'customerExternalId' | 'sale'> & {
  id: string
  occurredAt: Date
  customerId: string | null
  /** As it was decided. */
  partnerId: string | null
  attributedBy: AttributedBy | null
  click: (Omit<Click, 'partner'> & { partnerId: string }) | null
  /** Present for a sale that a payment processor reported. */
  purchase: PastPurchase | undefined
  /** A manager rejected its commission, or the purchase earns as another event. */
  earnsNothing: boolean
}

/** The customer of an event, also one who is not recorded because nobody was credited with anything of it. */
const customerOf = ({ customerId, customerExternalId }: PastEvent): string =>
  customerId ?? `reported ${customerExternalId}`

type PastPurchase = {
  referredAt: Date
  checkoutId: string | null
  isProration: boolean
  /** The earliest other sale of its subscription, if it is earlier. */
  firstSale: { id: string; partnerId: string | null; occurredAt: Date } | null
}

export type PastCustomer = {
  referrals: Referral[]
  emails: string[]
  /** A guest's address is no proof of who it is, so nobody owns it. */
  isGuest: boolean
  /** When the program first rewarded a sale of it that is not among the events. */
  rewardedAt: Date | null
}

export type PastPartner = {
  name: string | null
  groupId: string | null
  /** The present ones. */
  terms: PartnerTerms
  /** The statuses before, and until when it had them, in order. */
  formerStatuses: { until: Date; status: PartnerTerms['status'] }[]
}

export type Past = {
  /** From when referrals are as they would be under the terms, like the events. */
  since: Date
  /** In the order in which they took place. */
  events: PastEvent[]
  customers: ReadonlyMap<string, PastCustomer>
  partners: ReadonlyMap<string, PastPartner>
}

/** The terms of a program that commissions depend on, without those of payment. */
type ReplayedTerms = Pick<
  PartnerTerms,
  | 'reward'
  | 'rewardInterval'
  | 'rewardDurationMonths'
  | 'oneTimeMinimumCents'
  | 'attribution'
  | 'attributeKnownCustomers'
  | 'selfReferrals'
>

/** The terms that differ from the present ones. */
export type TermsChange = {
  programId: string
  program?: Partial<ReplayedTerms>
  attributionDays?: number | undefined
  group?: { id: string } & Partial<Pick<NonNullable<PartnerTerms['group']>, 'saleReward' | 'leadReward'>>
}

/** What an event earns. */
export type Earned = Money & { partnerId: string }

/** What each event's commission was, is or would be, under the present terms and under changed ones. */
export const replay = (past: Past, change: TermsChange): { current: Earned[]; changed: Earned[] } => {
  const present = { programId: change.programId }
  const recorded = new Map(past.events.map(({ id, partnerId }) => [id, partnerId]))
  return {
    current: earnAll(past, present, recorded),
    changed: earnAll(past, change, movesCredit(change) ? creditAll(past, change, recorded) : recorded),
  }
}

/** Whether a change may credit events to other partners. */
export const movesCredit = ({ program = {}, attributionDays }: TermsChange): boolean =>
  program.attribution !== undefined ||
  program.attributeKnownCustomers !== undefined ||
  attributionDays !== undefined

/** The partner of each event, or null, by the event's id. */
type Credits = ReadonlyMap<string, string | null>

/** The partners under changed terms. An event that the change does not concern keeps the recorded one. */
const creditAll = (past: Past, change: TermsChange, recorded: Credits): Credits => {
  const before = attributeAll(past, { programId: change.programId })
  const after = attributeAll(past, change)
  return new Map(
    past.events.map(({ id }) => {
      const credited = after.get(id) ?? null
      return [id, credited === before.get(id) ? (recorded.get(id) ?? null) : credited]
    }),
  )
}

const attributeAll = (past: Past, change: TermsChange): Credits => {
  const referrals = referralsUnder(past, change)
  const credits = new Map<string, string | null>()
  for (const event of past.events) {
    const { id, partnerId, attributedBy } = event
    // The terms have no say in these.
    const isFixed = attributedBy === 'coupon' || attributedBy === 'manual'
    credits.set(id, isFixed ? partnerId : creditOf(event, past, change, referrals, credits))
  }
  return credits
}

const creditOf = (
  event: PastEvent,
  past: Past,
  change: TermsChange,
  referrals: ReadonlyMap<string, Referral[]>,
  credits: Credits,
): string | null => {
  const { kind, occurredAt, click, purchase } = event
  const find = (id: string | null) => termsAt(past.partners.get(id ?? ''), change, occurredAt)
  const own = referrals.get(customerOf(event)) ?? []
  const at = purchase ? endOfSecond(occurredAt) : occurredAt
  const ownerId = past.customers.get(customerOf(event))?.isGuest ? null : ownerAt(own, at)
  const clicked = click && find(click.partnerId)
  const first = purchase?.firstSale
  // Null if the terms credit nobody with it; undefined if it is not among the events.
  const decided = first && credits.get(first.id)
  const firstSale = first && (decided === undefined ? first : { ...first, partnerId: decided })
  const facts = {
    click: click && clicked ? { ...click, expiresAt: expiryOf(click, past, change), partner: clicked } : null,
    customerPartner: find(ownerId) ?? null,
    purchase: purchase && {
      ...factsOf(purchase, occurredAt),
      renewal: firstSale ? renewalOf(firstSale, own, find, at) : null,
    },
  }
  return attribute({ kind, clickId: click?.id ?? null }, facts, occurredAt).credit?.partner.id ?? null
}

const factsOf = ({ referredAt, isProration }: PastPurchase, earnedAt: Date): PurchaseFacts => ({
  coupon: null,
  referredAt,
  earnedAt,
  isProration,
})

const DAY_MS = 24 * 60 * 60_000

/** When a click expires, if it had been made under the terms. */
const expiryOf = (
  { createdAt, expiresAt, partnerId }: NonNullable<PastEvent['click']>,
  { partners }: Past,
  { programId, attributionDays }: TermsChange,
): Date =>
  attributionDays !== undefined && partners.get(partnerId)?.terms.programId === programId
    ? new Date(Number(createdAt) + attributionDays * DAY_MS)
    : expiresAt

/** Who referred each customer, if the events had been recorded under the terms. */
const referralsUnder = (past: Past, change: TermsChange): ReadonlyMap<string, Referral[]> => {
  const { programId, program = {} } = change
  const isFromThen = ({ source, referredAt, programId: of }: Referral) =>
    (source === 'click' || source === 'coupon') && of === programId && referredAt >= past.since
  const referrals = new Map(
    [...past.customers].map(([id, customer]) => [
      id,
      customer.referrals.map((referral) =>
        program.attribution && isFromThen(referral)
          ? { ...referral, attribution: program.attribution }
          : referral,
      ),
    ]),
  )
  for (const event of change.attributionDays === undefined ? [] : past.events) {
    const { id, externalId, click, purchase, occurredAt, attributedBy } = event
    const clicked = termsAt(past.partners.get(click?.partnerId ?? ''), change, occurredAt)
    if (!click || !clicked || attributedBy === 'coupon') continue
    const at = purchase?.referredAt ?? occurredAt
    const [was, is] = [at < click.expiresAt, at < expiryOf(click, past, change)]
    if (was === is) continue
    const customer = customerOf(event)
    const origins = [id, externalId, purchase?.checkoutId]
    const others = (referrals.get(customer) ?? []).filter(({ origin }) => !origins.includes(origin))
    const own: Referral = {
      origin: id,
      partnerId: clicked.id,
      programId: clicked.programId,
      source: 'click',
      attribution: clicked.attribution,
      referredAt: at,
      clickedAt: purchase ? null : click.createdAt,
      startedAt: null,
    }
    referrals.set(customer, is && clicked.status === 'approved' ? [...others, own] : others)
  }
  return referrals
}

/** A partner's terms, with its status at a time. */
const termsAt = (
  partner: PastPartner | undefined,
  { programId, program, group: changedGroup }: TermsChange,
  at: Date,
): PartnerTerms | undefined => {
  if (!partner) return undefined
  const { terms, groupId, formerStatuses } = partner
  const status = formerStatuses.find(({ until }) => until > at)?.status ?? terms.status
  if (terms.programId !== programId) return { ...terms, status }
  const group =
    terms.group && changedGroup?.id === groupId ? { ...terms.group, ...changedGroup } : terms.group
  return { ...terms, ...program, group, status }
}

/** What the events earn in the program, each credited to the partner given. */
const earnAll = (past: Past, change: TermsChange, credits: Credits): Earned[] => {
  const { programId } = change
  const rewarded = new Map<string, Date>()
  const earned: Earned[] = []
  for (const event of past.events) {
    const { id, kind, occurredAt, purchase, earnsNothing } = event
    const terms = termsAt(past.partners.get(credits.get(id) ?? ''), change, occurredAt)
    if (!terms || terms.programId !== programId || earnsNothing) continue
    const key = customerOf(event)
    const customer = past.customers.get(key)
    const firstRewardedAt = earliest([
      customer?.rewardedAt,
      rewarded.get(key),
      customer && startAt(customer.referrals, programId, occurredAt),
    ])
    const facts = {
      customerEmails: customer?.emails,
      purchase: purchase && factsOf(purchase, occurredAt),
    }
    const { commission } = decideReward(reportOf(event), { ...terms, firstRewardedAt }, facts, occurredAt)
    if (!commission) continue
    const { amountCents, currency } = commission
    earned.push({ partnerId: terms.id, amountCents, currency })
    if (kind === 'sale' && !rewarded.has(key)) rewarded.set(key, occurredAt)
  }
  return earned
}

const earliest = (times: (Date | null | undefined)[]): Date | null => {
  const known = times.filter((time) => time != null)
  return known.length ? new Date(Math.min(...known.map(Number))) : null
}

/** The report that it was, or that its payment was taken for. */
const reportOf = ({ kind, externalId, customerExternalId, sale, click }: PastEvent): Report => ({
  kind,
  externalId,
  customerExternalId,
  customerEmail: null,
  customerName: null,
  clickId: click?.id ?? null,
  eventName: kind,
  metadata: null,
  sale,
})
