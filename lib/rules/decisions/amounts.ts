/** Which part of what was paid a program rewards. Design, section 5: What amounts are. */
import { type Money, proportionOf } from '../../values/money.ts'
import type { PartnerTerms } from '../attribution/attribution.ts'
import type { Paid, PaidPart } from '../purchases/facts.ts'

/** The settings of the program that decide it. */
type Settings = Pick<PartnerTerms, 'rewardShipping' | 'creditOutOfBand'>

/** What counts if nobody is credited. */
const DEFAULTS: Settings = { rewardShipping: false, creditOutOfBand: false }

const ALL_SETTINGS: Settings[] = [true, false].flatMap((rewardShipping) =>
  [true, false].map((creditOutOfBand) => ({ rewardShipping, creditOutOfBand })),
)

/** The same of a sale that was recorded under other settings. Null if none gives its amount. */
export const recountedOf = (sale: Money, paid: Paid[], settings: Settings): Money | null => {
  const source = paid.find(
    (one) =>
      one.currency === sale.currency &&
      ALL_SETTINGS.some((former) => BigInt(countedOf(one, former).netCents) === sale.amountCents),
  )
  return source ? { ...sale, amountCents: BigInt(countedOf(source, settings).netCents) } : null
}

/** The amounts that count for a program. */
export const countedOf = (
  paid: Paid,
  { rewardShipping, creditOutOfBand }: Settings = DEFAULTS,
): Paid => {
  const { currency, outOfBand } = paid
  const counted = [paid, ...(creditOutOfBand && outOfBand ? [outOfBand] : [])].map((part) =>
    countedPart(part, { rewardShipping }),
  )
  const sum = (amounts: number[]) => amounts.reduce((total, amount) => total + amount, 0)
  return {
    grossCents: sum(counted.map(({ grossCents }) => grossCents)),
    netCents: sum(counted.map(({ netCents }) => netCents)),
    currency,
  }
}

/** A part of what was paid or given back: its net amount as it counts for a program. */
export const countedPart = (
  { grossCents, netCents, shippingCents = 0 }: PaidPart,
  { rewardShipping }: Pick<Settings, 'rewardShipping'> = DEFAULTS,
): PaidPart => ({ grossCents, netCents: netCents - (rewardShipping ? 0 : shippingCents) })

/** The same parts of another total: of what is due, say, when less was captured. Rounds half up. */
export const scaledTo = (grossCents: number, { currency, ...due }: Paid): Paid => {
  if (due.grossCents === grossCents || due.grossCents === 0) return { currency, ...due }
  const part = (cents: number) =>
    Number(proportionOf(BigInt(cents), BigInt(grossCents), BigInt(due.grossCents)))
  const { netCents, shippingCents = 0 } = due
  return {
    grossCents,
    netCents: part(netCents),
    ...(shippingCents > 0 && { shippingCents: part(shippingCents) }),
    currency,
  }
}
