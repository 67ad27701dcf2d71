/** The steps of a decision as text. */

import { PROCESSOR_NAMES, SALE_EXPECTED } from '../../rules/purchases/processors.ts'
import type { Capped } from '../../rules/rewards/caps.ts'
import type { LineRefusal } from '../../rules/rewards/earn-lines.ts'
import { NEVER } from '../../rules/steps/commissions.ts'
import type { PartnerCode } from '../../rules/steps/report.ts'
import type {
  Because,
  LineFacts,
  LineReversal,
  RewardFacts,
  Step,
} from '../../rules/steps/steps.ts'
import type { TierFacts, TierPeriod } from '../../rules/tiers/tiers.ts'
import { formatMoney, type MoneyFormat } from '../../values/money.ts'
import { counted } from '../../values/plural.ts'

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
const day = (iso: string): string => DAY.format(new Date(iso))

const rewardWords = (reward: RewardFacts, money: MoneyFormat): string => {
  const { rules } = reward
  const base =
    'percent' in reward
      ? `${reward.percent}% of the sale`
      : money(reward.amountCents, reward.currency)
  return rules ? `${base}, and ${counted(rules, 'rule')}` : base
}

const REFUSALS: Record<LineRefusal, string> = {
  past_reward_duration: 'the reward has ended for this customer',
  one_time_already_rewarded: 'the product has earned its reward for this customer before',
  proration: 'a flat amount per sale is not paid for a proration',
  other_currency: 'the sale is in another currency',
}

const LIST = new Intl.ListFormat('en')

/** A product by its name and its id, as far as they are known. */
export const productWords = (
  name: string | null | undefined,
  productId: string | null | undefined,
): string | null => (name && productId ? `${name} (${productId})` : (name ?? productId ?? null))

/** Such as: Line 2, Annual plan (prod_x): the rule “Annual plans” pays 30%, 237.00 USD. */
const explainLine = (facts: LineFacts, money: MoneyFormat): string => {
  const { line, productId, name, rule, pays, currency, refusal, cutCents = 0 } = facts
  const parts = [line && `Line ${line}`, productWords(name, productId)]
  const what = parts.filter(Boolean).join(', ')
  const who = rule === null ? 'no rule applies, so the base' : `the rule “${rule}”`
  const event = facts.amountCents === undefined ? 'lead' : 'sale'
  const subject = `${what || `The ${event}`}: ${who}`
  const others = otherCurrencyWords(facts.otherCurrencies ?? [])
  if (!pays) return `${subject} pays nothing.${others}`
  const words = payWords(pays, event, money)
  if (refusal) return `${subject} would pay ${words}, but ${REFUSALS[refusal]}.${others}`
  const paid = money(facts.earnedCents + cutCents, currency ?? '')
  const cut = cutCents ? ` ${money(cutCents, currency ?? '')} of it is above a cap.` : ''
  return `${subject} pays ${words}, ${paid}.${cut}${others}`
}

const otherCurrencyWords = (rules: string[]): string =>
  rules.length > 0
    ? ` ${LIST.format(rules.map((rule) => `“${rule}”`))} ${rules.length > 1 ? 'are' : 'is'} for another currency.`
    : ''

const payWords = (
  pays: NonNullable<LineFacts['pays']>,
  event: 'sale' | 'lead',
  money: MoneyFormat,
): string => {
  if ('percent' in pays) return `${pays.percent}%`
  return `${money(pays.amountCents, pays.currency)} per ${pays.per === 'unit' ? 'unit' : event}`
}

const named = ({ by, value }: PartnerCode): string => `the ${by} “${value}”`

const BECAUSE: Record<Because, (slug: string) => string> = {
  first_partner: (slug) =>
    `already belongs to “${slug}”, and this program keeps a customer’s first partner.`,
  known_customer: (slug) =>
    `belongs to “${slug}”, and this program credits sales to known customers without a click.`,
  late_lead: (slug) =>
    `was referred by “${slug}”: a lead that followed this sale came with a click from before it.`,
  owner: (slug) => `belongs to “${slug}”, who is credited with its payments.`,
  subscription: (slug) =>
    `bought this subscription through “${slug}”, who is credited with its renewals.`,
  import: (slug) => `was imported to “${slug}” since this subscription began.`,
}

const BY_ADDRESS = {
  verified:
    ' Only an address that a lead named says who the customer is. Your backend has verified it.',
  unverified:
    ' Only an address that a lead named says who the customer is, and nobody has verified it.',
}

const refundedAndDisputed = (
  facts: {
    refundedCents: number
    disputedCents: number
    exemptCents?: number
    paidCurrency: string
  },
  money: MoneyFormat,
): string => {
  const { refundedCents, disputedCents, exemptCents, paidCurrency } = facts
  const parts = [
    ...(refundedCents ? [`${money(refundedCents, paidCurrency)} was refunded`] : []),
    ...(disputedCents ? [`${money(disputedCents, paidCurrency)} is disputed`] : []),
  ]
  const exempt = exemptCents
    ? ` (another ${money(exemptCents, paidCurrency)}, of tax, shipping or an overpayment, does not count)`
    : ''
  return `${parts.join(' and ')}${exempt}`
}

/** Such as: Line 2: 30.00 USD returned net, 6.00 USD reversed. */
const reversedLines = (
  { lines = [], currency }: { lines?: LineReversal[]; currency: string },
  money: MoneyFormat,
): string =>
  lines
    .map(
      ({ line, returnedCents, reversedCents }) =>
        ` Line ${line}: ${money(returnedCents, currency)} returned net, ${money(reversedCents, currency)} reversed.`,
    )
    .join('')

const CAPPED_WORDS: Record<Capped, string> = {
  sale: 'sale',
  customer: 'customer',
  partner_month: 'partner and month',
}

const MONTH = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' })
/** @param iso a month or a day: 2026-11, 2026-11-29 */
const month = (iso: string): string => MONTH.format(new Date(iso))

/** From when on the sales before a day count. */
const PERIOD_WORDS: Record<TierPeriod, (day: string) => string> = {
  month: (iso) => ` in ${month(iso)},`,
  quarter: (iso) => {
    const at = new Date(iso)
    return ` in quarter ${Math.floor(at.getUTCMonth() / 3) + 1} of ${at.getUTCFullYear()},`
  },
  year: () => ' in the 365 days',
  ever: () => '',
}

/** The tier of the partner, what it had reached before the day of the sale, and the next tier. */
const explainTier = (facts: TierFacts, money: MoneyFormat): string => {
  const { tier, by, period, currency, reached, next } = facts
  const amountOf = (amount: number) =>
    ({
      netSales: () => `${money(amount, currency ?? '')} of net sales`,
      customers: () => counted(amount, 'customer'),
      sales: () => counted(amount, 'sale'),
    })[by]()
  const what = tier === null ? 'The partner had no tier' : `The partner’s tier was “${tier}”`
  const when = `${PERIOD_WORDS[period](facts.day)} before ${day(facts.day)}`
  const above = next ? ` “${next.tier}” begins at ${amountOf(next.atLeast)}.` : ''
  return `${what}: ${amountOf(reached)}${when}.${above}`
}

type CapFacts = Extract<Step, { code: 'cap_applied' }>['facts']

/** What a cap leaves of the commission: nothing, if earlier sales have reached it. */
const explainCap = (
  { per, capCents, beforeCents, leftCents, currency }: CapFacts,
  money: MoneyFormat,
): string => {
  const most = `The reward pays at most ${money(capCents, currency)} per ${CAPPED_WORDS[per]}`
  return leftCents === 0
    ? `${most}. Earlier sales have reached it, so this one earns nothing.`
    : `${most}, so ${money(leftCents, currency)} of ${money(beforeCents, currency)} is earned.`
}

/** A step as text for managers. @param money formats its amounts */
export const explain = (step: Step, money: MoneyFormat = formatMoney): string => {
  const { code, facts } = step
  switch (code) {
    case 'coupon':
      return `The checkout used the coupon “${facts.couponId}”, which belongs to “${facts.slug}”.`
    case 'click':
      return `The visitor clicked the link of “${facts.slug}” on ${day(facts.clickedAt)}. The click is valid until ${day(facts.expiresAt)}.`
    case 'no_click':
      return 'The report has no click ID, so it is not linked to a partner.'
    case 'unknown_click':
      return `The click ID “${facts.clickId}” in the report does not exist in this workspace.`
    case 'expired_click':
      return `The visitor clicked the link of “${facts.slug}” on ${day(facts.clickedAt)}, but the click expired on ${day(facts.expiresAt)}.`
    case 'later_click':
      return `The visitor clicked the link of “${facts.slug}” on ${day(facts.clickedAt)}, after this event took place.`
    case 'partner_code':
      return `The report names “${facts.slug}” by ${named(facts)}, which this program trusts.`
    case 'code_not_trusted':
      return `The report names a partner by ${named(facts)}, which this program does not allow.`
    case 'unknown_code':
      return `The report names a partner by ${named(facts)}, which no partner has.`
    case 'ambiguous_code':
      return `The report names a partner by ${named(facts)}, which several partners have.`
    case 'partner_inactive':
      return `The partner “${facts.slug}” is not active and receives no credit.`
    case 'customer':
      return `The customer ${BECAUSE[facts.because](facts.slug)}${facts.byAddress ? BY_ADDRESS[facts.byAddress] : ''}`
    case 'known_customer_not_credited':
      return `The customer belongs to “${facts.slug}”, but this program does not credit sales to known customers without a click.`
    case 'unreferred_subscription':
      return 'The first payment of this subscription was credited to nobody, and so are its renewals.'
    case 'unknown_customer':
      return 'No coupon, click or earlier referral of the customer links this event to a partner.'
    case 'group_reward':
      return `The partner’s group “${facts.group}” sets the reward: ${rewardWords(facts, money)}.`
    case 'program_reward':
      return `The program’s reward applies: ${rewardWords(facts, money)}.`
    case 'partner_reward':
      return `The partner has a reward of its own: ${rewardWords(facts, money)}.`
    case 'line_reward':
      return explainLine(facts, money)
    case 'tier':
      return explainTier(facts, money)
    case 'cap_applied':
      return explainCap(facts, money)
    case 'over_budget':
      return `The commissions of ${month(facts.month)} came to ${money(facts.spentCents, facts.currency)} of the program’s budget of ${money(facts.budgetCents, facts.currency)}. This one exceeds it, so it is held for a manager’s review.`
    case 'no_reward':
      return `“${facts.slug}” is not in a group that rewards leads, so the lead earns no commission.`
    case 'one_time_already_rewarded':
      return `This program rewards only a customer’s first sale, which was rewarded on ${day(facts.firstRewardedAt)}.`
    case 'past_reward_duration':
      return `This program rewards a customer’s sales for ${counted(facts.months, 'month')} after the first on ${day(facts.firstRewardedAt)}. The period ended on ${day(facts.endedAt)}.`
    case 'below_one_time_minimum':
      return `This program rewards a customer’s first sale of at least ${money(facts.minimumCents, facts.currency)}. This sale is smaller and does not use the reward up.`
    case 'proration':
      return 'The sale is a proration after a change of the subscription. A flat recurring reward is not paid for prorations.'
    case 'zero_amount':
      return 'The reward for this event is zero, so there is no commission.'
    case 'reward_capped':
      return `A flat reward is never more than the sale: ${money(facts.saleCents, facts.currency)}.`
    case 'commission_created': {
      const earned = `“${facts.slug}” earned ${money(facts.amountCents, facts.currency)}`
      return facts.payableAt === NEVER.toISOString()
        ? `${earned} in shadow mode: another platform pays it.`
        : `${earned}, payable from ${day(facts.payableAt)}.`
    }
    case SALE_EXPECTED:
      return `Sales of this workspace come from ${PROCESSOR_NAMES[facts.processor]}, whose event of this purchase earns the commission.`
    case 'expected_sale_received':
      return `The payment processor has reported the purchase as the sale “${facts.externalId}”.`
    case 'possible_duplicate':
      return `This sale looks like the sale “${facts.externalId}”, so its commission is held for a manager’s review.`
    case 'self_referral':
      if (facts.by === 'name')
        return `The buyer has the name of “${facts.slug}”. A manager reviews whether the partner is the customer.`
      if (facts.by === 'card')
        return `Somebody with the email address of “${facts.slug}” has paid with the same card or bank account. A manager reviews whether the partner is the customer.`
      return facts.by === 'tag'
        ? `The customer’s email address is that of “${facts.slug}”, but for what follows a plus sign. A manager reviews whether the partner is the customer.`
        : `The customer’s email address leads to the mailbox of “${facts.slug}”. This program reviews or refuses commissions on a partner’s own purchases.`
    case 'late_lead':
      return `That the customer belongs to “${facts.slug}” was reported only on ${day(facts.referredAt)}, after the payment or the first one of its subscription. So the commission is held for a manager’s review.`
    case 'unverified_address':
      return 'This program holds what only an unverified address credits, so the commission is held for a manager’s review.'
    case 'commission_rejected':
      return `A manager rejected the held commission of ${money(facts.amountCents, facts.currency)} of “${facts.slug}”.`
    case 'commission_replaced':
      return `“${facts.slug}” was credited with ${money(facts.amountCents, facts.currency)} before all facts were known. That commission was reversed.`
    case 'credited_by_hand':
      return facts.slug === null
        ? `${facts.by} decided that nobody is credited: ${facts.reason}`
        : `${facts.by} credited “${facts.slug}” by hand: ${facts.reason}`
    case 'reversed_by_hand':
      return `${facts.by} reversed ${money(facts.amountCents, facts.currency)} of the commission of “${facts.slug}”: ${facts.reason}`
    case 'refunded_by_hand':
      return `${facts.by} recorded this refund by hand: ${facts.reason}`
    case 'same_purchase':
      return `This is the same purchase as the sale “${facts.externalId}”, which is credited instead.`
    case 'waiting_for_sale':
      return `The sale “${facts.saleExternalId}” has not been reported yet. The refund counts as soon as it is.`
    case 'sale_refunded':
      return `${money(facts.amountCents, facts.currency)} of the ${money(facts.saleCents, facts.currency)} of the sale “${facts.saleExternalId}” was refunded, and ${money(facts.leftCents, facts.currency)} is left. The same proportion of its commission is reversed.`
    case 'refund_exceeds_sale':
      return facts.leftCents === 0
        ? 'Nothing of the sale was left to refund.'
        : `The refund of ${money(facts.requestedCents ?? 0, facts.currency)} is more than was left of the sale, so ${money(facts.leftCents, facts.currency)} counts.`
    case 'refund_currency_mismatch':
      return `The refund is in ${facts.currency} and its sale in ${facts.saleCurrency}, so the refund does not count.`
    case 'commission_reversed':
      return `Of the ${money(facts.paidCents, facts.paidCurrency)} paid, ${refundedAndDisputed(facts, money)}, so ${money(facts.amountCents, facts.currency)} of the commission was reversed.${reversedLines(facts, money)}`
  }
}
