/** Money: an integer of minor units and an ISO 4217 code. Everything that rounds or formats it is here. */

/** Shares are counted in basis points: 10,000 of them are the whole. */
const WHOLE = 10_000n

/**
 * A share of an amount, in the same minor units.
 * Rounds half up, in integers: 10 % of 15 cents is 2 cents.
 *
 * @param amountCents an amount, minor units, 0 or more
 * @param basisPoints hundredths of a per cent, 0 to 10,000
 */
export const shareOf = (amountCents: bigint, basisPoints: number): bigint =>
  (amountCents * BigInt(basisPoints) + WHOLE / 2n) / WHOLE

/**
 * The ISO 4217 codes of money in use, and of BGN and HRK, in which old invoices are still refunded.
 * Intl's own list won't do: it also holds the marks and francs of countries that are gone.
 */
const CURRENCIES = new Set(
  `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD
   CDF CHE CHF CHW CLF CLP CNY COP COU CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS
   GIP GMD GNF GTQ GYD HKD HNL HRK HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD
   KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO
   NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD
   SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV
   WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG`.split(/\s+/),
)

/** Whether a code is a currency that a sale may be in. Expects upper case. */
export const isCurrency = (code: string): boolean => CURRENCIES.has(code)

/** An amount as a person writes it: 980 USD is "9.80 USD", 980 JPY is "980 JPY", 980 KWD is "0.980 KWD". */
export const formatMoney = (amountCents: bigint | number, currency: string): string => {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency })
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2
  const amount = Number(amountCents) / 10 ** digits
  return `${amount.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${currency}`
}
