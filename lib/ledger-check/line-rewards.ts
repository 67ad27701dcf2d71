/** What the lines of a sale are to earn by the rules of its reward, computed anew. */
import type { LineRefusal } from '../rules/rewards/earn-lines.ts'
import type { Pay, Rule } from '../rules/rewards/rewards.ts'
import type { StoredLine } from '../rules/rewards/sale-lines.ts'
import type { LineFacts } from '../rules/steps/steps.ts'
import { formatMoney } from '../values/money.ts'
import { type AskedLine, hold } from './conditions.ts'
import { isLess, minus, NOTHING, over, rounded, times, whole } from './fractions.ts'

/** What is stored of a sale that was rewarded line by line. */
export type RuledSale = Pick<
  AskedLine,
  'metadata' | 'country' | 'isErased' | 'paidBefore' | 'tier'
> & {
  rules: Rule[]
  lines: StoredLine[] | null
  /** The products that have earned a one-time reward of the customer before, if lines say so. */
  rewardedProducts: string[]
}

type Sale = {
  externalId: string
  occurredAt: string
  amountCents: number
  currency: string
  /** Whether no earlier sale of its subscription was rewarded: then it may be no proration. */
  isFirstRewarded: boolean
}

/** What the base of a reward pays. */
export type Base = {
  basisPoints: number | null
  flatCents: number | null
  flatCurrency: string | null
}

/** A line by its step, with the one that is stored. */
type Line = { facts: LineFacts; stored: StoredLine | null; cents: number; pay: Pay }

/**
 * Why the lines of a sale can't have earned a commission, in a sentence for an operator; null if
 * they can.
 */
export const checkLines = (
  sale: Sale,
  rewarded: LineFacts[],
  ruled: RuledSale,
  commission: Base & { amountCents: number; currency: string },
): string | null => {
  const { externalId, currency } = sale
  const stored = ruled.lines?.length ? ruled.lines : [null]
  if (stored.length !== rewarded.length)
    return `${externalId}: it has ${stored.length} lines, and ${rewarded.length} of them are rewarded.`
  const lines = rewarded.map((facts, i) => ({
    facts,
    stored: stored[i] ?? null,
    cents: facts.amountCents ?? 0,
    pay: ruled.rules.find(({ name }) => name === facts.rule)?.pay ?? payOf(commission),
  }))
  const wrong =
    checkAmounts(sale, lines) ??
    firstOf(lines, (line) => checkRule(sale, line, ruled)) ??
    firstOf(lines, (line) => checkRefusal(line, sale, ruled)) ??
    checkEarnings(lines, currency)
  if (wrong) return `${externalId}, ${wrong}`
  const earned = total(lines.map(({ facts }) => facts.earnedCents))
  return earned === commission.amountCents && commission.currency === currency
    ? null
    : `${externalId}: its lines earn ${formatMoney(earned, currency)}. The ledger has a commission of ${formatMoney(commission.amountCents, commission.currency)}.`
}

const payOf = ({ basisPoints, flatCents, flatCurrency }: Base): Pay =>
  basisPoints !== null
    ? { kind: 'percent', basisPoints }
    : { kind: 'flat', amountCents: flatCents ?? 0, currency: flatCurrency ?? '', per: 'sale' }

const total = (amounts: number[]): number => amounts.reduce((sum, amount) => sum + amount, 0)

const firstOf = <T>(lines: Line[], find: (line: Line) => T | null): T | null =>
  lines.reduce<T | null>((found, line) => found ?? find(line), null)

const nameOf = ({ facts }: Line): string => `line ${facts.line ?? 1}`

/** The sale's amount in proportion to the stored lines, each within a cent. */
const checkAmounts = ({ amountCents, currency }: Sale, lines: Line[]): string | null => {
  const sum = total(lines.map(({ cents }) => cents))
  if (sum !== amountCents)
    return `its lines: they are ${formatMoney(sum, currency)}, and the sale is ${formatMoney(amountCents, currency)}.`
  const ofStored = total(lines.map(({ stored }) => stored?.amountCents ?? 0))
  if (ofStored === 0) return null
  return firstOf(lines, (line) => {
    const exact = over(whole(line.stored?.amountCents ?? 0), whole(ofStored))
    const share = times(whole(amountCents), exact)
    const difference = minus(whole(line.cents), share)
    const isNear = isLess(difference, whole(1)) && isLess(minus(NOTHING, difference), whole(1))
    return isNear
      ? null
      : `${nameOf(line)}: its part of the sale is ${formatMoney(rounded(share), currency)}, and it is recorded as ${formatMoney(line.cents, currency)}.`
  })
}

/** The rule that decides a line: one of those that may, before the first that certainly does. */
const checkRule = (sale: Sale, line: Line, ruled: RuledSale): string | null => {
  const { rules, lines: _, rewardedProducts: __, ...known } = ruled
  const { amountCents: saleCents, currency, occurredAt } = sale
  const { stored, cents: amountCents } = line
  const asked = { ...known, stored, amountCents, saleCents, currency, occurredAt }
  const payable = rules.filter(({ pay }) => pay.kind !== 'flat' || pay.currency === currency)
  const truths = payable.map((rule) => ({ rule, truth: hold(rule.when, asked) }))
  const certain = truths.findIndex(({ truth }) => truth === true)
  const possible = truths
    .slice(0, certain < 0 ? truths.length : certain + 1)
    .flatMap(({ rule, truth }) => (truth === false ? [] : [rule.name]))
  const names: (string | null)[] = certain < 0 ? [...possible, null] : possible
  if (names.includes(line.facts.rule)) return null
  const wanted = names.map(ruleName).join(' or ')
  return `${nameOf(line)}: ${wanted} decides it. The ledger has ${ruleName(line.facts.rule)}.`
}

const ruleName = (rule: string | null): string => (rule === null ? 'the base' : `“${rule}”`)

/**
 * Whether a flat base is refused in another currency, a proration for a flat amount, and a product
 * only if it has earned its one-time reward before.
 */
const checkRefusal = (
  line: Line,
  { currency, isFirstRewarded }: Sale,
  { rewardedProducts }: RuledSale,
): string | null => {
  const { facts } = line
  if (facts.refusal === 'past_reward_duration') return null
  if (facts.refusal === 'one_time_already_rewarded')
    return rewardedProducts.includes(facts.productId ?? '')
      ? null
      : `${nameOf(line)}: its product has earned no one-time reward before. The ledger has it refused (${facts.refusal}).`
  const wanted = refusalOf(line, currency)
  if (facts.refusal === wanted) return null
  if (wanted === 'proration' && isFirstRewarded && !facts.refusal) return null
  return `${nameOf(line)}: it is ${wanted ? `to be refused (${wanted})` : 'to be rewarded'}. The ledger has it ${facts.refusal ? `refused (${facts.refusal})` : 'rewarded'}.`
}

const refusalOf = ({ pay, stored }: Line, currency: string): LineRefusal | undefined => {
  if (pay.kind !== 'flat') return undefined
  if (pay.currency !== currency) return 'other_currency'
  return pay.per === 'sale' && stored?.isProration ? 'proration' : undefined
}

/** What each line earns before a cap; of a flat amount per sale, what all lines of its rule do. */
const checkEarnings = (lines: Line[], currency: string): string | null => {
  const groups = Map.groupBy(lines, (line) =>
    isShared(line) ? `of ${line.facts.rule}` : `line ${lines.indexOf(line)}`,
  )
  for (const group of groups.values()) {
    const [first] = group
    if (!first) continue
    const most = total(group.map(({ cents }) => cents))
    const expected = Math.min(most, earnedBy(first))
    const earned = total(group.map(uncutCents))
    const isWithin = group.every(
      (line) => line.facts.earnedCents >= 0 && uncutCents(line) <= line.cents,
    )
    if (earned !== expected || !isWithin)
      return `${group.map(nameOf).join(' and ')}: ${ruleName(first.facts.rule)} pays ${formatMoney(expected, currency)}. The ledger has ${formatMoney(earned, currency)}.`
  }
  return null
}

const uncutCents = ({ facts }: Line): number => facts.earnedCents + (facts.cutCents ?? 0)

const isShared = ({ pay, facts }: Line): boolean =>
  pay.kind === 'flat' && pay.per === 'sale' && !facts.refusal

const earnedBy = ({ pay, cents, facts, stored }: Line): number => {
  if (facts.refusal || pay.kind === 'none') return 0
  if (pay.kind === 'percent')
    return Number(rounded(times(whole(cents), over(whole(pay.basisPoints), whole(10_000)))))
  return pay.amountCents * (pay.per === 'unit' ? (stored?.quantity ?? 1) : 1)
}
