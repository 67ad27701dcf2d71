/** The payment processors. Each has a folder beside this file, and a line here. */
import { isStripeId } from './stripe/ids.ts'

export type Processor = 'stripe'

export const PROCESSOR_NAMES: Record<Processor, string> = { stripe: 'Stripe' }

const ID_PATTERNS: Record<Processor, (id: string) => boolean> = { stripe: isStripeId }

/** Whether an id has the form of a processor's invoice, payment, charge or checkout. */
export const isProcessorId = (id: string): boolean => Object.values(ID_PATTERNS).some((isOf) => isOf(id))

/** Who reports the sales that earn: a processor, the merchant by API, or both. A workspace chooses. */
export const SALES_FROM = ['both', 'stripe', 'api'] as const
export type SalesFrom = (typeof SALES_FROM)[number]

/** The step of a sale reported by API while the processor's event of it is to earn. */
export const SALE_EXPECTED = 'sale_expected_from_stripe'
