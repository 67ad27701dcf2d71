/** The difference between a sale and the other platform's commission, and the likely reason. */
import type { HoldReason } from '../../rules/steps/holds.ts'
import type { Step } from '../../rules/steps/steps.ts'
import type { HereSale, ThereSale } from './match.ts'

export const OUTCOMES = ['same', 'different', 'only_here', 'only_there'] as const
export type Outcome = (typeof OUTCOMES)[number]

export const REASONS = {
  // The same amount.
  other_day:
    'The two sides count it on different days, because of a time zone or the time at which it was recorded.',
  // Both have a commission.
  other_partner: 'Another partner is credited.',
  currency: 'The commissions are in different currencies.',
  rounding: 'The amounts differ by one minor unit: rounding.',
  refund_not_seen_there: 'A refund is deducted here. The other platform has not deducted it.',
  refund_not_seen_here:
    'The other platform has voided the commission. No refund was received here.',
  larger_base: 'The same rate of a larger amount: the other platform counts tax, shipping or fees.',
  smaller_base:
    'The same rate of a smaller amount: the other platform leaves out tax, discounts or fees, or has deducted a refund.',
  rate: 'The same sale at another rate: the reward of the program or of the partner’s group differs.',
  amount: 'The amounts differ, and the file does not say of what sale.',
  self_referral_held: 'Held here: the customer’s email address, name or card is the partner’s.',
  late_lead_held: 'Held here: the lead that credits the sale was received after it.',
  over_budget_held: 'Held here: the program’s budget of the month is used up.',
  unverified_address_held: 'Held here: only an unverified address identifies the customer.',
  possible_duplicate_held: 'Held here: the sale looks like another one.',
  held_by_manager: 'Held here by a manager.',
  // Only the other platform has a commission.
  no_click:
    'The sale was reported here without a click, and no partner is credited for the customer.',
  unknown_click: 'The sale was reported here with a click that does not exist.',
  expired_click: 'The click had expired: the program’s attribution window is shorter.',
  later_click: 'The click came after the sale.',
  known_customer_not_credited:
    'The program does not credit sales of known customers without a click.',
  customer_not_imported:
    'The customer is not known here: import the customers of the other platform.',
  sale_not_reported:
    'The customer is known here, and this sale was not received: check what your backend or Stripe reports.',
  test_mode: 'The payment is of the other mode, test or live, which is not counted here.',
  partner_inactive: 'The partner was not active here at the time of the sale.',
  one_time_already_rewarded: 'Only a customer’s first sale is rewarded here. This is a later one.',
  past_reward_duration: 'The duration of the reward was over here.',
  below_one_time_minimum: 'The sale is below the program’s minimum for a one-time reward.',
  self_referral_refused: 'Refused here: the customer’s email address is the partner’s.',
  proration: 'A change of a subscription earns no flat reward here.',
  zero_amount: 'The reward here is zero.',
  rejected_here: 'A manager rejected or reversed it here.',
  other_program: 'Another program of this workspace is credited.',
  sale_expected: 'The sale earns here once Stripe reports it.',
  not_credited: 'The sale is credited to nobody here.',
  second_commission:
    'The other platform has another commission of the same sale, which is compared.',
  // Only Tributary has a commission.
  partner_not_there: 'The other platform’s commissions do not name this partner.',
  not_uploaded_yet: 'The sale is newer than the commissions that were uploaded.',
  not_reported_there: 'The other platform has no commission of this sale.',
} as const
export type Reason = keyof typeof REASONS

export type HereFacts = HereSale & {
  /** The partner who is credited in the program; null if nobody is. */
  partnerEmail: string | null
  /** What it earned before reversals, in the program, and its currency. */
  grossCents: bigint
  earnsCurrency: string | null
  heldFor: HoldReason | null
  steps: Pick<Step, 'code'>[]
  /** Whether a commission of the other platform names the partner. */
  isPartnerThere: boolean
  /** Whether another program of the workspace is credited. */
  isOfOtherProgram: boolean
}

export type ThereFacts = ThereSale & {
  partnerEmail: string | null
  isCustomerKnown: boolean
  /** Whether a payment of this id was refused because of its mode. */
  isOtherMode: boolean
}

export type Compared = { outcome: Outcome; reason: Reason | null }

/** The steps that end a decision without a commission, the last one first. */
const OF_STEP: Partial<Record<Step['code'], Reason>> = {
  one_time_already_rewarded: 'one_time_already_rewarded',
  past_reward_duration: 'past_reward_duration',
  below_one_time_minimum: 'below_one_time_minimum',
  partner_inactive: 'partner_inactive',
  self_referral: 'self_referral_refused',
  proration: 'proration',
  zero_amount: 'zero_amount',
  commission_rejected: 'rejected_here',
  reversed_by_hand: 'rejected_here',
  sale_expected_from_stripe: 'sale_expected',
  expired_click: 'expired_click',
  unknown_click: 'unknown_click',
  later_click: 'later_click',
  known_customer_not_credited: 'known_customer_not_credited',
  unreferred_subscription: 'customer_not_imported',
  no_click: 'no_click',
  unknown_customer: 'customer_not_imported',
}

const HELD: Record<HoldReason, Reason> = {
  self_referral: 'self_referral_held',
  late_lead: 'late_lead_held',
  over_budget: 'over_budget_held',
  unverified_address: 'unverified_address_held',
  possible_duplicate: 'possible_duplicate_held',
  manual: 'held_by_manager',
}

/** Why a sale of ours earns nothing in the program. */
const reasonOfNothing = ({ steps, isOfOtherProgram, grossCents }: HereFacts): Reason => {
  if (isOfOtherProgram) return 'other_program'
  const codes = steps.map(({ code }) => code)
  // Its earnings were reversed in full.
  if (grossCents > 0n)
    return codes.includes('reversed_by_hand') ? 'rejected_here' : 'refund_not_seen_there'
  for (const code of Object.keys(OF_STEP) as Step['code'][]) {
    if (codes.includes(code)) return OF_STEP[code] ?? 'not_credited'
  }
  return 'not_credited'
}

const reasonOfMissing = (
  { isOtherMode, isCustomerKnown }: ThereFacts,
  isSecond: boolean,
): Reason => {
  if (isSecond) return 'second_commission'
  if (isOtherMode) return 'test_mode'
  return isCustomerKnown ? 'sale_not_reported' : 'customer_not_imported'
}

const abs = (cents: bigint): bigint => (cents < 0n ? -cents : cents)

/** Whether two commissions are the same share of two sales, as exactly as they are rounded. */
const areSameRate = (a: { of: bigint; cents: bigint }, b: { of: bigint; cents: bigint }): boolean =>
  abs(a.cents * b.of - b.cents * a.of) <= a.of + b.of

const reasonOfDifference = (here: HereFacts, there: ThereFacts): Reason => {
  const { earnsCents, grossCents, amountCents } = here
  if (here.partnerEmail !== there.partnerEmail && there.partnerEmail !== null)
    return 'other_partner'
  if (here.earnsCurrency !== there.currency) return 'currency'
  if (here.heldFor) return HELD[here.heldFor]
  if (abs(earnsCents - there.amountCents) === 1n) return 'rounding'
  if (earnsCents < grossCents && abs(grossCents - there.amountCents) <= 1n)
    return 'refund_not_seen_there'
  if (there.saleCents === null) return 'amount'
  const theirs = { of: there.saleCents, cents: there.amountCents }
  if (
    there.saleCents !== amountCents &&
    areSameRate({ of: amountCents, cents: grossCents }, theirs)
  )
    return there.saleCents > amountCents ? 'larger_base' : 'smaller_base'
  return 'rate'
}

const dayOf = (at: Date): string => at.toISOString().slice(0, 10)

/**
 * Compares a sale of ours with the commission that it matches, or with none.
 *
 * @param newestAt the newest time of the commissions that were uploaded
 * @param isSecond whether the commission names a sale that matches another one of its commissions
 * @returns null if neither side has a commission of it
 */
export const compareSale = (
  here: HereFacts | null,
  there: ThereFacts | null,
  newestAt: Date | null,
  isSecond = false,
): Compared | null => {
  const has = {
    here: here !== null && here.earnsCents > 0n,
    there: there !== null && !there.isVoided && there.amountCents !== 0n,
  }
  if (!has.here && !has.there) return null
  if (!here || !has.here) {
    if (!there) return null
    return {
      outcome: 'only_there',
      reason: here ? reasonOfNothing(here) : reasonOfMissing(there, isSecond),
    }
  }
  if (!there || !has.there) {
    if (there) return { outcome: 'only_here', reason: 'refund_not_seen_here' }
    if (newestAt === null || here.at > newestAt)
      return { outcome: 'only_here', reason: 'not_uploaded_yet' }
    if (here.heldFor) return { outcome: 'only_here', reason: HELD[here.heldFor] }
    return {
      outcome: 'only_here',
      reason: here.isPartnerThere ? 'not_reported_there' : 'partner_not_there',
    }
  }
  const isSamePartner = there.partnerEmail === null || here.partnerEmail === there.partnerEmail
  const isEqual =
    isSamePartner && here.earnsCurrency === there.currency && here.earnsCents === there.amountCents
  if (!isEqual || here.heldFor)
    return { outcome: 'different', reason: reasonOfDifference(here, there) }
  return { outcome: 'same', reason: dayOf(here.at) === dayOf(there.at) ? null : 'other_day' }
}
