import { type Context, Hono } from 'hono'
import { ApiError, errorResponse, toApiError } from '../lib/http/errors.ts'
import { describeError, log, logRequest } from '../lib/http/logging.ts'
import { securityHeaders } from '../lib/http/security-headers.ts'

/** A service binding to another Worker. */
type Service = { fetch: (request: Request) => Promise<Response> }

type Worker =
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
  | 'MCP'

type Env = { Bindings: Record<Worker, Service>; Variables: { requestId: string } }

/** Forwards a request to a Worker. */
const to = (worker: Worker) => (c: Context<Env>) => {
  const headers = new Headers(c.req.raw.headers)
  headers.set('X-Request-Id', c.var.requestId)
  return c.env[worker].fetch(new Request(c.req.raw, { headers }))
}

/**
 * The only public Worker: routes each path to its Worker. Files of public/ bypass it. The request
 * id is Cloudflare's ray ID, so that our logs match Cloudflare's. Callers cannot choose it.
 */
export default new Hono<Env>()
  .use(async function setRequestId(c, next) {
    c.set('requestId', c.req.header('CF-Ray') ?? crypto.randomUUID())
    await next()
  })
  .all('/api/track/click', to('TRACK_CLICK'))
  .all('/api/track/lead', to('TRACK_LEAD'))
  .all('/api/track/sale', to('TRACK_SALE'))
  .all('/api/track/sale/:externalId', to('MANAGE'))
  .all('/api/track/refund', to('TRACK_REFUND'))
  .all('/api/track/batch', to('TRACK_BATCH'))
  .on('ALL', ['/api/auth/*', '/sign-in', '/sign-in/code', '/auth/*', '/readyz'], to('AUTH'))
  .all('/api/workspaces/:workspace/partners/import', to('IMPORT_PARTNERS'))
  .all('/api/workspaces/:workspace/customers/import', to('IMPORT_CUSTOMERS'))
  .on(
    'ALL',
    ['/api/workspaces/:workspace/import-sources', '/api/workspaces/:workspace/import-sources/*'],
    to('IMPORT_SOURCE'),
  )
  .all('/api/workspaces/:workspace/payouts/run', to('PAYOUTS'))
  .on('ALL', ['/app', '/app/*', '/confirm-address/*'], to('DASHBOARD'))
  .on('ALL', ['/portal', '/portal/*', '/join/*', '/unsubscribe/*'], to('PORTAL'))
  .all('/api/webhooks/stripe/:workspace', to('STRIPE_WEBHOOK'))
  .all('/api/webhooks/resend', to('RESEND_WEBHOOK'))
  .all('/mcp', to('MCP'))
  .get('/', (c) => c.redirect('/app'))
  .on('ALL', ['/api/workspaces', '/api/workspaces/*'], to('MANAGE'))
  .all('*', logRequest(), securityHeaders(), (c) => {
    c.header('X-Request-Id', c.var.requestId)
    throw new ApiError('not_found', `${c.req.path} does not exist. See /openapi.json for the API.`)
  })
  .onError((error, c) => {
    // The Worker was unreachable, so it did not log the request.
    if (!(error instanceof ApiError))
      log('error', { requestId: c.var.requestId, ...describeError(error) })
    return errorResponse(c, toApiError(error))
  })
