/**
 * Why a sale or a lead counted or not, in words for the partner. The steps of a decision know other partners, coupon
 * ids, groups and the merchant's customers; these words tell of the reader alone.
 */
import { formatMoney, type MoneyFormat } from '../money.ts'
import { counted } from '../plural.ts'
import { SALE_EXPECTED } from '../purchases/processors.ts'
import type { EventKind } from '../tracking/event-kinds.ts'
import type { Step } from '../tracking/steps.ts'

/** What a partner may see of an event. */
export type VisibleEvent = {
  kind: EventKind
  steps: Step[]
  /** Whether the partner is credited. */
  isCredited: boolean
  /** Whether another partner is credited. */
  isCreditedToOther: boolean
  /** Whether its commission is one of shadow mode, which another platform pays. */
  isOfShadow: boolean
  /** Whether it came with a click on the partner's link. */
  isClicked: boolean
  /** The partner. Its slug may have been another one at the time of a step. */
  partnerId: string
}

const DAY_MS = 86_400_000
const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
const day = (iso: string): string => DAY.format(new Date(iso))

type Click = { clickedAt: string; expiresAt: string }

/** How long a click is valid. */
const validityOf = ({ clickedAt, expiresAt }: Click): string =>
  counted(Math.round((Date.parse(expiresAt) - Date.parse(clickedAt)) / DAY_MS), 'day')

/** Why an event earned the partner nothing, as a short phrase; null if it earned a commission. */
export const reasonWithoutCommission = ({
  kind,
  steps,
  isCredited,
  isCreditedToOther,
}: VisibleEvent): string | null => {
  if (!isCredited) {
    if (isCreditedToOther) return `this ${kind} was credited to another partner`
    const expired = steps.find(({ code }) => code === 'expired_click')
    if (expired?.code === 'expired_click') return `the click was older than ${validityOf(expired.facts)}`
    if (steps.some(({ code }) => code === 'partner_inactive')) return 'you were not active in this program'
    return `this ${kind} is not linked to you`
  }
  switch (steps.findLast(({ code }) => code in EARNS_NOTHING)?.code) {
    case 'no_reward':
      return 'this program does not reward leads'
    case 'one_time_already_rewarded':
      return 'only a customer’s first sale is rewarded'
    case 'past_reward_duration':
      return 'the reward period for this customer has ended'
    case 'below_one_time_minimum':
      return 'the sale is smaller than this program’s minimum'
    case 'proration':
      return 'a change of a subscription is not rewarded'
    case 'zero_amount':
      return 'the reward is zero'
    case SALE_EXPECTED:
      return 'it earns once the payment processor reports its payment'
    case 'self_referral':
      return 'The customer’s email address is yours. The merchant reviews or refuses commissions on a partner’s own purchases.'
    case 'commission_rejected':
      return 'the merchant decided that this is not a sale of its own'
    case 'same_purchase':
      return 'this purchase is credited under another record'
    default:
      return null
  }
}

/** The steps that end a decision without a commission. */
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

/** The decision about an event as sentences, without other partners' data. @param money formats its amounts */
export const explainToPartner = (event: VisibleEvent, money: MoneyFormat = formatMoney): string[] => {
  const sentences = event.steps.flatMap((step) =>
    event.isOfShadow && step.code in OF_MONEY ? [] : (explainStep(step, event, money) ?? []),
  )
  if (event.isOfShadow) sentences.push(PAID_ELSEWHERE)
  if (!event.isCreditedToOther) return sentences
  return [...sentences, `This ${event.kind} was credited to another partner.`]
}

/** What a partner reads of an event that the program counts beside the platform that pays. */
export const PAID_ELSEWHERE =
  'This program is moving here from another platform, which decides and pays what you earn by this event.'

/** The steps that say what somebody earns. */
const OF_MONEY: Partial<Record<Step['code'], true>> = {
  group_reward: true,
  program_reward: true,
  reward_capped: true,
  commission_created: true,
  commission_reversed: true,
  commission_rejected: true,
  commission_replaced: true,
  reversed_by_hand: true,
  possible_duplicate: true,
  sale_refunded: true,
}

/** One step as a sentence, or null if it is about another partner. */
const explainStep = (step: Step, event: VisibleEvent, money: MoneyFormat): string | null => {
  const { code, facts } = step
  const { kind, steps, isCredited, isClicked, partnerId } = event
  switch (code) {
    case 'expired_click':
      if (!isClicked) return null
      return `The visitor clicked your link on ${day(facts.clickedAt)}, but a click is valid for ${validityOf(facts)} and expired on ${day(facts.expiresAt)}.`
    case 'click':
      return isClicked
        ? `The visitor clicked your link on ${day(facts.clickedAt)}. The click is valid until ${day(facts.expiresAt)}.`
        : null
    case 'partner_inactive':
      return facts.partnerId === partnerId && !isCredited
        ? 'You were not active in this program, so this is not credited to you.'
        : null
    case 'coupon':
      // A coupon ends the search unless its partner is inactive.
      return isCredited && !steps.some((other) => other.code === 'partner_inactive')
        ? 'The checkout used one of your coupon codes.'
        : null
    case 'commission_replaced':
      return isCredited && facts.partnerId === partnerId
        ? 'You were credited differently before all facts were known. That commission was reversed.'
        : null
    case 'credited_by_hand':
      return isCredited && facts.partnerId === partnerId
        ? `Credited by the merchant’s manager: ${facts.reason}`
        : null
    case 'reversed_by_hand':
      return isCredited && facts.partnerId === partnerId
        ? `The merchant reversed ${money(facts.amountCents, facts.currency)} of your commission: ${facts.reason}`
        : null
    default:
      return isCredited ? explainToCredited(step, kind, money) : null
  }
}

/** The steps that only the credited partner sees. */
const explainToCredited = (step: Step, kind: VisibleEvent['kind'], money: MoneyFormat): string | null => {
  const { code, facts } = step
  switch (code) {
    case 'customer':
      return facts.because === 'first_partner'
        ? 'You referred this customer first, and this program keeps a customer’s first partner.'
        : 'This customer belongs to you, and you are credited with its purchases.'
    case 'group_reward':
    case 'program_reward':
      if ('percent' in facts) return `Your reward is ${facts.percent}% of the sale.`
      return `Your reward for a ${kind} is ${money(facts.amountCents, facts.currency)}.`
    case 'no_reward':
      return 'This program records your leads, but rewards only sales.'
    case 'one_time_already_rewarded':
      return 'This program rewards only a customer’s first sale, which was rewarded before.'
    case 'past_reward_duration':
      return `This program rewards a customer’s sales for ${counted(facts.months, 'month')} after the first. The period ended on ${day(facts.endedAt)}.`
    case 'below_one_time_minimum':
      return `This program rewards a customer’s first sale of at least ${money(facts.minimumCents, facts.currency)}. This sale is smaller, and a later one can be rewarded.`
    case 'proration':
      return 'The customer changed its subscription within a period. A flat reward is paid once per period.'
    case 'reward_capped':
      return 'A reward is never more than the sale, so it was reduced to the amount of the sale.'
    case 'zero_amount':
      return `The reward for this ${kind} is zero, so there is no commission.`
    case SALE_EXPECTED:
      return 'This sale earns once the payment processor reports its payment.'
    case 'possible_duplicate':
      return 'This sale looks like another one that was reported before, so the merchant reviews its commission.'
    case 'commission_rejected':
      return `The merchant reviewed and rejected this commission of ${money(facts.amountCents, facts.currency)}. It was reversed.`
    case 'same_purchase':
      return 'This purchase was recorded twice. The other record is credited.'
    case 'commission_created':
      return `You earned ${money(facts.amountCents, facts.currency)}, payable from ${day(facts.payableAt)}.`
    case 'refunded_by_hand':
      return `The merchant recorded this refund: ${facts.reason}`
    case 'sale_refunded':
      return 'The buyer received a refund, so the same proportion of your commission for the sale was reversed.'
    case 'refund_exceeds_sale':
      return facts.leftCents === 0
        ? 'The sale was refunded before, so nothing more is reversed.'
        : 'The refund is more than was left of the sale, so only that counts.'
    case 'refund_currency_mismatch':
      return 'The refund is in another currency than the sale, so it does not count.'
    case 'commission_reversed':
      return `${reversalReason(facts)}, so ${money(facts.amountCents, facts.currency)} of your commission was reversed.`
    default:
      return null
  }
}

/** Why a commission was reversed. The refunded amount is the merchant's data, and is left out. */
const reversalReason = ({
  refundedCents,
  disputedCents,
}: {
  refundedCents: number
  disputedCents: number
}): string => {
  if (!disputedCents) return 'The buyer received a refund'
  return refundedCents
    ? 'The buyer received a refund and disputed the payment'
    : 'The buyer disputed the payment'
}
