/** Money: an integer of minor units and an ISO 4217 code. All rounding and formatting is here. */

/** Minor units of a currency. */
export type Money = { amountCents: bigint; currency: string }

/**
 * A trillion dollars or rupiah less a cent. JSON numbers are exact up to it, and the sum of 90,000
 * such amounts fits a Postgres bigint.
 */
export const MAX_AMOUNT_CENTS = 99_999_999_999_999

export const sumOf = (amounts: bigint[]): bigint => amounts.reduce((sum, cents) => sum + cents, 0n)

/** The smaller amount. */
export const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/** In basis points. */
const WHOLE = 10_000n

/**
 * `amountCents * part / whole`, rounded half up, in integers.
 *
 * @param amountCents an amount, minor units, 0 or more
 * @param part        0 or more
 * @param whole       1 or more
 */
export const proportionOf = (amountCents: bigint, part: bigint, whole: bigint): bigint =>
  (2n * amountCents * part + whole) / (2n * whole)

/**
 * A share of an amount: 10% of 15 cents is 2 cents.
 *
 * @param amountCents an amount, minor units, 0 or more
 * @param basisPoints hundredths of a per cent, 0 to 10,000
 */
export const shareOf = (amountCents: bigint, basisPoints: number): bigint =>
  proportionOf(amountCents, BigInt(basisPoints), WHOLE)

/**
 * The current ISO 4217 codes by decimals, with BGN and HRK, in which old invoices are still
 * refunded. Intl is not usable: it lists historical currencies, and has the decimals of cash (0 for
 * HUF and IDR).
 */
const CODES_BY_DECIMALS: [decimals: number, codes: string][] = [
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
  [
    2,
    `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW
     CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HRK HTG HUF
     IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN
     MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS
     SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG`,
  ],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
]

const DECIMALS = new Map(
  CODES_BY_DECIMALS.flatMap(([decimals, codes]) =>
    codes.split(/\s+/).map((code) => [code, decimals] as const),
  ),
)

/** @param currency in upper case */
export const decimalsOf = (currency: string): number => DECIMALS.get(currency) ?? 2

/** @param code in upper case */
export const isCurrency = (code: string): boolean => DECIMALS.has(code)

/** An amount as an exact decimal, as `parseMoney` reads it: 980 USD is "9.80", 980 JPY is "980". */
export const exactMoney = (amountCents: bigint | number, currency: string): `${number}` => {
  const decimals = decimalsOf(currency)
  const cents = BigInt(amountCents)
  const digits = String(cents < 0n ? -cents : cents).padStart(decimals + 1, '0')
  const fraction = decimals ? `.${digits.slice(-decimals)}` : ''
  return `${cents < 0n ? '-' : ''}${digits.slice(0, digits.length - decimals)}${fraction}` as `${number}`
}

/**
 * Formats an amount for people whose language is unknown: 980 USD is "9.80 USD", 98,000,000 KWD is
 * "98,000.000 KWD".
 */
export const formatMoney = (amountCents: bigint | number, currency: string): string => {
  const [units = '', fraction] = exactMoney(amountCents, currency).split('.')
  const grouped = units.replace(/\B(?=(\d{3})+$)/g, ',')
  return `${grouped}${fraction === undefined ? '' : `.${fraction}`} ${currency}`
}

/**
 * Parses a typed amount into minor units: "9.80" USD is 980.
 * @returns null for an invalid amount, or too many decimals
 */
export const parseMoney = (text: string, currency: string): number | null => {
  const decimals = decimalsOf(currency)
  const [, units, fraction = ''] = /^(\d{1,14})(?:\.(\d+))?$/.exec(text) ?? []
  if (units === undefined || fraction.length > decimals) return null
  return Number(units + fraction.padEnd(decimals, '0'))
}

/** Formats an amount in a sentence: `formatMoney`, or in the reader's language. */
export type MoneyFormat = typeof formatMoney
