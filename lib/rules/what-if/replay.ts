/** Recomputes past events under other terms of a program. docs/decisions.md, "What-if". */

import type { Money } from '../../values/money.ts'
import { recountedOf } from '../decisions/amounts.ts'
import { decideReward } from '../decisions/decide.ts'
import { type Credits, creditAll, movesCredit } from '../decisions/past-credits.ts'
import {
  customerOf,
  factsOf,
  type Past,
  type PastEvent,
  type TermsChange,
  termsAt,
} from '../decisions/past-events.ts'
import { withImport } from '../decisions/payment-history.ts'
import { endOfSecond, startAt } from '../identities/owner.ts'
import { type EarnedSum, monthOf } from '../rewards/caps.ts'
import { asFirstPayment } from '../rewards/sale-lines.ts'
import { earnsPerProduct } from '../steps/intervals.ts'
import type { Report } from '../steps/report.ts'
import { pastTierOf } from '../tiers/past-tiers.ts'

/** What an event earns. */
export type Earned = Money & { partnerId: string }

/** What each event earns, or would earn: under the present terms, and under changed ones. */
export const replay = (
  past: Past,
  change: TermsChange,
): { current: Earned[]; changed: Earned[] } => {
  const present = { programId: change.programId }
  const recorded = new Map(past.events.map(({ id, partnerId }) => [id, partnerId]))
  return {
    current: earnAll(past, present, recorded),
    changed: earnAll(
      past,
      change,
      movesCredit(change) ? creditAll(past, change, recorded) : recorded,
    ),
  }
}

/** What the events earn in the program, each credited to the partner given. */
const earnAll = (past: Past, change: TermsChange, credits: Credits): Earned[] => {
  const { programId } = change
  const rewarded = new Map<string, Date>()
  const products = new Map<string, string[]>()
  const subscriptions = new Map(
    [...past.customers.values()].flatMap((customer) =>
      customer.rewardedSubscriptions.map(({ id, rewardedAt }) => [id, rewardedAt] as const),
    ),
  )
  const ofCustomers = new Map<string, EarnedSum[]>(
    [...past.customers].map(([id, customer]) => [id, customer.earned]),
  )
  const inMonths = new Map<string, EarnedSum[]>(
    Map.groupBy(
      [...past.partners.values()].flatMap((partner) => partner.earned),
      ({ month }) => month,
    ),
  )
  const earned: Earned[] = []
  for (const event of past.events) {
    const { id, kind, occurredAt, purchase, earnsNothing, erasedSelfReferral } = event
    const terms = termsAt(past.partners.get(credits.get(id) ?? ''), change, occurredAt)
    if (!terms || terms.programId !== programId || earnsNothing) continue
    const key = customerOf(event)
    const customer = past.customers.get(key)
    const startedAt = customer && startAt(customer.referrals, programId, occurredAt)
    const firstRewardedAt = earliest([customer?.rewardedAt, rewarded.get(key), startedAt])
    const rewardedProducts = [...(customer?.rewardedProducts ?? []), ...(products.get(key) ?? [])]
    const used = earnsPerProduct(terms)
      ? { firstRewardedAt: startedAt ?? null, rewardedProducts }
      : { firstRewardedAt }
    const subscription = purchase?.subscription ?? null
    const rewardedAt = subscription === null ? firstRewardedAt : subscriptions.get(subscription)
    // As a purchase's isRewardedBefore.
    const isRewardedBefore = rewardedAt ? rewardedAt <= occurredAt : false
    const paidAt = purchase ? endOfSecond(occurredAt) : occurredAt
    const facts = {
      click: event.click && { ...event.click, partner: terms },
      history: event.history
        ? withImport(event.history, customer?.referrals ?? [], paidAt)
        : undefined,
      customerEmails: customer?.emails,
      erasedSelfReferral,
      decidedRules: event.decidedRules,
      decidedTier: event.decidedTier,
      earned: {
        ofCustomer: ofCustomers.get(key) ?? [],
        month: monthOf(occurredAt),
        inMonth: inMonths.get(monthOf(occurredAt)) ?? [],
      },
      purchase:
        purchase &&
        factsOf({ ...purchase, isProration: purchase.isProration && isRewardedBefore }, occurredAt),
    }
    const sale =
      (event.sale && purchase && recountedOf(event.sale, purchase.paid, terms)) ?? event.sale
    const { commission } = decideReward(
      reportOf({ ...event, sale }, isRewardedBefore),
      { ...terms, ...used, tier: past.tiers && pastTierOf(past.tiers, terms.id, occurredAt) },
      facts,
      occurredAt,
    )
    if (!commission) continue
    const { amountCents, currency } = commission
    earned.push({ partnerId: terms.id, amountCents, currency })
    if (kind !== 'sale') continue
    const sum = { partnerId: terms.id, currency, cents: Number(amountCents) }
    add(ofCustomers, key, sum)
    add(inMonths, monthOf(occurredAt), sum)
    if (!rewarded.has(key)) rewarded.set(key, occurredAt)
    products.set(key, [...(products.get(key) ?? []), ...commission.products])
    if (subscription !== null && !isRewardedBefore) subscriptions.set(subscription, occurredAt)
  }
  return earned
}

/** Adds an amount to those that caps count. */
const add = (sums: Map<string, EarnedSum[]>, key: string, { cents, ...of }: EarnedSum): void => {
  const known = sums.get(key) ?? []
  const isSame = (one: EarnedSum) => one.partnerId === of.partnerId && one.currency === of.currency
  const before = known.filter(isSame).reduce((sum, one) => sum + one.cents, 0)
  sums.set(key, [...known.filter((one) => !isSame(one)), { ...of, cents: before + cents }])
}

const earliest = (times: (Date | null | undefined)[]): Date | null => {
  const known = times.filter((time) => time != null)
  return known.length ? new Date(Math.min(...known.map(Number))) : null
}

/** The report that it was, or that its payment was taken for. */
const reportOf = (event: PastEvent, isRewardedBefore: boolean): Report => {
  const { kind, externalId, customerExternalId, sale, click, metadata, lines, country } = event
  const { coupon, purchase } = event
  return {
    kind,
    externalId,
    customerExternalId,
    customerEmail: null,
    customerName: null,
    clickId: click?.id ?? null,
    eventName: kind,
    metadata,
    sale,
    ...(coupon && { code: { by: 'coupon', value: coupon } }),
    lines: (purchase && !isRewardedBefore ? lines?.map(asFirstPayment) : lines) ?? undefined,
    country: country ?? undefined,
  }
}
