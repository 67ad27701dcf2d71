/** Requests about events, for the API and the pages' forms. */
import * as z from 'zod'
import { line, NOT_BLANK } from '../../http/fields.ts'
import { OrderedPage, Page } from '../../http/lists.ts'
import { id } from '../../http/report-fields.ts'
import { EVENT_KINDS } from '../../rules/steps/event-kinds.ts'
import { MAX_AMOUNT_CENTS } from '../../values/money.ts'

/** POST /api/workspaces/:workspace/events/:id/credit. */
export const NewCredit = z
  .strictObject({
    partnerId: z
      .uuid()
      .nullable()
      .meta({ description: 'The partner to credit; null credits nobody.' }),
    reason: line(500).min(1, NOT_BLANK).meta({ description: 'Why. The partner sees it.' }),
    customer: z.boolean().default(false).meta({
      description:
        '`true`: the customer belongs to the partner from now on. By default only if it belongs to nobody.',
    }),
  })
  .meta({ id: 'NewCredit' })

/** The form that records a refund of a sale. */
export const HandRefund = z.strictObject({
  externalId: id('Identifies repeated forms.'),
  amountCents: z.int().min(1).max(MAX_AMOUNT_CENTS).optional(),
  reason: line(500).min(1, NOT_BLANK),
})
export type HandRefund = z.output<typeof HandRefund>

/** The filters of the page of events that nobody is credited with. */
export const UncreditedQuery = z.object({
  show: z.enum(['sales', 'likely', 'leads']).default('sales'),
  cursor: Page.shape.cursor,
})

/** The filters of GET /api/workspaces/:workspace/mismatches. */
export const MismatchQuery = z.object({
  eventId: z.uuid().optional().meta({ description: 'Only those under the ID of this event.' }),
  ...Page.shape,
})

/** The filters of GET /api/workspaces/:workspace/events. */
export const EventQuery = z.object({
  kind: z.enum(EVENT_KINDS).optional(),
  externalId: z.optional(id('The external id of the event.')),
  partnerId: z.uuid().optional(),
  attributed: z
    .stringbool({ truthy: ['true'], falsy: ['false'] })
    .optional()
    .meta({ description: '`false`: events that no partner is credited with.' }),
  overdue: z
    .stringbool({ truthy: ['true'], falsy: ['false'] })
    .optional()
    .meta({
      description:
        '`true`: sales that the payment processor should have reported by now, and has not.',
    }),
  ...OrderedPage.shape,
})
