/**
 * Why a sale or a lead counted or not, in words for the partner. The steps of a decision know other partners, coupon
 * ids, groups and the merchant's customers; these words tell of the reader alone.
 */
import { formatMoney } from '../money.ts'
import { counted } from '../plural.ts'
import type { Step } from '../tracking/steps.ts'

/** An event as one partner may know it. */
export type SeenEvent = {
  kind: 'sale' | 'lead'
  steps: Step[]
  /** Whether the reader is credited with it. */
  isCredited: boolean
  /** Whether somebody else is. */
  isCreditedToOther: boolean
  /** Whether it came with a click on the reader's link. */
  isClicked: boolean
  /** The reader's slug in the program. */
  slug: string
}

const DAY_MS = 86_400_000
const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
const day = (iso: string): string => DAY.format(new Date(iso))

type Click = { clickedAt: string; expiresAt: string }

/** How long a click counts. */
const lifeOf = ({ clickedAt, expiresAt }: Click): string =>
  counted(Math.round((Date.parse(expiresAt) - Date.parse(clickedAt)) / DAY_MS), 'day')

/** Why an event that earned its reader nothing did so, in a few words; null when it did earn something. */
export const whyNothing = ({ kind, steps, isCredited, isCreditedToOther }: SeenEvent): string | null => {
  if (!isCredited) {
    if (isCreditedToOther) return `this ${kind} was credited to somebody else`
    const expired = steps.find(({ code }) => code === 'expired_click')
    if (expired?.code === 'expired_click') return `the click was older than ${lifeOf(expired.facts)}`
    if (steps.some(({ code }) => code === 'partner_inactive')) return 'your work with this program had ended'
    return `nothing tied this ${kind} to you`
  }
  switch (steps.findLast(({ code }) => code in EARNS_NOTHING)?.code) {
    case 'no_reward':
      return 'leads earn nothing in this program'
    case 'one_time_already_rewarded':
      return 'only a customer’s first sale earns something'
    case 'past_reward_duration':
      return 'the time in which this customer’s sales earn something is over'
    case 'zero_amount':
      return 'the reward came to nothing'
    case 'same_purchase':
      return 'this purchase is recorded twice, and counts once'
    default:
      return null
  }
}

/** The steps at which a decision ends without a commission. */
const EARNS_NOTHING: Partial<Record<Step['code'], true>> = {
  no_reward: true,
  one_time_already_rewarded: true,
  past_reward_duration: true,
  zero_amount: true,
  same_purchase: true,
}

/** How an event was decided, sentence by sentence, without what is no business of the reader's. */
export const explainToPartner = (event: SeenEvent): string[] => {
  const told = event.steps.flatMap((step) => tell(step, event) ?? [])
  if (!event.isCreditedToOther) return told
  return [...told, `This ${event.kind} was credited to somebody else, so it earns you nothing.`]
}

/** One step in words, or null when it tells of somebody else. */
const tell = (step: Step, event: SeenEvent): string | null => {
  const { code, facts } = step
  const { kind, steps, isCredited, isClicked, slug } = event
  switch (code) {
    case 'expired_click':
      if (!isClicked) return null
      return `The visitor came through your link on ${day(facts.clickedAt)}, but a click counts for ${lifeOf(facts)}, and that ended on ${day(facts.expiresAt)}.`
    case 'click':
      return isClicked
        ? `The visitor came through your link on ${day(facts.clickedAt)}, in a click that counts until ${day(facts.expiresAt)}.`
        : null
    case 'partner_inactive':
      return facts.slug === slug && !isCredited
        ? 'Your work with this program had ended by then, so nothing is credited to you.'
        : null
    case 'coupon':
      // A coupon that credits ends the search; where it goes on, its partner was not active.
      return isCredited && !steps.some((other) => other.code === 'partner_inactive')
        ? 'The checkout used a coupon code of yours.'
        : null
    case 'commission_replaced':
      return isCredited && facts.slug === slug
        ? 'Before all of this was known, you were credited otherwise; that was taken back.'
        : null
    default:
      return isCredited ? tellCredited(step, kind) : null
  }
}

/** What is told only to whoever is credited. */
const tellCredited = (step: Step, kind: SeenEvent['kind']): string | null => {
  const { code, facts } = step
  switch (code) {
    case 'customer':
      return facts.because === 'first_partner'
        ? 'You brought this customer first, and this program keeps a customer with whoever did.'
        : 'This customer is one of yours, and you are credited with what it buys.'
    case 'group_reward':
    case 'program_reward':
      if ('percent' in facts) return `Your reward is ${facts.percent}% of the sale.`
      return `Your reward for a ${kind} is ${formatMoney(facts.amountCents, facts.currency)}.`
    case 'no_reward':
      return 'This program records your leads, but rewards sales only.'
    case 'one_time_already_rewarded':
      return 'This program rewards a customer’s first sale only, and that was rewarded before.'
    case 'past_reward_duration':
      return `This program rewards a customer’s sales for ${counted(facts.months, 'month')} after the first; that ended on ${day(facts.endedAt)}.`
    case 'zero_amount':
      return `The reward comes to nothing for this ${kind}, so there is no commission.`
    case 'same_purchase':
      return 'This purchase was recorded twice. It counts once, and is not this one.'
    case 'commission_created':
      return `You earned ${formatMoney(facts.amountCents, facts.currency)}, payable from ${day(facts.payableAt)}.`
    case 'commission_reversed':
      return `${returned(facts)}, so ${formatMoney(facts.amountCents, facts.currency)} of your commission are taken back.`
    default:
      return null
  }
}

/** Why something was taken back. How much the buyer got is the merchant's business. */
const returned = ({
  refundedCents,
  disputedCents,
}: {
  refundedCents: number
  disputedCents: number
}): string => {
  if (!disputedCents) return 'The buyer was given money back'
  return refundedCents
    ? 'The buyer was given money back and disputes the payment'
    : 'The buyer disputes the payment'
}
