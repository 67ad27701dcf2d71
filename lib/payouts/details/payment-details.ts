/** How a partner wants to be paid, and what for: the details that are stored encrypted. */
import { maskCustomer } from '../../values/mask-customer.ts'
import { ibanCountry } from '../files/iban.ts'

/** `stripe` needs no details: it is a connected account. */
export const PAYMENT_METHODS = ['stripe', 'paypal', 'wise', 'iban'] as const
export type PaymentMethod = (typeof PAYMENT_METHODS)[number]

/** Whether an account belongs to a person or to a company. */
export const HOLDERS = ['person', 'company'] as const
export type Holder = (typeof HOLDERS)[number]

/** The encrypted details. Addresses and IBANs are normalized. `name` is the account's holder. */
export type PaymentDetails =
  | { method: 'paypal'; address: string }
  | { method: 'wise'; address: string; name: string; holder: Holder }
  | { method: 'iban'; iban: string; name: string; holder: Holder }

export const maskIban = (iban: string): string => `${ibanCountry(iban)}••• ${iban.slice(-4)}`

/** The details to show: an IBAN's country and last four characters, or a masked address. */
export const maskDetails = (details: PaymentDetails): string =>
  details.method === 'iban' ? maskIban(details.iban) : maskCustomer(details.address)

/** The country of an IBAN; null for other details. */
export const countryOf = (details: PaymentDetails): string | null =>
  details.method === 'iban' ? ibanCountry(details.iban) : null

/**
 * Hours until new details or another Stripe account take effect. Meanwhile the mail about the
 * change lets its reader stop a change by somebody else.
 */
const HOLD_HOURS = 72

/** More changes within a day are refused: each is mailed. */
export const MAX_CHANGES_PER_DAY = 5

/** The time at which new details, or an account that replaces another one, take effect. */
export const effectiveFrom = (now: Date): Date => new Date(now.getTime() + HOLD_HOURS * 3_600_000)

/** Since when a first account is new: amounts made by hand wait, as only their maker may know. */
export const newSince = (now: Date): Date => new Date(now.getTime() - HOLD_HOURS * 3_600_000)

/** Since when a former address gets mails about changes too: a stranger may have the new one. */
export const formerAddressesSince = (now: Date): Date =>
  new Date(now.getTime() - HOLD_HOURS * 3_600_000)

const METHOD_WORDS: Record<PaymentMethod, string> = {
  stripe: 'Stripe',
  paypal: 'PayPal',
  wise: 'Wise',
  iban: 'bank transfer',
}

/** How somebody is paid, for people: "bank transfer (DE••• 3000)". */
export const paidByWords = ({
  method,
  masked,
}: {
  method: PaymentMethod
  masked: string | null
}): string => (masked ? `${METHOD_WORDS[method]} (${masked})` : METHOD_WORDS[method])

type Offer = { paysByStripe: boolean; paypal: boolean; wise: boolean; iban: boolean }

export const offeredMethods = ({ paysByStripe, ...others }: Offer): PaymentMethod[] =>
  PAYMENT_METHODS.filter((method) => (method === 'stripe' ? paysByStripe : others[method]))
