/** Requests about webhooks, for the API and the pages' forms. */
import * as z from 'zod'
import { integer, line, nullWhenBlank, optional } from '../http/fields.ts'
import { Page } from '../http/lists.ts'
import { DELIVERY_STATUSES } from './deliveries/deliveries.ts'
import { WEBHOOK_TYPES } from './types.ts'

const url = z
  .string('Must be a string.')
  .trim()
  .max(2_048, 'Must have at most 2,048 characters.')
  .meta({ description: 'Where events are sent: https, and no address of a private network.' })

const types = z
  .array(z.enum(WEBHOOK_TYPES))
  .min(1, 'Choose at least one type.')
  .transform((chosen) => WEBHOOK_TYPES.filter((type) => chosen.includes(type)))
  .meta({ description: 'The types of events to send.' })

const description = line(255).transform(nullWhenBlank).meta({ description: 'For people.' })

/** POST /api/workspaces/:workspace/webhook-endpoints. */
export const NewWebhookEndpoint = z
  .strictObject({ url, types, description: optional(description) })
  .meta({ id: 'NewWebhookEndpoint' })
export type NewWebhookEndpoint = z.output<typeof NewWebhookEndpoint>

/** PATCH /api/workspaces/:workspace/webhook-endpoints/:id. */
export const WebhookEndpointChange = z
  .strictObject({
    url: optional(url),
    types: optional(types),
    description: optional(description),
    enabled: optional(z.boolean()).meta({
      description:
        'A disabled endpoint is sent nothing, and what happens meanwhile is not kept for it.',
    }),
  })
  .meta({ id: 'WebhookEndpointChange' })
export type WebhookEndpointChange = z.output<typeof WebhookEndpointChange>

/** POST /api/workspaces/:workspace/webhook-endpoints/:id/rotate-secret. */
export const SecretRotation = z
  .strictObject({
    overlapHours: integer(
      0,
      168,
      'How long requests are signed with the former secret too.',
    ).default(24),
  })
  .meta({ id: 'WebhookSecretRotation' })

/** POST /api/workspaces/:workspace/webhook-endpoints/:id/resend. */
export const WebhookResend = z
  .strictObject({
    since: z.iso
      .datetime({ offset: true, error: 'Must be a time such as 2027-01-31T00:00:00Z.' })
      .transform((time) => new Date(time))
      .meta({ description: 'Events from this time on. They are kept for 30 days.' }),
    onlyFailed: z.boolean().default(false).meta({ description: 'Not those that were delivered.' }),
  })
  .meta({ id: 'WebhookResend' })

/** The query of GET /api/workspaces/:workspace/webhook-deliveries. */
export const WebhookDeliveryQuery = Page.extend({
  endpointId: z.uuid().optional(),
  status: z.enum(DELIVERY_STATUSES).optional(),
})
