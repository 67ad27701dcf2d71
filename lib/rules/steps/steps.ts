/** The steps of a decision: stored, stable codes and facts. For their texts, see explain.ts. */
import type { Money } from '../../values/money.ts'
import type { BudgetUse } from '../programs/budgets.ts'
import type { Processor, SALE_EXPECTED } from '../purchases/processors.ts'
import type { Capped } from '../rewards/caps.ts'
import type { LineEarning, LineRefusal } from '../rewards/earn-lines.ts'
import type { Pay, Reward } from '../rewards/rewards.ts'
import type { TierFacts } from '../tiers/tiers.ts'
import { isOfShadowMode, NEVER } from './commissions.ts'
import type { PartnerCode } from './report.ts'

/** The base of a reward, and how many rules it has. */
export type RewardFacts = ({ percent: number } | { amountCents: number; currency: string }) & {
  rules?: number
}

/** What one line of a sale earns under a reward with rules. */
export type LineFacts = {
  /** From 1; absent for a sale without lines. */
  line?: number
  /** The processor's id of the line. */
  id?: string
  productId?: string
  name?: string
  /** Of the line, minor units; absent for a lead. */
  amountCents?: number
  /** Of the rule that decides it; null if the base does. */
  rule: string | null
  pays: { percent: number } | { amountCents: number; currency: string; per: 'sale' | 'unit' } | null
  earnedCents: number
  /** What caps took of it: `earnedCents` is what is left. */
  cutCents?: number
  currency: string | null
  refusal?: LineRefusal
  /** Rules that ask for another currency than the sale's. */
  otherCurrencies?: string[]
}

/** What was returned of a line, net, and what of its part of the commission was reversed. */
export type LineReversal = { line: number; returnedCents: number; reversedCents: number }

export type ClickFacts = { clickId: string; slug: string; clickedAt: string; expiresAt: string }

/** Why a sale is credited to the partner of its customer, beside no click or coupon of its own. */
export type Because =
  | 'first_partner'
  | 'known_customer'
  | 'late_lead'
  | 'owner'
  | 'subscription'
  | 'import'

/** A manager's decision whom an event is credited to. `partnerId` is null if to nobody. */
export type HandCreditStep = {
  code: 'credited_by_hand'
  facts: { slug: string | null; partnerId: string | null; reason: string; by: string }
}

/** What became of the slug or coupon of a report. Only `partner_code` can credit a partner. */
export type CodeStep =
  | { code: 'partner_code'; facts: PartnerCode & { slug: string; partnerId: string } }
  /** The program of the partner does not allow it. */
  | { code: 'code_not_trusted'; facts: PartnerCode & { programId: string } }
  | { code: 'unknown_code'; facts: PartnerCode }
  /** Partners of several programs have it, or several coupons. */
  | { code: 'ambiguous_code'; facts: PartnerCode }

const CODE_STEPS: Step['code'][] = [
  'partner_code',
  'code_not_trusted',
  'unknown_code',
  'ambiguous_code',
]

/** What became of the reported slug or coupon, among the steps of an event. */
export const codeStepOf = (steps: Step[]): CodeStep | null =>
  (steps.find(({ code }) => CODE_STEPS.includes(code)) as CodeStep | undefined) ?? null

/** The manager's decision among the steps of an event, if there is one. */
export const handCreditOf = (steps: Step[]): HandCreditStep | null =>
  steps.find((step) => step.code === 'credited_by_hand') ?? null

/** Why a rule holds the commission of an event, in the order in which it is said. */
export const RULED_HOLDS = [
  'self_referral',
  'late_lead',
  'unverified_address',
  'over_budget',
] as const
export type RuledHold = (typeof RULED_HOLDS)[number]

/** A doubt about who owns the customer: the commission is held. */
export type DoubtStep =
  /** The lead, or its address, came after the payment, or the subscription's first one. */
  | { code: 'late_lead'; facts: { slug: string; referredAt: string } }
  /** The program holds what only an address credits that nobody has verified. */
  | { code: 'unverified_address'; facts: { slug: string } }

/** The commission exceeds what is left of the program's budget of the month, so it is held. */
export type OverBudgetStep = { code: 'over_budget'; facts: BudgetUse }

/** What was decided of a program's budget, among the steps of an event, if it is above it. */
export const overBudgetOf = (steps: Step[]): OverBudgetStep | null =>
  steps.find((step) => step.code === 'over_budget') ?? null

/** The doubts in a decision's steps, and whether only an address says who owns the customer. */
export const doubtsOf = (steps: Step[]): string[] =>
  steps.flatMap(({ code, facts }) => {
    if (code === 'customer') return facts.byAddress ? [facts.byAddress] : []
    return RULED_HOLDS.some((reason) => reason === code) ? [code] : []
  })

/** Why a rule holds the commission of a decision; null if none does, or there is none. */
export const ruledHoldOf = ({ steps }: { steps: Step[] }): RuledHold | null =>
  RULED_HOLDS.find((reason) => steps.some(({ code }) => code === reason)) ?? null

/** One step of a decision. Times are ISO 8601 in UTC, amounts are minor units. */
export type Step =
  | HandCreditStep
  | CodeStep
  | DoubtStep
  | OverBudgetStep
  | { code: 'coupon'; facts: { couponId: string; slug: string } }
  | { code: 'click'; facts: ClickFacts }
  | { code: 'no_click'; facts: Record<string, never> }
  | { code: 'unknown_click'; facts: { clickId: string } }
  | { code: 'expired_click'; facts: ClickFacts }
  | { code: 'later_click'; facts: ClickFacts }
  | { code: 'partner_inactive'; facts: { slug: string; partnerId: string } }
  /** `byAddress`: only a lead's address says who bought, and whether a lead verified it. */
  | {
      code: 'customer'
      facts: { slug: string; because: Because; byAddress?: 'verified' | 'unverified' }
    }
  /** The customer has a partner, but the program credits known customers by clicks only. */
  | { code: 'known_customer_not_credited'; facts: { slug: string; programId: string } }
  | { code: 'unreferred_subscription'; facts: Record<string, never> }
  | { code: 'unknown_customer'; facts: Record<string, never> }
  | { code: 'group_reward'; facts: { group: string } & RewardFacts }
  | { code: 'program_reward'; facts: RewardFacts }
  | { code: 'partner_reward'; facts: RewardFacts }
  | { code: 'line_reward'; facts: LineFacts }
  /** The partner's tier, if the reward asks for it. */
  | { code: 'tier'; facts: TierFacts }
  | { code: 'no_reward'; facts: { slug: string } }
  | { code: 'one_time_already_rewarded'; facts: { firstRewardedAt: string } }
  | {
      code: 'past_reward_duration'
      facts: { firstRewardedAt: string; months: number; endedAt: string }
    }
  /** The sale is smaller than the program's minimum for a one-time reward. */
  | { code: 'below_one_time_minimum'; facts: { minimumCents: number; currency: string } }
  /** A flat recurring reward is not paid for a proration. */
  | { code: 'proration'; facts: Record<string, never> }
  | { code: 'zero_amount'; facts: Record<string, never> }
  /** A flat reward is larger than the sale, and is reduced to it. */
  | { code: 'reward_capped'; facts: { saleCents: number; currency: string } }
  /** A cap of the reward has reduced the commission: to what the sale, customer or month has left. */
  | {
      code: 'cap_applied'
      facts: {
        per: Capped
        capCents: number
        /** What the reward pays without the cap. */
        beforeCents: number
        leftCents: number
        currency: string
      }
    }
  | {
      code: 'commission_created'
      facts: { slug: string; amountCents: number; currency: string; payableAt: string }
    }
  /** Reported by API under an id of the merchant's, while sales come from the payment processor. */
  | { code: typeof SALE_EXPECTED; facts: { processor: Processor } }
  /** The payment processor's sale that looks like the expected one. */
  | { code: 'expected_sale_received'; facts: { externalId: string } }
  /** The sale looks like another one, so its commission is held. */
  | { code: 'possible_duplicate'; facts: { externalId: string } }
  /**
   * The customer's address is the partner's own: the commission is held or refused. `by`: only a
   * tag differs, or the buyer has the partner's name, or the card of somebody with its address.
   */
  | { code: 'self_referral'; facts: { slug: string; by?: 'tag' | 'name' | 'card' } }
  /** A manager rejected the held commission. */
  | { code: 'commission_rejected'; facts: { slug: string; amountCents: number; currency: string } }
  /** Another partner or amount was credited before all facts were known. */
  | {
      code: 'commission_replaced'
      facts: { slug: string; partnerId: string; amountCents: number; currency: string }
    }
  /** A manager reversed some or all of the commission of `partnerId` over `commissionCents`. */
  | {
      code: 'reversed_by_hand'
      facts: {
        slug: string
        partnerId: string
        amountCents: number
        commissionCents: number
        currency: string
        reason: string
        by: string
      }
    }
  /** A manager recorded the refund on the sale's page. */
  | { code: 'refunded_by_hand'; facts: { reason: string; by: string } }
  /** The same purchase is also recorded under another id, which is credited instead. */
  | { code: 'same_purchase'; facts: { externalId: string } }
  /** A refund that the merchant reported before its sale. */
  | {
      code: 'waiting_for_sale'
      facts: { saleExternalId: string; amountCents: number | null; currency: string | null }
    }
  /** What a reported refund counts for, and what it leaves of the sale. */
  | {
      code: 'sale_refunded'
      facts: {
        saleExternalId: string
        amountCents: number
        leftCents: number
        saleCents: number
        currency: string
      }
    }
  /** More was to be refunded than was left of the sale. */
  | {
      code: 'refund_exceeds_sale'
      facts: { requestedCents: number | null; leftCents: number; currency: string }
    }
  /** A refund in another currency than its sale, which was unknown when it was reported. */
  | { code: 'refund_currency_mismatch'; facts: { currency: string; saleCurrency: string } }
  /** What of the payment was refunded or disputed, and what of the commission was reversed. */
  | {
      code: 'commission_reversed'
      facts: {
        refundedCents: number
        disputedCents: number
        /** Refunded too, as tax, shipping or of what was paid in excess: it reverses nothing. */
        exemptCents?: number
        paidCents: number
        paidCurrency: string
        amountCents: number
        currency: string
        /** Of a sale with several lines, those of which something was returned. */
        lines?: LineReversal[]
      }
    }

/** A reward as a step stores it. */
export const rewardFacts = (reward: Reward): RewardFacts => ({
  ...(reward.kind === 'percent'
    ? { percent: reward.basisPoints / 100 }
    : { amountCents: reward.amountCents, currency: reward.currency }),
  ...(reward.rules?.length && { rules: reward.rules.length }),
})

/** The steps of a sale's lines, in their order. */
export const lineSteps = (earnings: LineEarning[], sale: Money | null): Step[] =>
  earnings.map(({ line, rule, pay, earnedCents, cutCents, refusal, otherCurrencies }, i) => ({
    code: 'line_reward',
    facts: {
      ...(earnings.length > 1 && { line: i + 1 }),
      ...(line.id && { id: line.id }),
      ...(line.productId && { productId: line.productId }),
      ...(line.name && { name: line.name }),
      ...(sale && { amountCents: Number(line.amountCents) }),
      rule,
      pays: paysOf(pay),
      earnedCents: Number(earnedCents),
      ...(cutCents && { cutCents: Number(cutCents) }),
      currency: sale?.currency ?? (pay.kind === 'flat' ? pay.currency : null),
      ...(refusal && { refusal }),
      ...(otherCurrencies.length > 0 && { otherCurrencies }),
    },
  }))

/** The tier by which a sale or lead was decided. */
export const tierIn = (steps: Step[]): TierFacts | null =>
  tierSteps(steps).map(({ facts }) => facts)[0] ?? null

/** The same, as it is in the steps. */
export const tierSteps = (steps: Step[]): Extract<Step, { code: 'tier' }>[] =>
  steps.filter((step) => step.code === 'tier')

/** The rules that decide a sale's lines, in their order; null for the base. */
export const decidingRules = (steps: Step[]): (string | null)[] =>
  steps.flatMap((step) => (step.code === 'line_reward' ? [step.facts.rule] : []))

const paysOf = (pay: Pay): LineFacts['pays'] => {
  if (pay.kind === 'none') return null
  if (pay.kind === 'percent') return { percent: pay.basisPoints / 100 }
  const { amountCents, currency, per } = pay
  return { amountCents, currency, per }
}

/** The steps of an event as shown: commissions of shadow mode are never payable. */
export const shownSteps = ({
  steps,
  payableAt,
}: {
  steps: Step[]
  payableAt: Date | null
}): Step[] =>
  payableAt && isOfShadowMode({ payableAt })
    ? steps.map((step) =>
        step.code === 'commission_created'
          ? { ...step, facts: { ...step.facts, payableAt: NEVER.toISOString() } }
          : step,
      )
    : steps
