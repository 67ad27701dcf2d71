import type { Context } from 'hono'
import { actOf, freshWriter, reader, writer } from '../../../lib/auth/access.ts'
import { idempotent, idempotentSecret } from '../../../lib/auth/idempotency/idempotent.ts'
import { changeById, readById } from '../../../lib/auth/rows.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { ApiError } from '../../../lib/http/errors.ts'
import { found, notFound } from '../../../lib/http/found-or-404.ts'
import { Page, page } from '../../../lib/http/lists.ts'
import { body, query } from '../../../lib/http/validate.ts'
import {
  type DeliveryDetail,
  deliveriesQuery,
  findDelivery,
  resendDelivery,
  resendSince,
} from '../../../lib/webhooks/deliveries/deliveries.queries.ts'
import { endpointResponse } from '../../../lib/webhooks/endpoints/endpoint-response.ts'
import {
  findEndpoint,
  listEndpoints,
  queueTest,
  removeEndpoint,
} from '../../../lib/webhooks/endpoints/endpoints.queries.ts'
import {
  createEndpoint,
  ENDPOINT_DISABLED,
  editEndpoint,
  newSecretText,
  rotateSecret,
  TOO_MANY_ENDPOINTS,
  type WebhookSettingsEnv,
} from '../../../lib/webhooks/endpoints/settings.service.ts'
import type {
  WebhookDeliveryDetailResponse,
  WebhookDeliveryResponse,
  WebhookEndpointResponse,
  WebhookResendResponse,
  WebhookSecretResponse,
} from '../../../lib/webhooks/webhooks.responses.ts'
import {
  NewWebhookEndpoint,
  SecretRotation,
  WebhookDeliveryQuery,
  WebhookEndpointChange,
  WebhookResend,
} from '../../../lib/webhooks/webhooks.schemas.ts'

const endpointOf = (c: Context<WebhookSettingsEnv>) => readById(c, 'webhook endpoint', findEndpoint)

const refused = (error: { path: string; message: string }) =>
  new ApiError('invalid_body', `${error.path}: ${error.message}`, { details: [error] })

const detailResponse = ({ tries, ...delivery }: DeliveryDetail): WebhookDeliveryDetailResponse => ({
  ...delivery,
  tries: tries.map(({ at, ...tried }) => ({ at: new Date(at), ...tried })),
})

const ENDPOINTS = '/api/workspaces/:workspace/webhook-endpoints'
const DELIVERIES = '/api/workspaces/:workspace/webhook-deliveries'

/** /webhook-endpoints and /webhook-deliveries: endpoints and their deliveries. docs/webhooks.md. */
export default createRoutes<WebhookSettingsEnv>()
  .get(ENDPOINTS, reader(), query(Page), async (c) => {
    const { db, now, workspace } = c.var
    const { limit, cursor } = c.req.valid('query')
    const endpoints = await listEndpoints(db, workspace.id, { cursor, limit: limit + 1 })
    return c.json(
      page<(typeof endpoints)[number], WebhookEndpointResponse>(endpoints, limit, (row) =>
        endpointResponse(row, now),
      ),
    )
  })
  .get(`${ENDPOINTS}/:id`, reader(), async (c) =>
    c.json<WebhookEndpointResponse>(endpointResponse(await endpointOf(c), c.var.now)),
  )
  .post(
    ENDPOINTS,
    freshWriter(),
    body(NewWebhookEndpoint),
    idempotentSecret(newSecretText),
    async (c) => {
      const created = await createEndpoint(c, c.req.valid('json'))
      if (created.outcome === 'refused') throw refused(created.error)
      if (created.outcome === 'full') throw new ApiError('conflict', TOO_MANY_ENDPOINTS)
      const { endpoint, secret } = created
      return c.json(
        { ...endpointResponse(endpoint, c.var.now), secret } satisfies WebhookSecretResponse,
        201,
      )
    },
  )
  .patch(`${ENDPOINTS}/:id`, freshWriter(), body(WebhookEndpointChange), async (c) => {
    const changed = await editEndpoint(c, await endpointOf(c), c.req.valid('json'))
    if (!changed) throw notFound('webhook endpoint')
    if ('outcome' in changed) throw refused(changed.error)
    return c.json(endpointResponse(changed, c.var.now))
  })
  .delete(`${ENDPOINTS}/:id`, freshWriter(), async (c) => {
    await removeEndpoint(c.var.db, actOf(c), await endpointOf(c))
    return c.body(null, 204)
  })
  .post(
    `${ENDPOINTS}/:id/rotate-secret`,
    freshWriter(),
    body(SecretRotation),
    idempotentSecret(newSecretText),
    async (c) => {
      const rotated = await rotateSecret(c, await endpointOf(c), c.req.valid('json').overlapHours)
      if (!rotated) throw notFound('webhook endpoint')
      const { endpoint, secret } = rotated
      return c.json({
        ...endpointResponse(endpoint, c.var.now),
        secret,
      } satisfies WebhookSecretResponse)
    },
  )
  .post(`${ENDPOINTS}/:id/test`, writer(), idempotent(), async (c) => {
    const { id, disabledAt } = await endpointOf(c)
    if (disabledAt) throw new ApiError('conflict', ENDPOINT_DISABLED)
    const queued = await queueTest(c.var.db, actOf(c), id)
    const delivery = await found('webhook delivery', queued, (one) =>
      findDelivery(c.var.db, c.var.workspace.id, one),
    )
    return c.json(detailResponse(delivery), 201)
  })
  .post(`${ENDPOINTS}/:id/resend`, writer(), body(WebhookResend), async (c) => {
    const { id, disabledAt } = await endpointOf(c)
    if (disabledAt) throw new ApiError('conflict', ENDPOINT_DISABLED)
    return c.json<WebhookResendResponse>(
      await resendSince(c.var.db, actOf(c), id, c.req.valid('json')),
    )
  })
  .get(DELIVERIES, reader(), query(WebhookDeliveryQuery), async (c) => {
    const { limit, ...filter } = c.req.valid('query')
    const rows = await deliveriesQuery(c.var.db, c.var.workspace.id, {
      ...filter,
      limit: limit + 1,
    }).execute()
    return c.json(page<WebhookDeliveryResponse>(rows, limit))
  })
  .get(`${DELIVERIES}/:id`, reader(), async (c) => {
    const delivery = await readById(c, 'webhook delivery', findDelivery)
    return c.json(detailResponse(delivery))
  })
  .post(`${DELIVERIES}/:id/resend`, writer(), async (c) => {
    const delivery = await changeById(c, 'webhook delivery', resendDelivery)
    return c.json(detailResponse(delivery))
  })
