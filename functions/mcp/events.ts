import * as z from 'zod'
import { ApiError } from '../../lib/http/errors.ts'
import { integer } from '../../lib/http/fields.ts'
import { found } from '../../lib/http/found-or-404.ts'
import { page } from '../../lib/http/lists.ts'
import { id } from '../../lib/http/report-fields.ts'
import { inEnglish } from '../../lib/languages/message.ts'
import { listUncredited } from '../../lib/tracking/checks/uncredited.queries.ts'
import { type Evidence, evidenceWords } from '../../lib/tracking/checks/uncredited.ts'
import { eventResponse } from '../../lib/tracking/events/event-response.ts'
import { findEvent, listEvents } from '../../lib/tracking/events/events.queries.ts'
import { tool } from './tools.ts'

/** A sale and a lead may have the same external id, and so may their refunds. */
const MAX_ALIKE = 20
/** An event is about 1 KB, and a model reads them all. */
const MAX_SALES = 50
const USUAL_SALES = 20

/**
 * The likely evidence of a partner, as the page "Not credited" words it.
 * @param occurredAt the time of the sale
 */
const evidenceResponse = (evidence: Evidence | null, occurredAt: Date) =>
  evidence && { text: evidenceWords(inEnglish, evidence, occurredAt), ...evidence }

export const explainEvent = tool(
  'explain_event',
  {
    title: 'Explain an event',
    description:
      'Finds a sale, lead or refund by its Tributary id or by the external id under which it was reported, and explains it: ' +
      'which partner was credited, with what commission, and why, step by step as sentences. Use it for questions such as ' +
      '"Why did nobody earn a commission on order 1042?"',
    input: z
      .strictObject({
        id: z.optional(id('The event’s id: a UUID.')),
        externalId: z.optional(
          id('Your own id of the sale or lead, such as an order or invoice number.'),
        ),
      })
      .refine((args) => (args.id === undefined) !== (args.externalId === undefined), {
        error: 'Give either id or externalId.',
      }),
  },
  async (c, { id, externalId }) => {
    const { db, now, workspace } = c.var
    const events =
      id === undefined
        ? await listEvents(db, workspace.id, { externalId, limit: MAX_ALIKE })
        : [await found('event', id, (uuid) => findEvent(db, workspace.id, uuid))]
    if (events.length === 0) {
      throw new ApiError(
        'not_found',
        'No event has this externalId. Check it for typing errors; if it is right, the event was never reported.',
      )
    }
    return { data: events.map((event) => eventResponse(event, now)) }
  },
)

export const listUnattributedSales = tool(
  'list_unattributed_sales',
  {
    title: 'List unattributed sales',
    description:
      'Lists the newest sales that no partner was credited with, each with the reason in words and the nearest evidence of a ' +
      'partner who may have referred the customer, or null. Use it to find sales that a manager should credit, and to find out ' +
      'whether tracking works: many sales without a click id mean that the snippet or the backend does not pass it on.',
    input: z.strictObject({
      limit: integer(1, MAX_SALES, 'How many sales to list.').default(USUAL_SALES),
      cursor: z.uuid().optional().meta({ description: 'The `nextCursor` of the previous page.' }),
    }),
  },
  async (c, { limit, cursor }) => {
    const { db, now, workspace } = c.var
    const sales = await listUncredited(db, workspace.id, { kind: 'sale', cursor, limit: limit + 1 })
    return page(sales, limit, (event) => {
      const sale = eventResponse(event, now)
      const evidence = evidenceResponse(event.evidence, event.occurredAt)
      return { reason: sale.steps.map((step) => step.text).join(' '), evidence, ...sale }
    })
  },
)
