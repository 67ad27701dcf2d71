/** The files that a manual run is paid by: which there are, and which payouts each takes. */
import type { PaymentMethod } from '../details/payment-details.ts'
import { isSepaCountry } from './iban.ts'

/**
 * `csv` lists all payouts of a run, for people. The others are for a bank or a service, and list
 * those of the partners who want to be paid so. `wise_template` has the columns of a template that
 * the merchant pastes.
 */
export const TAKER_FORMATS = ['paypal', 'wise', 'sepa', 'wise_template'] as const
export type TakerFormat = (typeof TAKER_FORMATS)[number]
export const FILE_FORMATS = ['csv', 'paypal', 'wise', 'sepa'] as const

/** Rows per file. PayPal takes 5,000, Wise 1,000; banks that document a limit, at least 5,000. */
export const MAX_ROWS: Record<TakerFormat, number> = {
  paypal: 5_000,
  wise: 1_000,
  wise_template: 1_000,
  sepa: 5_000,
}

/** What a SEPA credit transfer may be at most, in cents. */
export const MAX_SEPA_CENTS = 99_999_999_999

/** The properties that decide a payout's file. They never change, so the files do not either. */
export type PayoutKind = {
  currency: string
  /** null if the partner had given no details when the run was created. */
  method: PaymentMethod | null
  /** Of the IBAN. */
  country: string | null
  /** Whether the amount is whole in a currency of two decimals. */
  isWhole: boolean
  /** Whether the amount exceeds what a SEPA credit transfer may be: 999,999,999.99 EUR. */
  isTooLarge: boolean
}

export const LEFT_OUT_CODES = [
  'details_missing',
  'currency_not_supported',
  'amount_not_whole',
  'amount_too_large',
] as const
export type LeftOutCode = (typeof LEFT_OUT_CODES)[number]

/** What PayPal pays out. BRL, MYR and RUB are missing: they reach accounts of one country only. */
const PAYPAL_CURRENCIES = new Set(
  'AUD CAD CHF CNY CZK DKK EUR GBP HKD HUF ILS JPY MXN NOK NZD PHP PLN SEK SGD THB TWD USD'.split(
    ' ',
  ),
)
/** Currencies without decimals at PayPal, which have two in ISO 4217. Yen have none in either. */
export const PAYPAL_WHOLE: ReadonlySet<string> = new Set(['HUF', 'TWD'])

/** The file that has a payout, or why none has. */
export const fileOf = (kind: PayoutKind): { format: TakerFormat } | { code: LeftOutCode } => {
  const { method, currency, country } = kind
  if (method === 'paypal') {
    if (!PAYPAL_CURRENCIES.has(currency)) return { code: 'currency_not_supported' }
    return PAYPAL_WHOLE.has(currency) && !kind.isWhole
      ? { code: 'amount_not_whole' }
      : { format: 'paypal' }
  }
  if (method === 'wise') return { format: 'wise' }
  if (method !== 'iban') return { code: 'details_missing' }
  if (currency !== 'EUR' || !isSepaCountry(country ?? '')) return { format: 'wise_template' }
  return kind.isTooLarge ? { code: 'amount_too_large' } : { format: 'sepa' }
}

/** How a payout is to be paid, in one word: its file, or why it is in none. */
export const wayOf = (line: {
  currency: string
  amountCents: bigint
  paidBy: { method: PaymentMethod; country: string | null } | null
}): TakerFormat | LeftOutCode => {
  const { currency, amountCents, paidBy } = line
  const to = fileOf({
    currency,
    method: paidBy?.method ?? null,
    country: paidBy?.country ?? null,
    isWhole: amountCents % 100n === 0n,
    isTooLarge: amountCents > BigInt(MAX_SEPA_CENTS),
  })
  return 'format' in to ? to.format : to.code
}

/** Whether a file may have a payout. A Wise template takes any IBAN or address at Wise. */
export const takes = (format: TakerFormat, kind: PayoutKind): boolean => {
  if (format === 'wise_template') return kind.method === 'iban' || kind.method === 'wise'
  const file = fileOf(kind)
  return 'format' in file && file.format === format
}

/** One payout of a file, with its details decrypted. */
export type FileLine<Details> = {
  id: string
  partnerId: string
  /** Our reference: `PO-000042`. */
  reference: string
  currency: string
  amountCents: bigint
  details: Details
}

export const partsOf = (format: TakerFormat, payouts: number): number =>
  Math.ceil(payouts / MAX_ROWS[format])

/** How many payouts of a kind a run has, how many of them are to be paid, and their sum. */
export type KindTotal = PayoutKind & { payouts: number; payable: number; amountCents: bigint }

/** The total of a file, or of a reason for being in none, in one currency. */
type Sum = { currency: string; payouts: number; amountCents: bigint }
export type PlannedFile = Sum & { format: TakerFormat; parts: number }
type LeftOutSum = Sum & { code: LeftOutCode }

/** The files of a run, and what is in none of them. */
export type FilePlan = { files: PlannedFile[]; leftOut: LeftOutSum[] }

const sumUp = (totals: KindTotal[]) => ({
  payouts: totals.reduce((sum, { payable }) => sum + payable, 0),
  amountCents: totals.reduce((sum, { amountCents }) => sum + amountCents, 0n),
})

/** Plans the files of a run, by format and currency, in parts. Left-out payouts have a code. */
export const planFiles = (totals: KindTotal[]): FilePlan => {
  const groups = Map.groupBy(totals, (kind) => JSON.stringify([fileOf(kind), kind.currency]))
  const planned = [...groups.values()].flatMap(([first, ...rest]) => {
    if (!first) return []
    const all = [first, ...rest]
    const sum = { currency: first.currency, ...sumUp(all) }
    return sum.payouts > 0 ? [{ to: fileOf(first), all, sum }] : []
  })
  return {
    files: planned.flatMap(({ to, all, sum }) => {
      if ('code' in to) return []
      const { format } = to
      // Parts are made of all payouts, so that one that is canceled moves no other one.
      return [
        {
          format,
          ...sum,
          parts: partsOf(
            format,
            all.reduce((count, { payouts }) => count + payouts, 0),
          ),
        },
      ]
    }),
    leftOut: planned.flatMap(({ to, sum }) => ('code' in to ? [{ code: to.code, ...sum }] : [])),
  }
}
