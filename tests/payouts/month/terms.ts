/**
 * What partners are owed, and who is paid what, by the documentation: docs/payouts.md,
 * docs/decisions.md and docs/mail.md. It shares no code with the product, so that both have to be
 * wrong in the same way to agree on something wrong.
 */

export const CURRENCIES = ['USD', 'EUR', 'KWD'] as const
export type Currency = (typeof CURRENCIES)[number]

/** The digits of each currency after the point, and the step of amounts that Stripe transfers. */
export const MONEY: Record<Currency, { decimals: number; step: number }> = {
  USD: { decimals: 2, step: 1 },
  EUR: { decimals: 2, step: 1 },
  KWD: { decimals: 3, step: 10 },
}

export const DAY_MS = 86_400_000

export type Program = {
  key: 'shop' | 'club'
  holdingDays: number
  netDays: number | null
  minimumCents: number
  percent: number
}

export type AccountState = 'onboarding' | 'in_review' | 'enabled' | 'restricted' | 'closed'

/** Somebody with an address, who may be a partner of both programs. */
export type Person = {
  address: string
  country: string
  /** The account at Stripe: how it is, and how the merchant knows it. */
  account: {
    id: string
    is: AccountState
    known: AccountState
    heldUntil?: Date
    newUntil?: Date
  } | null
  /** Tried to connect from a country to which the merchant cannot transfer. */
  isUnreachable: boolean
  /** How the person wants to be paid, from when on. */
  wants: { method: 'paypal' | 'wise' | 'iban' | 'stripe'; from: Date }[]
  /**
   * What the person was reminded of: the day since which money is due, and the number in the
   * series.
   */
  reminders: { occasion: string; at: Date }[]
}

export type Partner = {
  id: string
  slug: string
  person: Person
  program: Program
  isBanned: boolean
  /** null for the program's. */
  minimumCents: number | null
  hasDocuments: boolean
  /** Mailed that the account is missing. */
  isNotified: boolean
  /** The largest amount that Stripe has refused as too small. */
  tooSmall: Partial<Record<Currency, number>>
}

type EarningKind = 'sale' | 'lead' | 'opening_balance' | 'adjustment' | 'reversal'

export type Earning = {
  partner: Partner
  kind: EarningKind
  currency: Currency
  cents: number
  at: Date
  payableAt: Date
  hold: 'held' | 'released' | 'rejected' | null
  reverses: Earning | null
  payout: Payout | null
  /** What was reported under which id, for its refunds. */
  sale: { externalId: string; amountCents: number } | null
}

type Method = 'stripe' | 'manual'

export type Payout = {
  id: string
  partner: Partner
  currency: Currency
  cents: number
  method: Method
  account: string | null
  status: 'processing' | 'paid' | 'failed' | 'canceled' | 'reversed' | 'returned'
  reversedCents: number
  paidAt: Date | null
  /** When it came back or was released: its earnings are payable again. */
  backAt: Date | null
}

/** A run's question: what is due to whom, as of `at`. */
export type Asked = {
  at: Date
  method: Method
  program?: Program | null
  /** What was recorded later can only reduce a payout. */
  previewedAt?: Date
  exclude?: Partner[]
  /** The merchant's balance; what is missing from it is not known. */
  funds?: Partial<Record<Currency, number>>
  maximum?: Partial<Record<Currency, number>>
}

export type Due = { partner: Partner; currency: Currency; cents: number; code: string | null }

/** A share in per cent, rounded half up. */
export const shareOf = (cents: number, percent: number): number =>
  Math.floor((cents * percent * 2 + 100) / 200)

/**
 * When a commission of a program is payable: after its holding period, and not before the net
 * terms.
 */
export const payableFrom = (at: Date, { holdingDays, netDays }: Program): Date => {
  const held = at.getTime() + holdingDays * DAY_MS
  if (netDays === null) return new Date(held)
  const lastDay = Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 0)
  return new Date(Math.max(held, lastDay + netDays * DAY_MS))
}

export const sum = (numbers: number[]): number => numbers.reduce((total, one) => total + one, 0)

export const isHeld = (earning: Earning): boolean => (earning.reverses ?? earning).hold === 'held'
