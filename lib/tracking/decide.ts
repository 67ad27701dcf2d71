/** How a reported sale or lead is decided, from what is known: the partner, the commission, and why. */
import { UTCDate } from '@date-fns/utc'
import { addDays } from 'date-fns/addDays'
import { type Attribution, attribute, type Facts, type PartnerTerms } from './attribution.ts'
import { earnings, type Money, refuseByInterval } from './rewards.ts'
import { rewardFacts, type Step } from './steps.ts'

/** A sale or a lead as it was reported, with every default filled in. */
export type Report = {
  kind: 'sale' | 'lead'
  externalId: string
  customerExternalId: string
  customerEmail: string | null
  customerName: string | null
  clickId: string | null
  eventName: string
  metadata: Record<string, unknown> | null
  /** What was sold; a lead has none. */
  sale: Money | null
}

export type NewCommission = Money & {
  rewardId: string
  payableAt: Date
  /** At most one of these exists per customer and program; the database holds it to that. */
  oneTime: boolean
}

export type Decision = {
  /** The click that the report named, if the workspace has it: kept also when it did not decide. */
  clickId: string | null
  credit: Attribution['credit']
  commission: NewCommission | null
  steps: Step[]
  /** The steps to keep instead when another sale of the customer took the one-time reward meanwhile. */
  stepsWhenBeaten: Step[]
  /**
   * True when the decision holds only while the customer is still unknown: where the first partner keeps the
   * customer, two first events at once must not credit two partners.
   */
  needsNewCustomer: boolean
}

type Outcome = Pick<Decision, 'commission' | 'steps'>

/**
 * Decides a reported sale or lead: whom it is credited to, what that partner earns, and why.
 *
 * A sale earns the group's sale reward, else the program's, as often as the interval allows (spec 4.1, rule 1).
 * A lead earns a commission only when the partner's group has a lead reward (spec 4.2, rule 4).
 */
export const decide = (report: Report, facts: Facts, now: Date): Decision => {
  const { credit, steps } = attribute(report, facts, now)
  const partner = credit?.partner
  const outcome: Outcome = partner ? reward(report, partner, now) : { commission: null, steps: [] }
  const beaten: Step = { code: 'one_time_already_rewarded', facts: { firstRewardedAt: now.toISOString() } }
  return {
    clickId: facts.click?.id ?? null,
    credit,
    commission: outcome.commission,
    steps: [...steps, ...outcome.steps],
    stepsWhenBeaten: [...steps, ...outcome.steps.slice(0, -1), beaten],
    needsNewCustomer: partner?.attribution === 'first' && facts.customerPartner === null,
  }
}

/** What a partner earns by an event, and the steps from the reward to the commission. */
const reward = (report: Report, partner: PartnerTerms, now: Date): Outcome => {
  const isSale = report.kind === 'sale'
  const { group } = partner
  const groupReward = isSale ? group?.saleReward : group?.leadReward
  const applied = groupReward ?? (isSale ? partner.reward : null)
  if (!applied) return { commission: null, steps: [{ code: 'no_reward', facts: { slug: partner.slug } }] }

  const source: Step =
    groupReward && group
      ? { code: 'group_reward', facts: { group: group.name, ...rewardFacts(applied) } }
      : { code: 'program_reward', facts: rewardFacts(applied) }
  const refusal = isSale ? refuseByInterval(partner, partner.firstRewardedAt, now) : null
  if (refusal) return { commission: null, steps: [source, refusal] }

  const earned = earnings(report.sale, applied)
  if (!earned?.amountCents) return { commission: null, steps: [source, { code: 'zero_amount', facts: {} }] }

  const payableAt = new Date(addDays(new UTCDate(now), partner.holdingDays))
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
  return { commission: { ...earned, rewardId: applied.id, payableAt, oneTime }, steps: [source, created] }
}
