/** Requests of POST /api/track/batch. */
import * as z from 'zod'
import { ApiError } from '../../http/errors.ts'
import { checkCodes, leadFields, saleFields, toLead, toSale } from './reports.schemas.ts'

const MAX_EVENTS = 500

/** The largest body of a batch, in bytes: 500 reports of 2 KiB each. */
export const BATCH_MAX_BYTES = 1024 * 1024

/** One report of a batch. */
export const BatchEvent = z
  .discriminatedUnion('kind', [
    saleFields
      .extend({ kind: z.literal('sale') })
      .check(checkCodes)
      .transform(toSale)
      .meta({ id: 'BatchSale' }),
    leadFields
      .extend({ kind: z.literal('lead') })
      .check(checkCodes)
      .transform(toLead)
      .meta({ id: 'BatchLead' }),
  ])
  .meta({ id: 'BatchEvent' })

/** The body, as it is documented. */
export const Batch = z
  .object({
    events: z
      .array(BatchEvent)
      .min(1)
      .max(MAX_EVENTS)
      .meta({ description: 'In the order in which they count.' }),
  })
  .meta({ id: 'Batch' })

/** The body as validated: each report by itself, so that an invalid one refuses no other. */
export const BatchRequest = z.object({
  events: z.array(z.unknown()).min(1, 'Must have at least one event.'),
})

/**
 * Refuses a batch with too many reports, before the schema checks them.
 * @throws {ApiError} `too_many_rows`
 */
export const limitEvents = (body: unknown): void => {
  const { events } = Object(body) as { events?: unknown }
  if (Array.isArray(events) && events.length > MAX_EVENTS) {
    throw new ApiError(
      'too_many_rows',
      `The batch has ${events.length} events; the limit is ${MAX_EVENTS}. Nothing was recorded. Split it into several requests.`,
    )
  }
}
