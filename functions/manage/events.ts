import { reader } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { found } from '../../lib/http/found.ts'
import { page } from '../../lib/http/lists.ts'
import { query } from '../../lib/http/validate.ts'
import { overdueSince } from '../../lib/purchases/expected-sales.ts'
import { eventResponse } from '../../lib/tracking/event-response.ts'
import { findEvent, listEvents } from '../../lib/tracking/events.queries.ts'
import { EventQuery } from '../../lib/tracking/events.schemas.ts'

/** GET /events and /events/:id: leads and sales, each with the steps of its decision. Design, section 12. */
export default createRoutes()
  .get('/api/workspaces/:workspace/events/:id', reader(), async (c) => {
    const { db, now, workspace } = c.var
    const event = await found('event', c.req.param('id'), (id) => findEvent(db, workspace.id, id))
    return c.json(eventResponse(event, now))
  })
  .get('/api/workspaces/:workspace/events', reader(), query(EventQuery), async (c) => {
    const { db, now, workspace } = c.var
    const { limit, overdue, ...filter } = c.req.valid('query')
    const expectedBefore = overdue ? overdueSince(now) : undefined
    const events = await listEvents(db, workspace.id, { ...filter, expectedBefore, limit: limit + 1 })
    return c.json(page(events, limit, (event) => eventResponse(event, now)))
  })
