/** Which part of what was paid a program rewards. Design, section 5: What amounts are. */
import type { PartnerTerms } from '../tracking/attribution.ts'
import type { Money } from '../tracking/rewards.ts'
import type { Paid } from './facts.ts'

/** The settings of the program that decide it. */
type Settings = Pick<PartnerTerms, 'rewardShipping' | 'creditOutOfBand'>

/** What counts if nobody is credited. */
const DEFAULTS: Settings = { rewardShipping: false, creditOutOfBand: false }

const ALL_SETTINGS: Settings[] = [true, false].flatMap((rewardShipping) =>
  [true, false].map((creditOutOfBand) => ({ rewardShipping, creditOutOfBand })),
)

/** The same of a sale that was recorded under other settings. Null if none of them gives what was recorded. */
export const recountedOf = (sale: Money, paid: Paid[], settings: Settings): Money | null => {
  const source = paid.find(
    (one) =>
      one.currency === sale.currency &&
      ALL_SETTINGS.some((former) => BigInt(countedOf(one, former).netCents) === sale.amountCents),
  )
  return source ? { ...sale, amountCents: BigInt(countedOf(source, settings).netCents) } : null
}

/** The amounts that count for a program. */
export const countedOf = (paid: Paid, { rewardShipping, creditOutOfBand }: Settings = DEFAULTS): Paid => {
  const { currency, outOfBand } = paid
  const parts = [paid, ...(creditOutOfBand && outOfBand ? [outOfBand] : [])]
  const sum = (amounts: number[]) => amounts.reduce((total, amount) => total + amount, 0)
  return {
    grossCents: sum(parts.map(({ grossCents }) => grossCents)),
    netCents: sum(
      parts.map(({ netCents, shippingCents = 0 }) => netCents - (rewardShipping ? 0 : shippingCents)),
    ),
    currency,
  }
}
