/**
 * Why a sale or a lead counted or not, in words for the partner. The steps name other partners,
 * coupon ids, groups and customers. These sentences are about the reader alone.
 */
import { inEnglish, type Message, type Translate } from '../languages/message.ts'
import * as m from '../languages/messages.ts'
import { measureWords } from '../languages/tier-words.ts'
import { SALE_EXPECTED } from '../rules/purchases/processors.ts'
import type { LineRefusal } from '../rules/rewards/earn-lines.ts'
import type { EventKind } from '../rules/steps/event-kinds.ts'
import type { LineFacts, RewardFacts, Step } from '../rules/steps/steps.ts'
import type { TierFacts } from '../rules/tiers/tiers.ts'
import { formatMoney, type MoneyFormat } from '../values/money.ts'

/** The facts that a partner may see of an event. */
export type VisibleEvent = {
  kind: EventKind
  steps: Step[]
  /** Whether the partner is credited. */
  isCredited: boolean
  /** Whether another partner is credited. */
  isCreditedToOther: boolean
  /** Whether its commission belongs to shadow mode, so that another platform pays. */
  isOfShadow: boolean
  /** Whether it came with a click on the partner's link. */
  isClicked: boolean
  /** The partner. Its slug may have been different at the time of a step. */
  partnerId: string
}

const DAY_MS = 86_400_000

type Click = { clickedAt: string; expiresAt: string }

/** The validity of a click, in days. */
const validityOf = ({ clickedAt, expiresAt }: Click): number =>
  Math.round((Date.parse(expiresAt) - Date.parse(clickedAt)) / DAY_MS)

/** A message for each kind of event. */
type ByKind = Record<EventKind, Message>

const TO_OTHER: ByKind = {
  sale: m.why_other_sale,
  lead: m.why_other_lead,
  refund: m.why_other_refund,
}
const NOT_LINKED: ByKind = {
  sale: m.why_not_linked_sale,
  lead: m.why_not_linked_lead,
  refund: m.why_not_linked_refund,
}
const CREDITED_TO_OTHER: ByKind = {
  sale: m.step_other_sale,
  lead: m.step_other_lead,
  refund: m.step_other_refund,
}

/** Why an event earned the partner nothing, as a short phrase; null if it earned a commission. */
export const reasonWithoutCommission = (
  { kind, steps, isCredited, isCreditedToOther }: VisibleEvent,
  t: Translate = inEnglish,
): string | null => {
  if (!isCredited) {
    if (isCreditedToOther) return t(TO_OTHER[kind])
    const expired = steps.find(({ code }) => code === 'expired_click')
    if (expired?.code === 'expired_click')
      return t(m.why_expired, { days: validityOf(expired.facts) })
    if (steps.some(({ code }) => code === 'partner_inactive')) return t(m.why_inactive)
    return t(NOT_LINKED[kind])
  }
  switch (steps.findLast(earnsNothing)?.code) {
    case 'no_reward':
      return t(m.why_no_reward)
    case 'one_time_already_rewarded':
      return t(m.why_first_sale_only)
    case 'past_reward_duration':
      return t(m.why_period_ended)
    case 'below_one_time_minimum':
      return t(m.why_below_minimum)
    case 'proration':
      return t(m.why_proration)
    case 'zero_amount':
      return t(m.why_zero)
    case SALE_EXPECTED:
      return t(m.why_expected)
    case 'self_referral':
      return t(m.why_self_referral)
    case 'commission_rejected':
      return t(m.why_rejected)
    case 'same_purchase':
      return t(m.why_same_purchase)
    case 'cap_applied':
      return t(m.why_cap)
    default:
      return null
  }
}

/** Whether a step ends a decision without a commission. A cap may leave some of it. */
const earnsNothing = ({ code, facts }: Step): boolean =>
  code === 'cap_applied' ? facts.leftCents === 0 : code in EARNS_NOTHING

const EARNS_NOTHING: Partial<Record<Step['code'], true>> = {
  no_reward: true,
  one_time_already_rewarded: true,
  past_reward_duration: true,
  below_one_time_minimum: true,
  proration: true,
  zero_amount: true,
  [SALE_EXPECTED]: true,
  commission_rejected: true,
  same_purchase: true,
}

/**
 * The decision about an event as sentences, without other partners' data.
 * @param money formats its amounts
 */
export const explainToPartner = (
  event: VisibleEvent,
  money: MoneyFormat = formatMoney,
  t: Translate = inEnglish,
): string[] => {
  const sentences = event.steps.flatMap((step) =>
    event.isOfShadow && step.code in OF_MONEY ? [] : (explainStep(step, event, { money, t }) ?? []),
  )
  if (event.isOfShadow) sentences.push(t(m.paid_elsewhere))
  return event.isCreditedToOther ? [...sentences, t(CREDITED_TO_OTHER[event.kind])] : sentences
}

const OF_MONEY: Partial<Record<Step['code'], true>> = {
  group_reward: true,
  program_reward: true,
  partner_reward: true,
  line_reward: true,
  tier: true,
  cap_applied: true,
  reward_capped: true,
  commission_created: true,
  commission_reversed: true,
  commission_rejected: true,
  commission_replaced: true,
  reversed_by_hand: true,
  possible_duplicate: true,
  sale_refunded: true,
}

/** How amounts and texts are written. */
type Writing = { money: MoneyFormat; t: Translate }

/** One step as a sentence, or null if it is about another partner. */
const explainStep = (step: Step, event: VisibleEvent, { money, t }: Writing): string | null => {
  const { code, facts } = step
  const { kind, steps, isCredited, isClicked, partnerId } = event
  switch (code) {
    case 'expired_click':
      if (!isClicked) return null
      return t(m.step_expired_click, {
        clicked: new Date(facts.clickedAt),
        days: validityOf(facts),
        expired: new Date(facts.expiresAt),
      })
    case 'click':
      return isClicked
        ? t(m.step_click, {
            clicked: new Date(facts.clickedAt),
            expires: new Date(facts.expiresAt),
          })
        : null
    case 'partner_inactive':
      return facts.partnerId === partnerId && !isCredited ? t(m.step_inactive) : null
    case 'coupon':
      // A coupon ends the search unless its partner is inactive.
      return isCredited && !steps.some((other) => other.code === 'partner_inactive')
        ? t(m.step_coupon)
        : null
    case 'commission_replaced':
      return isCredited && facts.partnerId === partnerId ? t(m.step_replaced) : null
    case 'credited_by_hand':
      return isCredited && facts.partnerId === partnerId
        ? t(m.step_by_hand, { reason: facts.reason })
        : null
    case 'reversed_by_hand':
      return isCredited && facts.partnerId === partnerId
        ? t(m.step_reversed_by_hand, {
            amount: money(facts.amountCents, facts.currency),
            reason: facts.reason,
          })
        : null
    default:
      return isCredited ? explainToCredited(step, kind, { money, t }) : null
  }
}

/** The steps that only the credited partner sees. */
const explainToCredited = (step: Step, kind: EventKind, { money, t }: Writing): string | null => {
  const { code, facts } = step
  switch (code) {
    case 'customer':
      return t(facts.because === 'first_partner' ? m.step_first_partner : m.step_own_customer)
    case 'group_reward':
    case 'program_reward':
    case 'partner_reward':
      return explainReward(facts, code === 'partner_reward', kind, { money, t })
    case 'line_reward':
      return explainLine(facts, kind, { money, t })
    case 'tier':
      return explainTier(facts, { money, t })
    case 'cap_applied':
      return explainCap(facts, { money, t })
    case 'no_reward':
      return t(m.step_no_reward)
    case 'one_time_already_rewarded':
      return t(m.step_first_sale_only)
    case 'past_reward_duration':
      return t(m.step_period_ended, { months: facts.months, ended: new Date(facts.endedAt) })
    case 'below_one_time_minimum':
      return t(m.step_below_minimum, { amount: money(facts.minimumCents, facts.currency) })
    case 'proration':
      return t(m.step_proration)
    case 'reward_capped':
      return t(m.step_capped)
    case 'zero_amount':
      return t(kind === 'lead' ? m.step_zero_lead : m.step_zero_sale)
    case SALE_EXPECTED:
      return t(m.step_expected)
    case 'possible_duplicate':
      return t(m.step_possible_duplicate)
    case 'commission_rejected':
      return t(m.step_rejected, { amount: money(facts.amountCents, facts.currency) })
    case 'same_purchase':
      return t(m.step_same_purchase)
    case 'commission_created':
      return t(m.step_earned, {
        amount: money(facts.amountCents, facts.currency),
        day: new Date(facts.payableAt),
      })
    case 'refunded_by_hand':
      return t(m.step_refunded_by_hand, { reason: facts.reason })
    case 'sale_refunded':
      return t(m.step_refunded)
    case 'refund_exceeds_sale':
      return t(facts.leftCents === 0 ? m.step_refunded_before : m.step_refund_exceeds)
    case 'refund_currency_mismatch':
      return t(m.step_refund_currency)
    case 'commission_reversed':
      return [
        t(reversalMessage(facts), { amount: money(facts.amountCents, facts.currency) }),
        ...(facts.lines ?? []).map(({ line, reversedCents }) =>
          t(m.step_reversed_line, { line, amount: money(reversedCents, facts.currency) }),
        ),
      ].join(' ')
    default:
      return null
  }
}

const explainReward = (
  facts: RewardFacts,
  isOwn: boolean,
  kind: EventKind,
  { money, t }: Writing,
): string => {
  if ('percent' in facts) {
    const { percent, rules } = facts
    if (rules) return t(m.step_rules_percent, { percent })
    return t(isOwn ? m.step_own_percent : m.step_percent, { percent })
  }
  const amount = money(facts.amountCents, facts.currency)
  if (facts.rules) return t(m.step_rules_amount, { amount })
  if (isOwn) return t(m.step_own_amount, { amount })
  return t(kind === 'lead' ? m.step_reward_lead : m.step_reward_sale, { amount })
}

/** What one line of the sale earned, such as "Line 2, Annual plan: “Annual plans” pays 30%, …". */
const explainLine = (facts: LineFacts, kind: EventKind, { money, t }: Writing): string => {
  const { line, name, productId, rule, pays, currency, refusal, cutCents = 0 } = facts
  const whole = t(kind === 'lead' ? m.line_whole_lead : m.line_whole_sale)
  const parts = [line && t(m.line_of_sale, { line }), name ?? productId].filter(Boolean)
  const of = { what: parts.join(', ') || whole }
  if (refusal) return t(REFUSALS[refusal], of)
  if (!pays) return t(m.line_rule_nothing, { ...of, rule: rule ?? '' })
  const earned = {
    ...of,
    pays: payWords(pays, kind, { money, t }),
    earned: money(facts.earnedCents + cutCents, currency ?? ''),
  }
  const words =
    rule === null ? t(m.line_base_earns, earned) : t(m.line_rule_earns, { ...earned, rule })
  return cutCents ? `${words} ${t(m.line_cut, { cut: money(cutCents, currency ?? '') })}` : words
}

/** The partner's tier at the sale, and the next one. */
const explainTier = (facts: TierFacts, { money, t }: Writing): string => {
  const { tier, by, period, currency, next } = facts
  const words = (amount: number) => measureWords({ by, amount, currency }, { money, t })
  const reached = { reached: words(facts.reached), period, day: new Date(facts.day) }
  return [
    tier === null ? t(m.step_no_tier, reached) : t(m.step_tier, { ...reached, tier }),
    ...(next ? [t(m.step_next_tier, { tier: next.tier, from: words(next.atLeast) })] : []),
  ].join(' ')
}

const explainCap = (
  facts: Extract<Step, { code: 'cap_applied' }>['facts'],
  { money, t }: Writing,
): string => {
  const { per, currency, leftCents } = facts
  const cap = money(facts.capCents, currency)
  if (leftCents === 0) return t(m.step_cap_reached, { cap, per })
  const before = money(facts.beforeCents, currency)
  return t(m.step_cap, { cap, per, left: money(leftCents, currency), before })
}

const REFUSALS: Record<LineRefusal, Message<{ what: string }>> = {
  past_reward_duration: m.line_ended,
  one_time_already_rewarded: m.line_rewarded_before,
  proration: m.line_proration,
  other_currency: m.line_other_currency,
}

const payWords = (
  pays: NonNullable<LineFacts['pays']>,
  kind: EventKind,
  { money, t }: Writing,
): string => {
  if ('percent' in pays) return t(m.pays_percent, { percent: pays.percent })
  const amount = money(pays.amountCents, pays.currency)
  if (pays.per === 'unit') return t(m.pays_per_unit, { amount })
  return t(kind === 'lead' ? m.pays_per_lead : m.pays_per_sale, { amount })
}

/**
 * Why a commission was reversed. The refunded amount is omitted, because it is the merchant's data.
 */
const reversalMessage = ({
  refundedCents,
  disputedCents,
}: {
  refundedCents: number
  disputedCents: number
}) => {
  if (!disputedCents) return m.step_reversed_refund
  return refundedCents ? m.step_reversed_both : m.step_reversed_dispute
}
