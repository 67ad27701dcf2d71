/** The payment processors. Each has a folder beside this file, and a line in each of these. */
import { isStripeCustomerId, isStripeId } from './stripe-ids.ts'

export const PROCESSORS = ['stripe'] as const
export type Processor = (typeof PROCESSORS)[number]

export const PROCESSOR_NAMES: Record<Processor, string> = { stripe: 'Stripe' }

type Test = (id: string) => boolean

const PURCHASES: Record<Processor, Test> = { stripe: isStripeId }
const CUSTOMERS: Record<Processor, Test> = { stripe: isStripeCustomerId }

/** Whether an id has the form of a processor's purchase. As purchase_id_kind of schema.sql. */
export const isProcessorId = (id: string): boolean =>
  Object.values(PURCHASES).some((isOf) => isOf(id))

/** The processor whose customer id this is by its form, or null. */
export const processorOfCustomer = (id: string): Processor | null =>
  (Object.keys(CUSTOMERS) as Processor[]).find((processor) => CUSTOMERS[processor](id)) ?? null

/** Who reports the sales that earn, as a workspace chooses: a processor, the API, or both. */
export const SALES_FROM = ['both', 'stripe', 'api'] as const
export type SalesFrom = (typeof SALES_FROM)[number]

/** Processors keep test payments apart from real ones. A workspace takes one mode. */
export const MODES = ['live', 'test'] as const
export type Mode = (typeof MODES)[number]

/** The step of a sale reported by API while the processor's event of it is to earn. */
export const SALE_EXPECTED = 'sale_expected_from_stripe'
