/** Compares a purchase's facts with the ledger, in sentences for an operator. */
import { formatMoney } from '../values/money.ts'
import { checkCaps } from './cap-cuts.ts'
import {
  type Fraction,
  isLess,
  isRounded,
  least,
  minus,
  NOTHING,
  over,
  plus,
  rounded,
  times,
  whole,
} from './fractions.ts'
import { reversedByLine } from './line-returns.ts'
import { checkLines } from './line-rewards.ts'
import type { Stored } from './payments.ts'
import {
  earns,
  isMerchants,
  type RecordedSale,
  type SalesFrom,
  type StoredPurchase,
  storedOf,
} from './purchase.ts'
import {
  type Account,
  countedOf,
  type NamedReturn,
  namedReturns,
  type Rounded,
  readAccount,
  returnedOf,
  type Settings,
} from './purchase-account.ts'
import { checkTier } from './tiers.ts'

const ALL_SETTINGS: Settings[] = [false, true].flatMap((creditOutOfBand) =>
  [false, true].map((rewardShipping) => ({ rewardShipping, creditOutOfBand })),
)

/**
 * The differences of a purchase that is not pending. `settings` say who reports; `now` is in ms.
 */
export const findDifferences = (
  purchase: StoredPurchase,
  settings: SalesFrom[],
  now: number,
): string[] => {
  const { sales, keys } = purchase
  const stored = storedOf(purchase)
  const account = readAccount(stored, now)
  const sale = sales.find(({ steps }) => !steps.includes('same_purchase')) ?? sales[0]
  const isReported = account !== null && isMerchants(settings, account.paidAt)
  if (!sale) return account && !isReported ? findUnrecorded(account, stored, keys) : []
  const earning = sales.filter(earns)
  const { externalId, tier, commission } = sale
  const ofTier = tier && checkTier(externalId, tier, commission?.ruled?.rules ?? [])
  return [
    ...(ofTier ? [ofTier] : []),
    ...(earning.length > 1 ? [`${idsOf(earning)} are one purchase, and each of them earns.`] : []),
    ...compareSale(sale, purchase, stored, { account, isReported }),
  ]
}

export const idsOf = (sales: { externalId: string }[]): string =>
  sales.map(({ externalId }) => externalId).join(' and ')

const money = (cents: Fraction, currency: string): string => formatMoney(rounded(cents), currency)

const findUnrecorded = (account: Account, stored: Stored[], keys: string[]): string[] => {
  const { currency } = account
  const settings = { rewardShipping: false, creditOutOfBand: false }
  const { gross, net } = countedOf(account, settings)
  if (rounded(net.cents) <= 0n) return []
  const saleCents = Number(rounded(net.cents))
  const returned = returnedOf(stored, [], { gross, saleCents, currency }, account, settings)
  const back = isLess(NOTHING, returned.cents)
    ? `, ${money(returned.cents, currency)} was returned`
    : ''
  return [
    `${keys.join(', ')}: ${money(account.received.cents, currency)} was received${back}, and no sale is recorded.`,
  ]
}

/** What was received, and whether the sale has the amount of the merchant's report instead. */
type Known = { account: Account | null; isReported: boolean }

/** Compares with the settings of the program, or with any that it may have had. */
const compareSale = (
  sale: RecordedSale,
  purchase: StoredPurchase,
  stored: Stored[],
  of: Known,
): string[] => {
  const { settings, hadOtherSettings } = sale
  const candidates =
    settings && !hadOtherSettings ? [settings] : [...(settings ? [settings] : []), ...ALL_SETTINGS]
  const found = candidates.map((candidate) => compareWith(candidate, sale, purchase, stored, of))
  return found.some((differences) => differences.length === 0) ? [] : (found[0] ?? [])
}

const compareWith = (
  settings: Settings,
  sale: RecordedSale,
  { reported }: StoredPurchase,
  stored: Stored[],
  { account, isReported }: Known,
): string[] => {
  const { externalId, amountCents, currency, commission } = sale
  const counted = account && countedOf(account, settings)
  const recorded = formatMoney(amountCents, currency)
  if (account && counted && !isReported) {
    const isEqual = currency === account.currency && isNear(amountCents, counted.net)
    if (!isEqual) {
      const { received } = account
      return [
        `${externalId}: ${money(received.cents, account.currency)} was received, of which ${money(counted.net.cents, account.currency)} counts. The ledger has a sale of ${recorded}.`,
      ]
    }
  }
  if (!commission && sale.isFirstRewarded && sale.steps.includes('proration')) {
    return [
      `${externalId}: no earlier sale of its subscription was rewarded, and it earns nothing as a change of it.`,
    ]
  }
  const isPaid = counted && account.currency && rounded(counted.gross.cents) > 0n
  const gross: Rounded = isPaid ? counted.gross : { cents: whole(amountCents), roundings: 0 }
  const paid = { gross, saleCents: amountCents, currency: isPaid ? account.currency : currency }
  const returned = returnedOf(stored, reported, paid, account, settings)
  const ofReturns = checkReturned(sale, returned, paid)
  if (!commission || commission.isRejected) return ofReturns
  const ofReward = checkReward(sale, commission)
  if (ofReward) return [...ofReturns, ofReward]
  const named = namedReturns(stored, currency)
  return [...ofReturns, ...checkReversed(sale, commission, { returned, named }, paid)]
}

/** What of the sale was returned: the same part of it as of what was received. */
const checkReturned = (
  { externalId, amountCents, currency, returnedCents }: RecordedSale,
  returned: Rounded,
  paid: { gross: Rounded; currency: string },
): string[] => {
  if (rounded(paid.gross.cents) === 0n) return []
  const perCent = over(whole(amountCents), paid.gross.cents)
  const exact = times(perCent, returned.cents)
  const slack = times(perCent, { n: BigInt(returned.roundings), d: 2n })
  if (isRounded(BigInt(returnedCents), exact, slack)) return []
  return [
    `${externalId}: ${money(paid.gross.cents, paid.currency)} was received, and ${money(returned.cents, paid.currency)} of it was returned. So ${money(exact, currency)} of the sale of ${formatMoney(amountCents, currency)} was returned. The ledger says ${formatMoney(returnedCents, currency)}.`,
  ]
}

/** Whether an amount equals the counted one, except for rounding on the way. */
const isNear = (cents: number, { cents: exact, roundings }: Rounded): boolean => {
  const difference = minus(whole(cents), exact)
  const most = { n: BigInt(roundings), d: 2n }
  return !isLess(most, difference) && !isLess(difference, minus(NOTHING, most))
}

type Commission = NonNullable<RecordedSale['commission']>

const checkReward = (sale: RecordedSale, commission: Commission): string | null => {
  const { externalId, amountCents, currency, lineRewards, cap } = sale
  const ofCaps = checkCaps(externalId, cap, commission)
  if (ofCaps) return ofCaps
  if (commission.ruled && lineRewards.length > 0)
    return checkLines(sale, lineRewards, commission.ruled, commission)
  const { basisPoints, flatCents, flatCurrency } = commission
  const earned =
    basisPoints !== null
      ? rounded(times(whole(amountCents), over(whole(basisPoints), whole(10_000))))
      : BigInt(flatCurrency === currency ? Math.min(flatCents ?? 0, amountCents) : (flatCents ?? 0))
  const inCurrency = basisPoints !== null ? currency : flatCurrency
  const uncutCents = cap?.beforeCents ?? commission.amountCents
  if (BigInt(uncutCents) === earned && commission.currency === inCurrency) return null
  const reward = basisPoints !== null ? `${basisPoints / 100}%` : 'The flat reward'
  return `${externalId}: ${reward} of the sale of ${formatMoney(amountCents, currency)} is ${formatMoney(earned, inCurrency ?? currency)}. The ledger has a commission of ${formatMoney(commission.amountCents, commission.currency)}.`
}

/** What was returned and what managers reversed of a commission, at most all of it. */
const checkReversed = (
  { externalId, lineRewards }: RecordedSale,
  commission: Commission,
  { returned, named }: { returned: Rounded; named: NamedReturn[] },
  paid: { gross: Rounded; currency: string },
): string[] => {
  const { amountCents, currency, reversedCents, byHand } = commission
  if (rounded(paid.gross.cents) === 0n) return []
  const perCent = over(whole(amountCents), paid.gross.cents)
  const share =
    lineRewards.length > 0
      ? reversedByLine(lineRewards, returned, named, paid.gross)
      : {
          exact: times(perCent, returned.cents),
          slack: times(perCent, { n: BigInt(returned.roundings), d: 2n }),
        }
  const former = byHand.filter(({ ofCents }) => ofCents !== amountCents)
  const manual = byHand.reduce(
    (sum, one) =>
      plus(sum, over(times(whole(amountCents), whole(one.amountCents)), whole(one.ofCents))),
    NOTHING,
  )
  const slack = plus(share.slack, { n: BigInt(former.length), d: 2n })
  const exact = least(plus(share.exact, manual), whole(amountCents))
  if (isRounded(BigInt(reversedCents), exact, slack)) return []
  const hand = byHand.length ? ` Managers reversed ${money(manual, currency)} by hand.` : ''
  return [
    `${externalId}: ${money(paid.gross.cents, paid.currency)} was received, and ${money(returned.cents, paid.currency)} of it was returned.${hand} So ${money(exact, currency)} of the commission of ${formatMoney(amountCents, currency)} is to be reversed. The ledger has reversed ${formatMoney(reversedCents, currency)}.`,
  ]
}
