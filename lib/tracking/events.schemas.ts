/** Requests about events, for the API and the pages' forms. */
import * as z from 'zod'
import { id } from '../http/fields.ts'
import { Page } from '../http/lists.ts'
import { EVENT_KINDS } from './event-kinds.ts'

/** The filters of GET /api/workspaces/:workspace/events. */
export const EventQuery = z.object({
  kind: z.enum(EVENT_KINDS).optional(),
  externalId: id('The external id of the event.').optional(),
  partnerId: z.uuid().optional(),
  attributed: z.stringbool({ truthy: ['true'], falsy: ['false'] }).optional(),
  overdue: z
    .stringbool({ truthy: ['true'], falsy: ['false'] })
    .optional()
    .meta({
      description: '`true`: sales that the payment processor should have reported by now, and has not.',
    }),
  ...Page.shape,
})
