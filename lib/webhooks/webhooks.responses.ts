import * as z from 'zod'
import { timestamp } from '../http/common.responses.ts'
import { DELIVERY_STATUSES } from './deliveries/deliveries.ts'
import { TRY_ERRORS } from './deliveries/delivery-attempts.ts'
import { WEBHOOK_TYPES } from './types.ts'

const endpoint = {
  id: z.uuid(),
  url: z.string(),
  description: z.string().nullable(),
  types: z.array(z.enum(WEBHOOK_TYPES)),
  status: z.enum(['enabled', 'disabled']),
  disabledReason: z.enum(['manager', 'failing']).nullable().meta({
    description: '`failing`: no request had succeeded for three days.',
  }),
  disabledAt: timestamp.nullable(),
  failingSince: timestamp.nullable().meta({
    description: 'The first failure after which no request has succeeded; null after a success.',
  }),
  formerSecretUntil: timestamp.nullable().meta({
    description: 'Until when requests are signed with the former secret too; null if it has ended.',
  }),
  createdAt: timestamp,
}

export const WebhookEndpointResponse = z.strictObject(endpoint).meta({ id: 'WebhookEndpoint' })
export type WebhookEndpointResponse = z.infer<typeof WebhookEndpointResponse>

/** The answer to creating an endpoint and to rotating its secret. */
export const WebhookSecretResponse = z
  .strictObject({
    ...endpoint,
    secret: z.string().meta({
      description:
        'Signs the requests: `whsec_...`. Returned only here: it cannot be retrieved later.',
    }),
  })
  .meta({ id: 'WebhookEndpointWithSecret' })
export type WebhookSecretResponse = z.infer<typeof WebhookSecretResponse>

const delivery = {
  id: z.uuid(),
  endpointId: z.uuid(),
  eventId: z.uuid().meta({ description: 'The `webhook-id` of the requests.' }),
  type: z.string(),
  subjectId: z.uuid().meta({ description: 'The id of what the event is about.' }),
  status: z.enum(DELIVERY_STATUSES),
  attempts: z.int().meta({ description: 'Since it was last queued.' }),
  createdAt: timestamp,
  nextAttemptAt: timestamp.nullable().meta({ description: 'null if it has ended.' }),
  deliveredAt: timestamp.nullable(),
  failedAt: timestamp.nullable(),
}

export const WebhookDeliveryResponse = z.strictObject(delivery).meta({ id: 'WebhookDelivery' })
export type WebhookDeliveryResponse = z.infer<typeof WebhookDeliveryResponse>

export const WebhookDeliveryDetailResponse = z
  .strictObject({
    ...delivery,
    payload: z.string().nullable().meta({
      description: 'The body of the requests; null until the first one, and after an erasure.',
    }),
    tries: z
      .array(
        z.strictObject({
          at: timestamp,
          status: z.int().nullable().meta({ description: 'Of the response; null without one.' }),
          ms: z.int(),
          error: z.enum(TRY_ERRORS).nullable(),
          response: z
            .string()
            .nullable()
            .meta({ description: 'The beginning of the response’s body.' }),
        }),
      )
      .meta({ description: 'The latest 20 requests, the first one first.' }),
  })
  .meta({ id: 'WebhookDeliveryDetail' })
export type WebhookDeliveryDetailResponse = z.infer<typeof WebhookDeliveryDetailResponse>

/** POST /api/workspaces/:workspace/webhook-endpoints/:id/resend. */
export const WebhookResendResponse = z
  .strictObject({
    resent: z.int(),
    continueFrom: timestamp.nullable().meta({
      description:
        'The `since` of the next request, if there were more than one request resends; else null.',
    }),
  })
  .meta({ id: 'WebhookResendResult' })
export type WebhookResendResponse = z.infer<typeof WebhookResendResponse>
