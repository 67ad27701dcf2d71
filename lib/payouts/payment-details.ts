/** How a partner wants to be paid, and what for: the details that are stored encrypted. */
import { maskCustomer } from '../portal/mask.ts'
import { ibanCountry } from './files/iban.ts'

/** `stripe` needs no details: it is a connected account. */
const PAYMENT_METHODS = ['stripe', 'paypal', 'wise', 'iban'] as const
export type PaymentMethod = (typeof PAYMENT_METHODS)[number]

/** Whether an account belongs to a person or to a company. */
const HOLDERS = ['person', 'company'] as const
export type Holder = (typeof HOLDERS)[number]

/** What is encrypted. Addresses and IBANs are normalized. `name` is the account's holder. */
export type PaymentDetails =
  | { method: 'paypal'; address: string }
  | { method: 'wise'; address: string; name: string; holder: Holder }
  | { method: 'iban'; iban: string; name: string; holder: Holder }

/** An IBAN as people may see it. */
export const maskIban = (iban: string): string => `${ibanCountry(iban)}••• ${iban.slice(-4)}`

/** The details as people may see them: an IBAN's country and last four characters, or a masked address. */
export const maskDetails = (details: PaymentDetails): string =>
  details.method === 'iban' ? maskIban(details.iban) : maskCustomer(details.address)

/** The country of an IBAN; null for other details. */
export const countryOf = (details: PaymentDetails): string | null =>
  details.method === 'iban' ? ibanCountry(details.iban) : null
