import { Hono } from 'hono'
import { ApiError, errorResponse, toApiError } from '../lib/http/errors.ts'
import { describeError, log, logRequest } from '../lib/http/logging.ts'
import { securityHeaders } from '../lib/http/security-headers.ts'

/** A service binding to another Worker. */
type Service = { fetch: (request: Request) => Promise<Response> }

type Env = {
  Bindings: Record<
    | 'TRACK_CLICK'
    | 'TRACK_LEAD'
    | 'TRACK_SALE'
    | 'TRACK_REFUND'
    | 'TRACK_BATCH'
    | 'AUTH'
    | 'MANAGE'
    | 'IMPORT_PARTNERS'
    | 'IMPORT_CUSTOMERS'
    | 'IMPORT_SOURCE'
    | 'DASHBOARD'
    | 'PORTAL'
    | 'PAYOUTS'
    | 'STRIPE_WEBHOOK'
    | 'RESEND_WEBHOOK'
    | 'MCP',
    Service
  >
  Variables: { requestId: string }
}

const forward = (service: Service, request: Request, requestId: string): Promise<Response> => {
  const headers = new Headers(request.headers)
  headers.set('X-Request-Id', requestId)
  return service.fetch(new Request(request, { headers }))
}

/**
 * The only public Worker: routes each path to its Worker. Files of public/ are served without it.
 * It sets the request id to Cloudflare's ray ID, so that our logs can be matched with Cloudflare's.
 * Callers can't choose it.
 */
export default new Hono<Env>()
  .use(async function setRequestId(c, next) {
    c.set('requestId', c.req.header('CF-Ray') ?? crypto.randomUUID())
    await next()
  })
  .all('/api/track/click', (c) => forward(c.env.TRACK_CLICK, c.req.raw, c.var.requestId))
  .all('/api/track/lead', (c) => forward(c.env.TRACK_LEAD, c.req.raw, c.var.requestId))
  .all('/api/track/sale', (c) => forward(c.env.TRACK_SALE, c.req.raw, c.var.requestId))
  .all('/api/track/sale/:externalId', (c) => forward(c.env.MANAGE, c.req.raw, c.var.requestId))
  .all('/api/track/refund', (c) => forward(c.env.TRACK_REFUND, c.req.raw, c.var.requestId))
  .all('/api/track/batch', (c) => forward(c.env.TRACK_BATCH, c.req.raw, c.var.requestId))
  .on('ALL', ['/api/auth/*', '/sign-in', '/sign-in/code', '/auth/*', '/readyz'], (c) =>
    forward(c.env.AUTH, c.req.raw, c.var.requestId),
  )
  .all('/api/workspaces/:workspace/partners/import', (c) =>
    forward(c.env.IMPORT_PARTNERS, c.req.raw, c.var.requestId),
  )
  .all('/api/workspaces/:workspace/customers/import', (c) =>
    forward(c.env.IMPORT_CUSTOMERS, c.req.raw, c.var.requestId),
  )
  .on(
    'ALL',
    ['/api/workspaces/:workspace/import-sources', '/api/workspaces/:workspace/import-sources/*'],
    (c) => forward(c.env.IMPORT_SOURCE, c.req.raw, c.var.requestId),
  )
  .all('/api/workspaces/:workspace/payouts/run', (c) =>
    forward(c.env.PAYOUTS, c.req.raw, c.var.requestId),
  )
  .on('ALL', ['/app', '/app/*', '/confirm-address/*'], (c) =>
    forward(c.env.DASHBOARD, c.req.raw, c.var.requestId),
  )
  .on('ALL', ['/portal', '/portal/*', '/join/*', '/unsubscribe/*'], (c) =>
    forward(c.env.PORTAL, c.req.raw, c.var.requestId),
  )
  .all('/api/webhooks/stripe/:workspace', (c) =>
    forward(c.env.STRIPE_WEBHOOK, c.req.raw, c.var.requestId),
  )
  .all('/api/webhooks/resend', (c) => forward(c.env.RESEND_WEBHOOK, c.req.raw, c.var.requestId))
  .all('/mcp', (c) => forward(c.env.MCP, c.req.raw, c.var.requestId))
  .get('/', (c) => c.redirect('/app'))
  .on('ALL', ['/api/workspaces', '/api/workspaces/*'], (c) =>
    forward(c.env.MANAGE, c.req.raw, c.var.requestId),
  )
  .all('*', logRequest(), securityHeaders(), (c) => {
    c.header('X-Request-Id', c.var.requestId)
    throw new ApiError('not_found', `${c.req.path} does not exist. See /openapi.json for the API.`)
  })
  .onError((error, c) => {
    // The Worker could not be reached, so it has not logged the request.
    if (!(error instanceof ApiError))
      log('error', { requestId: c.var.requestId, ...describeError(error) })
    return errorResponse(c, toApiError(error))
  })
