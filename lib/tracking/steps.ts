/** The decision trace: stable codes and facts, which are stored, and the words for them, which may improve. */
import { formatMoney } from '../money.ts'
import { counted } from '../plural.ts'
import { type Reward, rewardResponse } from './rewards.ts'

type RewardFacts = { percent: number } | { amountCents: number; currency: string }
type ClickFacts = { clickId: string; slug: string; clickedAt: string; expiresAt: string }

/** One step of a decision. Times are ISO 8601 in UTC, amounts are minor units. */
export type Step =
  | { code: 'coupon'; facts: { couponId: string; slug: string } }
  | { code: 'click'; facts: ClickFacts }
  | { code: 'no_click'; facts: Record<string, never> }
  | { code: 'unknown_click'; facts: { clickId: string } }
  | { code: 'expired_click'; facts: ClickFacts }
  | { code: 'partner_inactive'; facts: { slug: string } }
  | { code: 'customer'; facts: { slug: string; because: 'first_partner' | 'known_customer' | 'owner' } }
  | { code: 'unknown_customer'; facts: Record<string, never> }
  | { code: 'group_reward'; facts: { group: string } & RewardFacts }
  | { code: 'program_reward'; facts: RewardFacts }
  | { code: 'no_reward'; facts: { slug: string } }
  | { code: 'one_time_already_rewarded'; facts: { firstRewardedAt: string } }
  | { code: 'past_reward_duration'; facts: { firstRewardedAt: string; months: number; endedAt: string } }
  | { code: 'zero_amount'; facts: Record<string, never> }
  | {
      code: 'commission_created'
      facts: { slug: string; amountCents: number; currency: string; payableAt: string }
    }
  /** Another partner, or another amount, was credited before this became known. */
  | { code: 'commission_replaced'; facts: { slug: string; amountCents: number; currency: string } }
  /** The same purchase is recorded under another id too, under which it counts. */
  | { code: 'same_purchase'; facts: { externalId: string } }
  /** What the buyer got back or disputes, of what was paid, and what of the commission is taken back for it. */
  | {
      code: 'commission_reversed'
      facts: {
        refundedCents: number
        disputedCents: number
        paidCents: number
        paidCurrency: string
        amountCents: number
        currency: string
      }
    }

/** A reward as a step remembers it. */
export const rewardFacts = (reward: Reward): RewardFacts => {
  const { kind, ...facts } = rewardResponse(reward)
  return facts
}

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
const day = (iso: string): string => DAY.format(new Date(iso))

const pays = (reward: RewardFacts): string =>
  'percent' in reward ? `${reward.percent}% of the sale` : formatMoney(reward.amountCents, reward.currency)

const BECAUSE = {
  first_partner: (slug: string) =>
    `already belongs to “${slug}”, and this program keeps a customer with the first partner.`,
  known_customer: (slug: string) =>
    `belongs to “${slug}”, and this program credits the sales of known customers without a click.`,
  owner: (slug: string) => `belongs to “${slug}”, who is credited with what it pays.`,
}

const givenBack = (facts: { refundedCents: number; disputedCents: number; paidCurrency: string }): string => {
  const { refundedCents, disputedCents, paidCurrency } = facts
  const parts = [
    ...(refundedCents ? [`${formatMoney(refundedCents, paidCurrency)} were refunded`] : []),
    ...(disputedCents ? [`${formatMoney(disputedCents, paidCurrency)} are disputed`] : []),
  ]
  return parts.join(' and ')
}

/** A step in words that a partner manager understands. */
export const explain = (step: Step): string => {
  const { code, facts } = step
  switch (code) {
    case 'coupon':
      return `The checkout used the coupon “${facts.couponId}”, which belongs to “${facts.slug}”.`
    case 'click':
      return `The visitor came through the link of “${facts.slug}” on ${day(facts.clickedAt)}, in a click that counts until ${day(facts.expiresAt)}.`
    case 'no_click':
      return 'The report carried no click id, so nothing ties it to a partner’s link.'
    case 'unknown_click':
      return `The report named the click “${facts.clickId}”, which is not a click of this workspace.`
    case 'expired_click':
      return `The visitor came through the link of “${facts.slug}” on ${day(facts.clickedAt)}, but that click expired on ${day(facts.expiresAt)}.`
    case 'partner_inactive':
      return `The partner “${facts.slug}” is not active, so nothing is credited to it.`
    case 'customer':
      return `The customer ${BECAUSE[facts.because](facts.slug)}`
    case 'unknown_customer':
      return 'No coupon, no click and no partner of the customer ties this to anybody.'
    case 'group_reward':
      return `The partner’s group “${facts.group}” sets the reward: ${pays(facts)}.`
    case 'program_reward':
      return `The program’s reward applies: ${pays(facts)}.`
    case 'no_reward':
      return `“${facts.slug}” is in no group that rewards leads, so the lead is recorded without a commission.`
    case 'one_time_already_rewarded':
      return `This program rewards a customer’s first sale only, and that was rewarded on ${day(facts.firstRewardedAt)}.`
    case 'past_reward_duration':
      return `This program rewards a customer’s sales for ${counted(facts.months, 'month')} after the first on ${day(facts.firstRewardedAt)}; that ended on ${day(facts.endedAt)}.`
    case 'zero_amount':
      return 'The reward comes to nothing for this event, so there is no commission.'
    case 'commission_created':
      return `“${facts.slug}” earned ${formatMoney(facts.amountCents, facts.currency)}, payable from ${day(facts.payableAt)}.`
    case 'commission_replaced':
      return `Before all of this was known, “${facts.slug}” was credited with ${formatMoney(facts.amountCents, facts.currency)}, which was taken back.`
    case 'same_purchase':
      return `This is the same purchase as the sale “${facts.externalId}”, which counts. Nothing is earned twice.`
    case 'commission_reversed':
      return `Of the ${formatMoney(facts.paidCents, facts.paidCurrency)} that were paid, ${givenBack(facts)}, so ${formatMoney(facts.amountCents, facts.currency)} of the commission are taken back.`
  }
}
