/** Decides a reported sale or lead: the partner, the commission, and why. */

import { type Money, sumOf } from '../../values/money.ts'
import {
  attribute,
  type Credit,
  type DecidedBudget,
  type Facts,
  type PartnerTerms,
} from '../attribution/attribution.ts'
import { payableFrom } from '../attribution/payable-from.ts'
import { selfReferralBy } from '../attribution/self-referrals.ts'
import { emailOf } from '../identities/identities.ts'
import { exceedsBudget } from '../programs/budgets.ts'
import { isProcessorId, SALE_EXPECTED } from '../purchases/processors.ts'
import { applyCaps, type CappedEarning, type MonthCap } from '../rewards/caps.ts'
import { NO_PAYMENTS, type SaleFacts } from '../rewards/conditions.ts'
import { cutByLine, earnByLine, type LineEarning, productsOf } from '../rewards/earn-lines.ts'
import { asksFor, earnings, type Reward } from '../rewards/rewards.ts'
import { linesOf } from '../rewards/sale-lines.ts'
import {
  earnsPerProduct,
  refuseByInterval,
  refuseByMinimum,
  refuseProration,
} from '../steps/intervals.ts'
import type { Report } from '../steps/report.ts'
import { lineSteps, rewardFacts, type Step, tierSteps } from '../steps/steps.ts'

export type NewCommission = Money & {
  rewardId: string
  payableAt: Date
  /** Whether it uses up the one-time reward: the database allows one per customer and program. */
  oneTime: boolean
  /** The products whose one-time rewards it uses up, if each product earns one: see `productOf`. */
  products: string[]
  /** Present if the reward caps what the partner earns in a month. */
  monthCap?: MonthCap | null
}

export type Decision = {
  /** The reported click, if the workspace has it, even when it did not decide. */
  clickId: string | null
  credit: Credit | null
  commission: NewCommission | null
  steps: Step[]
  /** The steps if a concurrent sale of the customer has taken the one-time reward. */
  stepsWhenBeaten: Step[]
}

type Outcome = Pick<Decision, 'commission' | 'steps'>

/**
 * A sale earns the group's sale reward, else the program's, as often as the interval allows (spec
 * 4.1, rule 1). A lead earns a commission only when the partner's group has a lead reward (spec
 * 4.2, rule 4).
 */
export const decide = (report: Report, facts: Facts, occurredAt: Date): Decision => {
  const { credit, steps, doubts = [] } = attribute(report, facts, occurredAt)
  const partner = credit?.partner
  const outcome: Outcome = partner
    ? (expectFromProcessor(report, facts) ?? decideReward(report, partner, facts, occurredAt))
    : { commission: null, steps: [] }
  const beaten: Step = {
    code: 'one_time_already_rewarded',
    facts: { firstRewardedAt: occurredAt.toISOString() },
  }
  return {
    clickId: facts.click?.id ?? null,
    credit,
    commission: outcome.commission,
    steps: [...steps, ...outcome.steps, ...(outcome.commission ? doubts : [])],
    stepsWhenBeaten: [
      ...steps,
      ...outcome.steps.slice(0, 1),
      ...tierSteps(outcome.steps),
      beaten,
      ...outcome.steps.filter(({ code }) => code === 'self_referral'),
    ],
  }
}

/** The outcome of a sale whose payment a processor reports under another id. */
const expectFromProcessor = (
  { kind, externalId }: Report,
  { salesFrom = 'both', purchase }: Facts,
): Outcome | null => {
  if (salesFrom === 'both' || salesFrom === 'api') return null
  if (kind === 'lead' || purchase || isProcessorId(externalId)) return null
  return { commission: null, steps: [{ code: SALE_EXPECTED, facts: { processor: salesFrom } }] }
}

/** What a partner earns by an event, and the steps from the reward to the commission. */
export const decideReward = (
  report: Report,
  partner: PartnerTerms,
  facts: RewardedFacts,
  now: Date,
): Outcome => {
  const { purchase } = facts
  const source = rewardOf(report, partner)
  if (!source)
    return { commission: null, steps: [{ code: 'no_reward', facts: { slug: partner.slug } }] }

  const { reward } = source
  const { decidedTier } = facts
  const tier = decidedTier?.partnerId === partner.id ? decidedTier.tier : partner.tier
  const isOneTime = report.kind === 'sale' && partner.rewardInterval === 'one-time'
  const isPerProduct = report.kind === 'sale' && earnsPerProduct(partner)
  const {
    earned,
    steps,
    monthCap,
    products = [],
  } = reward.rules?.length || isPerProduct
    ? earnByRules(report, { ...partner, tier }, reward, facts, now)
    : earnBase(report, partner, reward, facts, now)
  const first: Step[] = [
    source.step,
    ...(tier && asksFor(reward, 'tier') ? [{ code: 'tier' as const, facts: tier }] : []),
  ]
  const own = selfReferral(report, partner, facts)
  // A tag at another domain may be another person: whether it is, a manager decides.
  const isOwn = own !== null && !own.facts.by
  // Tiers and bonuses count a sale that earns nothing, but not a partner's own purchase.
  if (!earned) return { commission: null, steps: [...first, ...steps, ...(isOwn ? [own] : [])] }
  if (isOwn && partner.selfReferrals === 'refuse')
    return { commission: null, steps: [...first, own] }

  const payableAt = payableFrom(partner, purchase?.earnedAt ?? now)
  const created: Step = {
    code: 'commission_created',
    facts: {
      slug: partner.slug,
      amountCents: Number(earned.amountCents),
      currency: earned.currency,
      payableAt: payableAt.toISOString(),
    },
  }
  return {
    commission: {
      ...earned,
      rewardId: reward.id,
      payableAt,
      oneTime: isOneTime && !isPerProduct,
      products: isPerProduct ? products : [],
      ...(monthCap && { monthCap }),
    },
    steps: [
      ...first,
      ...steps,
      created,
      ...(own ? [own] : []),
      ...overBudget(earned, partner, facts.decidedBudget ?? null),
    ],
  }
}

type RewardedFacts = Pick<
  Facts,
  | 'purchase'
  | 'customerEmails'
  | 'erasedSelfReferral'
  | 'decidedRules'
  | 'decidedTier'
  | 'decidedBudget'
  | 'click'
  | 'history'
  | 'earned'
>

/** The reward of a sale is the partner's own, else its group's, else the program's. */
const rewardOf = (
  { kind }: Report,
  { group, ownReward, reward }: PartnerTerms,
): { reward: Reward; step: Step } | null => {
  if (kind === 'sale' && ownReward)
    return { reward: ownReward, step: { code: 'partner_reward', facts: rewardFacts(ownReward) } }
  const ofGroup = kind === 'sale' ? group?.saleReward : group?.leadReward
  if (group && ofGroup) {
    const facts = { group: group.name, ...rewardFacts(ofGroup) }
    return { reward: ofGroup, step: { code: 'group_reward', facts } }
  }
  return kind === 'sale'
    ? { reward, step: { code: 'program_reward', facts: rewardFacts(reward) } }
    : null
}

/** What a reward earns, or null with the step that says why nothing. */
type Earning = {
  earned: Money | null
  steps: Step[]
  monthCap?: MonthCap | null
  /** Those of the lines that earn something. */
  products?: string[]
}

const NOTHING: Step = { code: 'zero_amount', facts: {} }

/** What a reward without rules earns: of the whole sale. */
const earnBase = (
  { sale }: Report,
  partner: PartnerTerms,
  reward: Reward,
  { purchase, earned: before }: RewardedFacts,
  now: Date,
): Earning => {
  const refusal =
    sale &&
    (refuseByInterval(partner, partner.firstRewardedAt, now) ??
      refuseByMinimum(partner, sale) ??
      refuseProration(partner, reward, purchase?.isProration ?? false))
  if (refusal) return { earned: null, steps: [refusal] }
  const earned = earnings(sale, reward)
  if (!earned?.amountCents) return { earned: null, steps: [NOTHING] }
  const left = applyCaps(earned, reward.caps ?? [], partner.id, before)
  return withCaps(earned, left, capped(reward, earned))
}

/** What a reward earns that has rules, or pays once per product: of each line of the sale. */
const earnByRules = (
  report: Report,
  partner: PartnerTerms,
  reward: Reward,
  facts: RewardedFacts,
  now: Date,
): Earning => {
  const { sale, lines = null } = report
  const { firstRewardedAt, rewardInterval, rewardDurationMonths } = partner
  const { decidedRules } = facts
  const refusal =
    sale &&
    ((rewardInterval === 'one-time' ? refuseByInterval(partner, firstRewardedAt, now) : null) ??
      refuseByMinimum(partner, sale))
  if (refusal) return { earned: null, steps: [refusal] }
  const earned = earnByLine(
    reward,
    linesOf(sale?.amountCents ?? 0n, lines),
    askedOf(partner, report, facts, now),
    {
      firstRewardedAt: sale && firstRewardedAt,
      months: rewardDurationMonths,
      rewardedProducts: sale ? partner.rewardedProducts : [],
    },
    // Of an erased customer, the facts that conditions ask for are erased too.
    decidedRules?.partnerId === partner.id ? decidedRules.rules : [],
  )
  const amountCents = sumOf(earned.map(({ earnedCents }) => earnedCents))
  const currency = sale?.currency ?? currencyOf(earned)
  if (!amountCents || !currency)
    return { earned: null, steps: [...lineSteps(earned, sale), NOTHING] }
  const money = { amountCents, currency }
  const left = applyCaps(money, reward.caps ?? [], partner.id, facts.earned)
  const cut = cutByLine(earned, amountCents - left.leftCents)
  return { ...withCaps(money, left, lineSteps(cut, sale)), products: productsOf(cut) }
}

/** What caps leave, with the step of the one that leaves the least. */
const withCaps = (
  { amountCents, currency }: Money,
  { leftCents, applied, monthCap }: CappedEarning,
  steps: Step[],
): Earning => ({
  earned: leftCents ? { amountCents: leftCents, currency } : null,
  steps: applied
    ? [
        ...steps,
        {
          code: 'cap_applied',
          facts: {
            per: applied.per,
            capCents: applied.amountCents,
            beforeCents: Number(amountCents),
            leftCents: Number(leftCents),
            currency,
          },
        },
      ]
    : steps,
  monthCap,
})

/** What the rules of a reward may ask of a sale or lead. */
const askedOf = (
  partner: PartnerTerms,
  { sale, metadata, country, code }: Report,
  { click, purchase, history }: RewardedFacts,
  now: Date,
): SaleFacts => ({
  occurredAt: now,
  sale,
  metadata,
  country: country ?? null,
  coupons: [...(purchase?.coupons ?? []), ...(code?.by === 'coupon' ? [code.value] : [])],
  link: click?.link ?? null,
  sub: click?.sub ?? null,
  tier: partner.tier?.tier ?? null,
  history: history ?? NO_PAYMENTS,
})

/** The currency of a lead's flat reward. */
const currencyOf = ([only]: LineEarning[]): string | null =>
  only?.pay.kind === 'flat' ? only.pay.currency : null

/** The step of a self-referral, unless the program allows it. */
const selfReferral = (
  { customerEmail, customerExternalId }: Report,
  { id, slug, emails, selfReferrals }: PartnerTerms,
  { customerEmails = [], erasedSelfReferral }: Pick<Facts, 'customerEmails' | 'erasedSelfReferral'>,
): Extract<Step, { code: 'self_referral' }> | null => {
  if (selfReferrals === 'allow') return null
  const addresses = [customerEmail, emailOf(customerExternalId), ...customerEmails]
  const erased = erasedSelfReferral?.partnerId === id ? erasedSelfReferral.by : null
  const by = erased === 'mailbox' ? erased : (selfReferralBy(emails, addresses) ?? erased)
  return by && { code: 'self_referral', facts: { slug, ...(by === 'tag' && { by }) } }
}

/**
 * The step that holds what is above the program's budget. A sale that has earned in the program
 * keeps what was decided when it first did.
 */
const overBudget = (
  earned: Money,
  { programId, budget }: PartnerTerms,
  decided: DecidedBudget | null,
): Step[] => {
  if (decided?.programId === programId) return decided.step ? [decided.step] : []
  return budget && exceedsBudget(earned, budget) ? [{ code: 'over_budget', facts: budget }] : []
}

/** The step that records that a flat reward was reduced to the amount of the sale. */
const capped = (applied: Reward, { amountCents, currency }: Money): Step[] =>
  applied.kind === 'flat' && amountCents < applied.amountCents
    ? [{ code: 'reward_capped', facts: { saleCents: Number(amountCents), currency } }]
    : []
