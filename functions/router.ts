import { Hono } from 'hono'
import { requestId } from 'hono/request-id'
import { ApiError, errorResponse, toApiError } from '../lib/http/errors.ts'

/** A service binding to another Worker. */
type Service = { fetch: (request: Request) => Promise<Response> }

type Env = {
  Bindings: { TRACK_CLICK: Service; TRACK_LEAD: Service; TRACK_SALE: Service; MANAGE: Service }
  Variables: { requestId: string }
}

const forward = (service: Service, request: Request, requestId: string): Promise<Response> => {
  const headers = new Headers(request.headers)
  headers.set('X-Request-Id', requestId)
  return service.fetch(new Request(request, { headers }))
}

/**
 * The only public Worker: path to Worker. Files of public/ are answered before it is asked.
 * It gives each request its id, which callers can't choose: Cloudflare's ray id, so that
 * our log lines and Cloudflare's can be laid side by side.
 */
export default new Hono<Env>()
  .use(requestId({ headerName: '', generator: (c) => c.req.header('CF-Ray') ?? crypto.randomUUID() }))
  .all('/api/track/click', (c) => forward(c.env.TRACK_CLICK, c.req.raw, c.var.requestId))
  .all('/api/track/lead', (c) => forward(c.env.TRACK_LEAD, c.req.raw, c.var.requestId))
  .all('/api/track/sale', (c) => forward(c.env.TRACK_SALE, c.req.raw, c.var.requestId))
  .all('/api/workspaces/*', (c) => forward(c.env.MANAGE, c.req.raw, c.var.requestId))
  .onError((error, c) => errorResponse(c, toApiError(error)))
  .notFound((c) => errorResponse(c, new ApiError('not_found', `There is nothing at ${c.req.path}.`)))
