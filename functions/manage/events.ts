import { actOf, reader, type WorkspaceEnv, writer } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { ApiError } from '../../lib/http/errors.ts'
import { found, notFound } from '../../lib/http/found.ts'
import { page } from '../../lib/http/lists.ts'
import { rpc } from '../../lib/http/rpc.ts'
import { body, query } from '../../lib/http/validate.ts'
import { overdueSince } from '../../lib/purchases/expected-sales.ts'
import type { CreditsService } from '../../lib/purchases/purchases.rpc.ts'
import { eventResponse } from '../../lib/tracking/event-response.ts'
import { findEvent, listEvents } from '../../lib/tracking/events.queries.ts'
import { EventQuery, NewCredit } from '../../lib/tracking/events.schemas.ts'
import { creditRefusals } from '../../lib/tracking/hand-credits.ts'

/** GET /events and /events/:id: leads and sales, each with the steps of its decision. POST /events/:id/credit decides by hand. Design, section 12. */
export default createRoutes<WorkspaceEnv & { Bindings: { CREDITS: CreditsService } }>()
  .get('/api/workspaces/:workspace/events/:id', reader(), async (c) => {
    const { db, now, workspace } = c.var
    const event = await found('event', c.req.param('id'), (id) => findEvent(db, workspace.id, id))
    return c.json(eventResponse(event, now))
  })
  .post('/api/workspaces/:workspace/events/:id/credit', writer(), body(NewCredit), async (c) => {
    const { db, now, workspace } = c.var
    const { id } = await found('event', c.req.param('id'), (uuid) => findEvent(db, workspace.id, uuid))
    const outcome = await rpc('stripe-webhook', c.env.CREDITS.creditEvent(actOf(c), id, c.req.valid('json')))
    if (outcome === 'partner_missing') throw notFound('partner')
    if (outcome !== 'credited') throw new ApiError('conflict', creditRefusals[outcome])
    const event = await found('event', id, (uuid) => findEvent(db, workspace.id, uuid))
    return c.json(eventResponse(event, now))
  })
  .get('/api/workspaces/:workspace/events', reader(), query(EventQuery), async (c) => {
    const { db, now, workspace } = c.var
    const { limit, overdue, ...filter } = c.req.valid('query')
    const expectedBefore = overdue ? overdueSince(now) : undefined
    const events = await listEvents(db, workspace.id, { ...filter, expectedBefore, limit: limit + 1 })
    return c.json(page(events, limit, (event) => eventResponse(event, now)))
  })
