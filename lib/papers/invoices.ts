/** Self-billed invoices: what one says. */
import { formatMoney } from '../money.ts'
import { counted } from '../plural.ts'

/** A party of an invoice, as it was when the invoice was issued. */
export type Party = {
  name: string
  street: string | null
  postalCode: string | null
  city: string | null
  /** ISO 3166, upper case. */
  country: string | null
  vatId: string | null
}

/** An invoice in the name of a partner. */
export type Invoice = {
  id: string
  number: bigint
  payoutId: string
  partnerId: string
  /** Of the payout. */
  reference: string
  programName: string
  currency: string
  amountCents: bigint
  commissions: number
  supplier: Party
  customer: Party
  agreedAt: Date
  issuedAt: Date
}

/** The number of an invoice as it is written: `INV-000042`. */
export const invoiceNumber = (number: bigint): string => `INV-${String(number).padStart(6, '0')}`

/** A day: "22 November 2026". */
export const longDay = (at: Date): string =>
  at.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })

/** A party, line by line. */
export const partyLines = ({ name, street, postalCode, city, country, vatId }: Party): string[] =>
  [
    name,
    street,
    [postalCode, city].filter(Boolean).join(' '),
    country && (new Intl.DisplayNames('en', { type: 'region' }).of(country) ?? country),
    vatId && `VAT ID ${vatId}`,
  ].flatMap((line) => line || [])

/** What an invoice is for. */
export const descriptionOf = ({ programName, reference, commissions }: Invoice): string =>
  `${counted(commissions, 'commission')} of the partner program ${programName}, paid as ${reference}`

/** The amount of an invoice. */
export const totalOf = ({ amountCents, currency }: Invoice): string => formatMoney(amountCents, currency)

/** By which an invoice is one of self-billing: article 226 (10a) of the VAT directive. */
export const SELF_BILLING = 'Self-billing'

/** Why the customer issues it. */
export const agreementOf = ({ agreedAt }: Invoice): string =>
  `Issued by the customer in the name of the supplier, who agreed to self-billing on ${longDay(agreedAt)}.`
