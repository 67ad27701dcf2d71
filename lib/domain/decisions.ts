/** How a reported sale or lead is decided, from what is known: the partner, the commission, and why. */
import { UTCDate } from '@date-fns/utc'
import { addDays } from 'date-fns'
import {
  type AttributedBy,
  type Attribution,
  attribute,
  type Facts,
  type PartnerTerms,
} from './attribution.ts'
import { earnings, type Money, type Reward, refuseByInterval } from './rewards.ts'
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

type NewCommission = Money & {
  rewardId: string
  payableAt: Date
  /** At most one of these exists per customer and program; the database holds it to that. */
  oneTime: boolean
}

export type Decision = {
  /** The click that the report named, if the workspace has it: kept also when it did not decide. */
  clickId: string | null
  credit: { partner: PartnerTerms; by: AttributedBy } | null
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

/** Decides a sale: the partner's group reward, else the program's, as often as the interval allows. Spec 4.1. */
export const decideSale = (report: Report, facts: Facts, now: Date): Decision =>
  decide(report, facts, now, ({ credit, steps }, partner) => {
    const { reward, step } = partner.group?.saleReward
      ? groupReward(partner.group.name, partner.group.saleReward)
      : {
          reward: partner.reward,
          step: { code: 'program_reward', facts: rewardFacts(partner.reward) } as const,
        }
    const soFar = [...steps, step]

    const refusal = refuseByInterval(partner, partner.firstRewardedAt, now)
    if (refusal) return { credit, commission: null, steps: [...soFar, refusalStep(refusal)] }
    return { credit, ...reap(report, partner, reward, soFar, now, partner.rewardInterval === 'one-time') }
  })

/** Decides a lead: it earns a commission only when the partner's group has a lead reward. Spec 4.2, rule 4. */
export const decideLead = (report: Report, facts: Facts, now: Date): Decision =>
  decide(report, facts, now, ({ credit, steps }, partner) => {
    if (!partner.group?.leadReward) {
      return {
        credit,
        commission: null,
        steps: [...steps, { code: 'no_reward', facts: { slug: partner.slug } }],
      }
    }
    const { reward, step } = groupReward(partner.group.name, partner.group.leadReward)
    return { credit, ...reap(report, partner, reward, [...steps, step], now, false) }
  })

type Outcome = Pick<Decision, 'credit' | 'commission' | 'steps'>

const decide = (
  report: Report,
  facts: Facts,
  now: Date,
  rewardPartner: (attribution: Attribution, partner: PartnerTerms) => Outcome,
): Decision => {
  const attribution = attribute(report, facts, now)
  const partner = attribution.credit?.partner
  const outcome = partner ? rewardPartner(attribution, partner) : { ...attribution, commission: null }
  return {
    ...outcome,
    clickId: facts.click?.id ?? null,
    stepsWhenBeaten: [
      ...outcome.steps.filter((step) => step.code !== 'commission_created'),
      { code: 'one_time_already_rewarded', facts: { firstRewardedAt: now.toISOString() } },
    ],
    needsNewCustomer: partner?.attribution === 'first' && facts.customerPartner === null,
  }
}

const groupReward = (group: string, reward: Reward) => ({
  reward,
  step: { code: 'group_reward', facts: { group, ...rewardFacts(reward) } } as const,
})

const refusalStep = (refusal: NonNullable<ReturnType<typeof refuseByInterval>>): Step =>
  refusal.code === 'one_time_already_rewarded'
    ? { code: refusal.code, facts: { firstRewardedAt: refusal.firstRewardedAt.toISOString() } }
    : {
        code: refusal.code,
        facts: {
          firstRewardedAt: refusal.firstRewardedAt.toISOString(),
          months: refusal.months,
          endedAt: refusal.endedAt.toISOString(),
        },
      }

/** The commission that a reward pays for this event, held for the program's days; none when it comes to nothing. */
const reap = (
  report: Report,
  partner: PartnerTerms,
  reward: Reward,
  soFar: Step[],
  now: Date,
  oneTime: boolean,
): Pick<Decision, 'commission' | 'steps'> => {
  const earned = earnings(report.sale, reward)
  if (!earned?.amountCents) return { commission: null, steps: [...soFar, { code: 'zero_amount', facts: {} }] }

  const payableAt = new Date(addDays(new UTCDate(now), partner.holdingDays))
  const step: Step = {
    code: 'commission_created',
    facts: {
      slug: partner.slug,
      amountCents: Number(earned.amountCents),
      currency: earned.currency,
      payableAt: payableAt.toISOString(),
    },
  }
  return { commission: { ...earned, rewardId: reward.id, payableAt, oneTime }, steps: [...soFar, step] }
}
