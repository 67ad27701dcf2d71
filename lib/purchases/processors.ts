/** The payment processors. Each has a folder beside this file, and a line here. */
import { isStripeId } from './stripe/ids.ts'

export type Processor = 'stripe'

const ID_PATTERNS: Record<Processor, (id: string) => boolean> = { stripe: isStripeId }

/** Whether an id has the form of a processor's invoice, payment, charge or checkout. */
export const isProcessorId = (id: string): boolean => Object.values(ID_PATTERNS).some((isOf) => isOf(id))
