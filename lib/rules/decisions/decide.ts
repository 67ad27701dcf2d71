/** Decides a reported sale or lead: the partner, the commission, and why. */

import {
  attribute,
  type Credit,
  type Facts,
  type PartnerTerms,
} from '../attribution/attribution.ts'
import { payableFrom } from '../attribution/payable-from.ts'
import { selfReferralBy } from '../attribution/self-referrals.ts'
import { emailOf } from '../identities/identities.ts'
import { isProcessorId, SALE_EXPECTED } from '../purchases/processors.ts'
import { earnings, type Money, type Reward } from '../rewards/rewards.ts'
import { refuseByInterval, refuseByMinimum, refuseProration } from '../steps/intervals.ts'
import type { Report } from '../steps/report.ts'
import { rewardFacts, type Step } from '../steps/steps.ts'

export type NewCommission = Money & {
  rewardId: string
  payableAt: Date
  /** Whether it uses up the one-time reward: the database allows one per customer and program. */
  oneTime: boolean
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
    stepsWhenBeaten: [...steps, ...outcome.steps.slice(0, 1), beaten],
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
  facts: Pick<Facts, 'purchase' | 'customerEmails' | 'erasedSelfReferral'>,
  now: Date,
): Outcome => {
  const { purchase } = facts
  const isSale = report.kind === 'sale'
  const { group } = partner
  const groupReward = isSale ? group?.saleReward : group?.leadReward
  const applied = groupReward ?? (isSale ? partner.reward : null)
  if (!applied)
    return { commission: null, steps: [{ code: 'no_reward', facts: { slug: partner.slug } }] }

  const source: Step =
    groupReward && group
      ? { code: 'group_reward', facts: { group: group.name, ...rewardFacts(applied) } }
      : { code: 'program_reward', facts: rewardFacts(applied) }
  const refusal =
    report.sale &&
    (refuseByInterval(partner, partner.firstRewardedAt, now) ??
      refuseByMinimum(partner, report.sale) ??
      refuseProration(partner, applied, purchase?.isProration ?? false))
  if (refusal) return { commission: null, steps: [source, refusal] }

  const earned = earnings(report.sale, applied)
  if (!earned?.amountCents)
    return { commission: null, steps: [source, { code: 'zero_amount', facts: {} }] }

  const own = selfReferral(report, partner, facts)
  // A tag at another domain may be another person: whether it is, a manager decides.
  if (own && !own.facts.by && partner.selfReferrals === 'refuse')
    return { commission: null, steps: [source, own] }

  const payableAt = payableFrom(partner, purchase?.earnedAt ?? now)
  const oneTime = isSale && partner.rewardInterval === 'one-time'
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
    commission: { ...earned, rewardId: applied.id, payableAt, oneTime },
    steps: [source, ...capped(applied, earned), created, ...(own ? [own] : [])],
  }
}

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

/** The step that records that a flat reward was reduced to the amount of the sale. */
const capped = (applied: Reward, { amountCents, currency }: Money): Step[] =>
  applied.kind === 'flat' && amountCents < applied.amountCents
    ? [{ code: 'reward_capped', facts: { saleCents: Number(amountCents), currency } }]
    : []
