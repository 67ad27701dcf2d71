/** A sale that a manager tries beside the rules. */
import type { ErrorDetail } from '../../../lib/http/errors.ts'
import type { Fields } from '../../../lib/http/validate.ts'
import { inEnglish } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import type { Program } from '../../../lib/programs/programs.queries.ts'
import type {
  Click,
  PartnerTerms,
  PurchaseFacts,
} from '../../../lib/rules/attribution/attribution.ts'
import { decideReward } from '../../../lib/rules/decisions/decide.ts'
import type { RewardTerms } from '../../../lib/rules/rewards/rewards.ts'
import { BILLING_INTERVALS, type StoredLine } from '../../../lib/rules/rewards/sale-lines.ts'
import { earnsPerProduct } from '../../../lib/rules/steps/intervals.ts'
import type { Step } from '../../../lib/rules/steps/steps.ts'
import { levelsOf, type TierFacts, type Tiers, tierOf } from '../../../lib/rules/tiers/tiers.ts'
import type { SoldProduct } from '../../../lib/tracking/events/sold-products.queries.ts'
import { dayOf, isDay, monthsAfter } from '../../../lib/values/days.ts'
import { exactMoney, isCurrency, type Money, parseMoney, sumOf } from '../../../lib/values/money.ts'
import { countIn } from './facts.ts'

/** The fields of a first payment of 100.00 today, in the currency of the reward. */
export const usualSale = (reward: RewardTerms, now: Date): Fields => ({
  'try.amount': exactMoney(10_000n, 'USD'),
  'try.currency': reward.kind === 'flat' ? reward.currency : 'USD',
  'try.quantity': '1',
  'try.payment': '1',
  'try.day': dayOf(now),
})

/** What a sale or lead would earn, and the steps that say why. */
export type Tried = { earned: Money | null; steps: Step[] }

const UNSAID: Step['code'][] = ['program_reward', 'group_reward', 'tier', 'commission_created']

/** Whose reward it is and the tier, the page says; and what it earns, above the reasons. */
export const reasonsIn = (steps: Step[]): Step[] =>
  steps.filter(({ code }) => !UNSAID.includes(code))

type Sale = Others & {
  money: Money
  lines: StoredLine[]
  payment: number
  ofSubscription: number | null
  months: number
}

export const readSale = (
  fields: Fields,
  products: SoldProduct[],
  now: Date,
): { sale: Sale; errors?: never } | { sale?: never; errors: ErrorDetail[] } => {
  const errors: ErrorDetail[] = []
  const currency = (fields['try.currency'] ?? '').toUpperCase()
  if (!isCurrency(currency))
    errors.push({ path: 'try.currency', message: inEnglish(m.rewards_must_be_currency) })

  const lineOf = (end: string): StoredLine => {
    const name = `try.amount${end}`
    const amountCents = parseMoney(fields[name] ?? '', currency)
    if (amountCents === null) {
      const amount = exactMoney(10_000, currency)
      errors.push({ path: name, message: inEnglish(m.programs_must_be_amount_as, { amount }) })
    }
    const productId = fields[`try.product${end}`] ?? null
    const sold = products.find((product) => product.productId === productId)
    const interval = BILLING_INTERVALS.find((one) => one === fields[`try.interval${end}`])
    return {
      productId,
      ...(sold?.name && { name: sold.name }),
      quantity: count(`try.quantity${end}`, 1, 1),
      amountCents: amountCents ?? 0,
      ...(interval && { billingInterval: interval }),
    }
  }
  const count = (name: string, from: number, otherwise: number): number => {
    const number = countIn(fields[name]) ?? otherwise
    if (number >= from && number <= MOST) return number
    errors.push({ path: name, message: inEnglish(m.rewards_must_be_count, { from: String(from) }) })
    return from
  }
  const isTwo = fields['try.amount2'] !== undefined || fields['try.product2'] !== undefined
  const lines = [lineOf(''), ...(isTwo ? [lineOf('2')] : [])]
  const sale = {
    ...readOthers(fields, errors, now),
    money: {
      amountCents: sumOf(lines.map(({ amountCents }) => BigInt(amountCents))),
      currency,
    },
    lines,
    payment: count('try.payment', 1, 1),
    ofSubscription: fields['try.subscription'] ? count('try.subscription', 1, 1) : null,
    months: count('try.months', 0, 0),
  }
  return errors.length > 0 ? { errors } : { sale }
}

/** What a lead has too: its day, at noon, and its metadata. */
export type Others = { at: Date; metadata: Record<string, string> | null }

export const readOthers = (fields: Fields, errors: ErrorDetail[], now: Date): Others => {
  const metadata = pairsIn(fields['try.metadata'])
  if (!metadata)
    errors.push({ path: 'try.metadata', message: inEnglish(m.rewards_try_metadata_invalid) })
  const day = fields['try.day'] ?? dayOf(now)
  if (!isDay(day)) errors.push({ path: 'try.day', message: inEnglish(m.rewards_must_be_day) })
  return { at: new Date(`${isDay(day) ? day : dayOf(now)}T12:00:00Z`), metadata }
}

/** More payments, units or months than a rule distinguishes. */
const MOST = 10_000

/** Lines such as `plan=annual`; null if one is no such pair. */
const pairsIn = (text: string | undefined): Record<string, string> | null => {
  const pairs = (text?.split(/\r?\n/) ?? []).filter((line) => line.trim() !== '')
  const matches = pairs.map((line) => /^\s*([^=]+?)\s*=\s*(.*?)\s*$/.exec(line))
  if (matches.some((match) => match === null)) return null
  return Object.fromEntries(matches.map((match) => [match?.[1] ?? '', match?.[2] ?? '']))
}

/** The chosen tier, as somebody has it who has just reached it. */
export const triedTier = (
  tiers: Tiers | null,
  name: string | undefined,
  at: Date,
): TierFacts | null => {
  if (!tiers) return null
  const chosen = levelsOf(tiers).find((level) => level.name === name)
  return tierOf({ tiers, day: dayOf(at), reached: chosen?.atLeast ?? 0 })
}

/** A partner of the program without a group, who has earned nothing before. */
export const partnerOf = (program: Program, reward: RewardTerms): PartnerTerms => ({
  ...program,
  id: '',
  slug: '',
  emails: [],
  status: 'approved',
  programId: program.id,
  reward: { id: '', ...reward },
  ownReward: null,
  group: null,
  firstRewardedAt: null,
  rewardedProducts: [],
  tier: null,
  budget: null,
})

export const clickIn = (fields: Fields, partner: PartnerTerms, at: Date): Click => {
  const { 'try.link': link = null, 'try.sub': sub = null } = fields
  return { id: '', createdAt: at, expiresAt: at, partner, link, sub }
}

/**
 * Decides the sale under a reward that need not be saved, and the other terms of the program. The
 * customer's first payment was rewarded, if there was one.
 */
export const trySale = (
  { money, lines, at, payment, ofSubscription, months, metadata }: Sale,
  fields: Fields,
  program: Program,
  reward: RewardTerms,
): Tried => {
  const isFirst = payment === 1 && months === 0
  const firstSaleAt = isFirst ? null : monthsAfter(at, -months)
  const coupon = fields['try.coupon']
  const purchase: PurchaseFacts = {
    coupon: null,
    coupons: coupon ? [coupon] : [],
    referredAt: at,
    earnedAt: at,
    isProration: false,
  }
  const partner = {
    ...partnerOf(program, reward),
    // The page does not ask which products were paid before: none of those that are tried.
    firstRewardedAt: earnsPerProduct(program) ? null : firstSaleAt,
    tier: triedTier(program.tiers, fields['try.tier'], at),
  }
  const { commission, steps } = decideReward(
    {
      kind: 'sale',
      externalId: '',
      customerExternalId: '',
      customerEmail: null,
      customerName: null,
      clickId: null,
      eventName: 'sale',
      metadata,
      sale: money,
      lines,
      country: fields['try.country']?.toUpperCase(),
    },
    partner,
    {
      click: clickIn(fields, partner, at),
      purchase,
      history: {
        payments: payment - 1,
        ofSubscription: ofSubscription === null ? null : ofSubscription - 1,
        firstSaleAt,
      },
    },
    at,
  )
  return { earned: commission, steps: reasonsIn(steps) }
}
