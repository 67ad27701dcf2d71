import type { ZodOpenApiPathsObject } from 'zod-openapi'
import {
  WebhookDeliveryDetailResponse,
  WebhookDeliveryResponse,
  WebhookEndpointResponse,
  WebhookResendResponse,
  WebhookSecretResponse,
} from '../../lib/webhooks/webhooks.responses.ts'
import {
  NewWebhookEndpoint,
  SecretRotation,
  WebhookDeliveryQuery,
  WebhookEndpointChange,
  WebhookResend,
} from '../../lib/webhooks/webhooks.schemas.ts'
import {
  act,
  actWith,
  byWriter,
  get,
  id,
  list,
  patch,
  post,
  remove,
  WORKSPACE,
} from '../operations.ts'

const test = act('Send a test event', WebhookDeliveryDetailResponse)
const { '200': queued, ...testErrors } = test.responses ?? {}

export const webhooks: ZodOpenApiPathsObject = {
  [`${WORKSPACE}/webhook-endpoints`]: {
    get: list('List webhook endpoints', WebhookEndpointResponse),
    post: byWriter(
      post('Add a webhook endpoint', NewWebhookEndpoint, WebhookSecretResponse, {}, 'conflict'),
    ),
  },
  [`${WORKSPACE}/webhook-endpoints/{id}`]: {
    get: get('Get a webhook endpoint', WebhookEndpointResponse),
    patch: byWriter(
      patch(
        'Change, enable or disable a webhook endpoint',
        WebhookEndpointChange,
        WebhookEndpointResponse,
      ),
    ),
    delete: byWriter(remove('Remove a webhook endpoint')),
  },
  [`${WORKSPACE}/webhook-endpoints/{id}/rotate-secret`]: {
    post: byWriter(actWith('Replace the signing secret', SecretRotation, WebhookSecretResponse)),
  },
  [`${WORKSPACE}/webhook-endpoints/{id}/test`]: {
    post: byWriter({ ...test, responses: { 201: queued, ...testErrors } }),
  },
  [`${WORKSPACE}/webhook-endpoints/{id}/resend`]: {
    post: byWriter(actWith('Resend the events since a time', WebhookResend, WebhookResendResponse)),
  },
  [`${WORKSPACE}/webhook-deliveries`]: {
    get: list('List webhook deliveries', WebhookDeliveryResponse, WebhookDeliveryQuery),
  },
  [`${WORKSPACE}/webhook-deliveries/{id}`]: {
    get: get('Get a delivery with its requests and responses', WebhookDeliveryDetailResponse, id),
  },
  [`${WORKSPACE}/webhook-deliveries/{id}/resend`]: {
    post: byWriter(act('Resend an event', WebhookDeliveryDetailResponse)),
  },
}
