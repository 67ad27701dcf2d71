/** Self-billed invoices. */
import { formatMoney } from '../../values/money.ts'
import { counted } from '../../values/plural.ts'

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

/** Why an invoice is corrected: the bank returned its payout, or Stripe reversed the transfer. */
export const CREDIT_REASONS = ['returned', 'reversed'] as const
export type CreditReason = (typeof CREDIT_REASONS)[number]

/** What corrects an invoice. It has the parties of the invoice. */
export type CreditNote = {
  id: string
  number: bigint
  /** The reduction of the invoice's amount. */
  amountCents: bigint
  reason: CreditReason
  issuedAt: Date
}

/** An invoice in the name of a partner. */
export type Invoice = {
  id: string
  number: bigint
  payoutId: string
  partnerId: string
  reference: string
  programName: string
  currency: string
  amountCents: bigint
  commissions: number
  supplier: Party
  customer: Party
  agreedAt: Date
  issuedAt: Date
  /** Oldest first. */
  creditNotes: CreditNote[]
}

/** The number of an invoice as it is written: `INV-000042`. */
export const invoiceNumber = (number: bigint): string => `INV-${String(number).padStart(6, '0')}`

/** The number of a credit note as it is written: `CN-000007`. */
export const creditNoteNumber = (number: bigint): string => `CN-${String(number).padStart(6, '0')}`

/** A day: "22 November 2026". */
export const longDay = (at: Date): string =>
  at.toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  })

export const partyLines = ({ name, street, postalCode, city, country, vatId }: Party): string[] =>
  [
    name,
    street,
    [postalCode, city].filter(Boolean).join(' '),
    country && (new Intl.DisplayNames('en', { type: 'region' }).of(country) ?? country),
    vatId && `VAT ID ${vatId}`,
  ].flatMap((line) => line || [])

export const descriptionOf = ({ programName, reference, commissions }: Invoice): string =>
  `${counted(commissions, 'commission')} of the partner program ${programName}, paid as ${reference}`

export const creditDescriptionOf = ({ reference }: Invoice, { reason }: CreditNote): string =>
  reason === 'returned'
    ? `Payment ${reference} was returned by the bank`
    : `Payment ${reference} was reversed`

export const totalOf = ({ amountCents, currency }: Invoice): string =>
  formatMoney(amountCents, currency)

/** The amount of a credit note, which is negative where it is written. */
export const creditTotalOf = ({ currency }: Invoice, { amountCents }: CreditNote): string =>
  formatMoney(-amountCents, currency)

/** The mention that article 226 (10a) of the VAT directive requires of self-billed invoices. */
export const SELF_BILLING = 'Self-billing'

/** The agreement by which the customer issues the invoice. */
export const agreementOf = ({ agreedAt }: Invoice): string =>
  `Issued by the customer in the name of the supplier, who agreed to self-billing on ${longDay(agreedAt)}.`
