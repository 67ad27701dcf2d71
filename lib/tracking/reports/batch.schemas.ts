/** Requests of POST /api/track/batch. */
import * as z from 'zod/mini'
import { ApiError } from '../../http/errors.ts'
import {
  checkCodes,
  checkLines,
  leadFields,
  saleFields,
  toLead,
  toSale,
} from './reports.schemas.ts'

const MAX_EVENTS = 500

/** The largest body of a batch, in bytes: 500 reports of 2 KiB each, or fewer that have lines. */
export const BATCH_MAX_BYTES = 1024 * 1024

/** One report of a batch. */
export const BatchEvent = z
  .discriminatedUnion('kind', [
    z
      .pipe(
        z.extend(saleFields, { kind: z.literal('sale') }).check(checkCodes, checkLines),
        z.transform((sale) => toSale(sale)),
      )
      .check(z.meta({ id: 'BatchSale' })),
    z
      .pipe(
        z.extend(leadFields, { kind: z.literal('lead') }).check(checkCodes),
        z.transform((lead) => toLead(lead)),
      )
      .check(z.meta({ id: 'BatchLead' })),
  ])
  .check(z.meta({ id: 'BatchEvent' }))

/** The body, as it is documented. */
export const Batch = z
  .object({
    events: z
      .array(BatchEvent)
      .check(
        z.minLength(1),
        z.maxLength(MAX_EVENTS),
        z.describe('In the order in which they count.'),
      ),
  })
  .check(z.meta({ id: 'Batch' }))

/** The body as validated: each report by itself, so that an invalid one refuses no other. */
export const BatchRequest = z.object({
  events: z.array(z.unknown()).check(z.minLength(1, 'Must have at least one event.')),
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
