/** The partners of past events under changed terms, by the rules that credited them. */

import { attribute } from '../attribution/attribution.ts'
import { renewalOf } from '../attribution/renewals.ts'
import { endOfSecond, ownerInTime, type Referral } from '../identities/owner.ts'
import {
  customerOf,
  factsOf,
  type Past,
  type PastEvent,
  type TermsChange,
  termsAt,
} from './past-events.ts'

/** Whether a change may credit events to other partners. */
export const movesCredit = ({ program = {}, attributionDays }: TermsChange): boolean =>
  program.attribution !== undefined ||
  program.attributeKnownCustomers !== undefined ||
  program.lateLeadDays !== undefined ||
  attributionDays !== undefined

/** The partner of each event, or null, by the event's id. */
export type Credits = ReadonlyMap<string, string | null>

/** The partners under changed terms. Events that the change does not concern keep theirs. */
export const creditAll = (past: Past, change: TermsChange, recorded: Credits): Credits => {
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
    // Terms do not decide these.
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
  const { kind, occurredAt, click, code, purchase } = event
  const find = (id: string | null) => termsAt(past.partners.get(id ?? ''), change, occurredAt)
  const at = purchase ? endOfSecond(occurredAt) : occurredAt
  const own = referrals.get(customerOf(event)) ?? []
  const { ownerId, referredLaterAt } = ownerInTime(own, at, find, undefined)
  const isGuest = past.customers.get(customerOf(event))?.isGuest ?? false
  const clicked = click && find(click.partnerId)
  const first = purchase?.firstSale
  // Null if the terms credit nobody with it; undefined if it is not among the events.
  const decided = first && credits.get(first.id)
  const firstSale = first && (decided === undefined ? first : { ...first, partnerId: decided })
  const facts = {
    click:
      click && clicked
        ? { ...click, expiresAt: expiryOf(click, past, change), partner: clicked }
        : null,
    code: code && { step: code, partner: find(code.facts.partnerId) ?? null },
    customerPartner: (isGuest ? undefined : find(ownerId)) ?? null,
    referredLaterAt,
    purchase: purchase && {
      ...factsOf(purchase, occurredAt),
      renewal: firstSale ? renewalOf(firstSale, own, find, at) : null,
    },
  }
  return (
    attribute({ kind, clickId: click?.id ?? null }, facts, occurredAt).credit?.partner.id ?? null
  )
}

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
    (source === 'click' || source === 'coupon' || source === 'code') &&
    of === programId &&
    referredAt >= past.since
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
