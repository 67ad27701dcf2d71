/** Completes the lines of Stripe's objects, of which events have ten at most, or none. */
import * as z from 'zod'
import type { ProcessorEvent } from '../../rules/purchases/facts.ts'
import type { LinesOf } from '../../stripe/lines.service.ts'
import { readEvent } from './objects/events.schemas.ts'
import type { Reading } from './objects/objects.ts'

/** Lists all lines; null if they cannot be read. */
export type ListLines = (of: LinesOf) => Promise<object[] | null>

const Page = z.object({ has_more: z.boolean().nullish() }).nullish().catch(null)
const Paid = z.object({
  id: z.string(),
  object: z.string(),
  mode: z.string().nullish().catch(null),
  amount_total: z.number().nullish().catch(null),
  invoice: z.unknown().optional(),
  lines: Page,
  line_items: Page,
})

/** Where an object has its lines, if some are missing. */
const findMissing = (object: unknown): { field: 'lines' | 'line_items'; of: LinesOf } | null => {
  const { data } = Paid.safeParse(object)
  if (!data) return null
  const { id, object: kind, lines, line_items: items } = data
  if (kind === 'invoice' || kind === 'credit_note')
    return lines?.has_more ? { field: 'lines', of: { of: kind, id } } : null
  // An invoice has the lines of its checkout, and what is free earns nothing.
  const isSale = data.mode === 'payment' && !data.invoice && Boolean(data.amount_total)
  const isWhole = items != null && !items.has_more
  return kind === 'checkout.session' && isSale && !isWhole
    ? { field: 'line_items', of: { of: 'checkout', id } }
    : null
}

/** The object with all of its lines, as far as they can be read. */
export const withAllLines = async <T extends object>(object: T, list: ListLines): Promise<T> => {
  const missing = findMissing(object)
  const data = missing && (await list(missing.of))
  return data ? { ...object, [missing.field]: { object: 'list', data, has_more: false } } : object
}

const Event = z.looseObject({
  type: z.string(),
  data: z.looseObject({ object: z.looseObject({}) }),
})

/** An event with all lines of its object. Null if they cannot be read, or are in it already. */
export const readAllLines = async (
  body: unknown,
  reading: Reading,
  list: ListLines,
): Promise<ProcessorEvent | null> => {
  const { data: event } = Event.safeParse(body)
  if (!event || !reportsLines(event.type)) return null
  const { object } = event.data
  const whole = await withAllLines(object, list)
  const read = whole !== object && readEvent({ ...event, data: { object: whole } }, reading)
  return read && !read.refusal ? read : null
}

/** Whether an event counts of which lines are read. */
const reportsLines = (type: string): boolean =>
  /^(invoice\.paid|checkout\.session\.(completed|async_payment_succeeded)|credit_note\.created)$/.test(
    type,
  )
