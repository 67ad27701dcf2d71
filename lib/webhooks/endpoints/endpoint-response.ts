import type { WebhookEndpointResponse } from '../webhooks.responses.ts'
import type { EndpointRow } from './endpoints.queries.ts'

export const endpointResponse = (
  { disabledAt, formerUntil, ...endpoint }: EndpointRow,
  now: Date,
): WebhookEndpointResponse => ({
  ...endpoint,
  status: disabledAt ? 'disabled' : 'enabled',
  disabledAt,
  formerSecretUntil: formerUntil && formerUntil > now ? formerUntil : null,
})
