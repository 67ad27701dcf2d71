/** How a partner is paid, in the language of the page. */
import * as m from '../../languages/messages.ts'
import type { PaymentMethod } from '../../payouts/details/payment-details.ts'
import { t } from '../layout/text.ts'

const METHODS = {
  stripe: m.method_stripe,
  paypal: m.method_paypal,
  wise: m.method_wise,
  iban: m.method_iban,
} as const

/** A method within a sentence. */
export const methodWords = (method: PaymentMethod): string => t(METHODS[method])

/** A method alone. */
export const methodTitle = (method: PaymentMethod): string =>
  t(method === 'iban' ? m.method_iban_title : METHODS[method])

/** How a partner is paid, within a sentence: "bank transfer (DE••• 3000)". */
export const paidBy = ({
  method,
  masked,
}: {
  method: PaymentMethod
  masked: string | null
}): string =>
  masked ? t(m.method_masked, { method: methodWords(method), masked }) : methodWords(method)
