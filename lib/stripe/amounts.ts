/** Stripe's amounts: whole numbers, of units that are not always those of ISO 4217. */
import { decimalsOf } from '../values/money.ts'

/** Currencies that Stripe counts in whole units. ISO 4217 gives the ariary two decimals. */
const WHOLE = new Set('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '))
/** Currencies that Stripe counts in thousandths. */
const THOUSANDTHS = new Set(['BHD', 'JOD', 'KWD', 'OMR', 'TND'])

/**
 * All others are counted in hundredths: the króna and the Ugandan shilling too, which have none.
 */
const stripeDecimals = (currency: string): number =>
  WHOLE.has(currency) ? 0 : THOUSANDTHS.has(currency) ? 3 : 2

/**
 * An amount of Stripe's in the minor units of ISO 4217: 500 of ISK are 5.
 *
 * @param currency upper case
 */
export const fromStripe = (amount: number, currency: string): number =>
  Math.round(amount * 10 ** (decimalsOf(currency) - stripeDecimals(currency)))

/**
 * An amount in the minor units of ISO 4217 as Stripe counts it: 5 of ISK are 500.
 *
 * @param currency upper case
 * @returns null for what Stripe can't count, as parts of an ariary
 */
export const toStripe = (amountCents: bigint, currency: string): number | null => {
  const apart = stripeDecimals(currency) - decimalsOf(currency)
  const factor = 10n ** BigInt(Math.abs(apart))
  if (apart >= 0) return Number(amountCents * factor)
  return amountCents % factor === 0n ? Number(amountCents / factor) : null
}
