/** What a sale earns under a reward with rules, line by line. docs/rewards.md. */
import { monthsAfter } from '../../values/days.ts'
import { least, shareOf, sumOf } from '../../values/money.ts'
import { areMet, eachCondition, type SaleFacts } from './conditions.ts'
import { type Pay, payOf, type RewardTerms, type Rule } from './rewards.ts'
import { apportion, type SaleLine } from './sale-lines.ts'

/**
 * When a reward stops, if it does: a recurring one after a time, for which a rule may have its own,
 * and a one-time reward per product with the first sale of the product.
 */
export type Duration = {
  /** The customer's first sale commission in the program; null if this may be it. */
  firstRewardedAt: Date | null
  /** Null if it never stops. */
  months: number | null
  /** The products that have earned their one-time reward, if each earns one: see `productOf`. */
  rewardedProducts?: string[]
}

/** What earns a one-time reward per product: '' stands for the lines that name none. */
const productOf = ({ productId }: SaleLine): string => productId ?? ''

/** The products of the lines that earn something. As the view rewarded_products. */
export const productsOf = (earnings: LineEarning[]): string[] => [
  ...new Set(
    earnings.flatMap(({ line, earnedCents }) => (earnedCents > 0n ? [productOf(line)] : [])),
  ),
]

/** Why a line earns nothing under what decides it. */
export type LineRefusal =
  /** The reward has ended for the customer. */
  | 'past_reward_duration'
  /** The product has earned its one-time reward for the customer. */
  | 'one_time_already_rewarded'
  /** A flat amount per sale is not paid for a proration. */
  | 'proration'
  /** The base is a flat amount in another currency than the sale. */
  | 'other_currency'

export type LineEarning = {
  line: SaleLine
  /** The rule that decides the line; null if the base does. */
  rule: string | null
  pay: Pay
  /** What is left after the caps of the reward. */
  earnedCents: bigint
  /** What they have cut. */
  cutCents?: bigint
  refusal: LineRefusal | null
  /** The rules that would pay in another currency, or ask for an amount in one. */
  otherCurrencies: string[]
}

/**
 * What each line of a sale earns, in the currency of the sale: by the first rule whose conditions
 * all hold, else by the base. A percentage rounds half up per line. A flat amount per sale is paid
 * once for all lines that its rule decides, and is spread over them; no line earns more than its
 * amount. A flat amount in another currency than the sale matches nothing. A lead is one line
 * without an amount, which only a flat amount rewards.
 *
 * @param decided the names of the rules that have decided the lines and still do; null for the base
 */
export const earnByLine = (
  reward: RewardTerms,
  lines: SaleLine[],
  facts: SaleFacts,
  duration: Duration,
  decided: (string | null)[] = [],
): LineEarning[] => {
  const rules = reward.rules ?? []
  const currency = facts.sale?.currency ?? null
  const isKept =
    decided.length === lines.length &&
    decided.every((name) => name === null || rules.some((rule) => rule.name === name))
  const earnings = lines.map((line, i): LineEarning => {
    const rule = rules.find(({ name, when, pay }) =>
      isKept ? name === decided[i] : isPaidIn(pay, currency) && areMet(when, line, facts),
    )
    const tried = rule ? rules.slice(0, rules.indexOf(rule)) : rules
    const pay = rule?.pay ?? payOf(reward)
    return {
      line,
      rule: rule?.name ?? null,
      pay,
      earnedCents: 0n,
      refusal: refusalOf(line, rule, pay, facts, duration),
      otherCurrencies: tried.filter((one) => asksOtherwise(one, currency)).map(({ name }) => name),
    }
  })
  if (facts.sale === null) return earnings.map((one) => ({ ...one, earnedCents: flatOf(one) }))
  const perSale = Map.groupBy(
    earnings.filter(({ pay, refusal }) => isFlatPerSale(pay) && refusal === null),
    ({ rule }) => rule,
  )
  const shares = new Map([...perSale.values()].flatMap(shareFlat))
  return earnings.map((one) => ({ ...one, earnedCents: shares.get(one) ?? earnedBy(one) }))
}

/** Spreads what caps cut of a sale's earnings over its lines, in proportion to what they earn. */
export const cutByLine = (earnings: LineEarning[], cutCents: bigint): LineEarning[] => {
  if (cutCents === 0n) return earnings
  const cuts = apportion(
    cutCents,
    earnings.map(({ earnedCents }) => earnedCents),
  )
  return earnings.map((one, i) => {
    const cut = cuts[i] ?? 0n
    return cut === 0n ? one : { ...one, earnedCents: one.earnedCents - cut, cutCents: cut }
  })
}

const isFlatPerSale = (pay: Pay): boolean => pay.kind === 'flat' && pay.per === 'sale'

const isPaidIn = (pay: Pay, currency: string | null): boolean =>
  pay.kind !== 'flat' || currency === null || pay.currency === currency

/** Whether only its currency may have kept a rule from deciding a line. */
const asksOtherwise = ({ when, pay }: Rule, currency: string | null): boolean =>
  !isPaidIn(pay, currency) ||
  eachCondition(when).some((one) => 'currency' in one && one.currency !== currency)

const refusalOf = (
  line: SaleLine,
  rule: Rule | undefined,
  pay: Pay,
  { sale, occurredAt }: SaleFacts,
  { firstRewardedAt, months: usual, rewardedProducts = [] }: Duration,
): LineRefusal | null => {
  if (rewardedProducts.includes(productOf(line))) return 'one_time_already_rewarded'
  const months = rule?.durationMonths === undefined ? usual : rule.durationMonths
  if (firstRewardedAt && months !== null && occurredAt >= monthsAfter(firstRewardedAt, months))
    return 'past_reward_duration'
  if (!isPaidIn(pay, sale?.currency ?? null)) return 'other_currency'
  return line.isProration && isFlatPerSale(pay) ? 'proration' : null
}

const flatOf = ({ pay, refusal }: LineEarning): bigint =>
  pay.kind === 'flat' && refusal === null ? BigInt(pay.amountCents) : 0n

/** The part of each line of a flat amount that is paid once for all of them. */
const shareFlat = (lines: LineEarning[]): [LineEarning, bigint][] => {
  const amounts = lines.map(({ line }) => line.amountCents)
  const flat = lines[0] ? flatOf(lines[0]) : 0n
  const parts = apportion(least(flat, sumOf(amounts)), amounts)
  return lines.map((line, i) => [line, parts[i] ?? 0n])
}

const earnedBy = ({ line, pay, refusal }: LineEarning): bigint => {
  if (refusal || pay.kind === 'none') return 0n
  if (pay.kind === 'percent') return shareOf(line.amountCents, pay.basisPoints)
  return least(BigInt(pay.amountCents) * BigInt(line.quantity), line.amountCents)
}
