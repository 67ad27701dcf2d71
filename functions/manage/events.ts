import { actOf, freshWriter, keyWriter, reader, type WorkspaceEnv } from '../../lib/auth/access.ts'
import { readById, readPage } from '../../lib/auth/rows.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { ApiError } from '../../lib/http/errors.ts'
import { found, notFound } from '../../lib/http/found-or-404.ts'
import { page } from '../../lib/http/lists.ts'
import { rpc } from '../../lib/http/rpc/rpc.ts'
import { body, invalid, query } from '../../lib/http/validate.ts'
import { creditRefusals } from '../../lib/rules/attribution/hand-credits.ts'
import { overdueSince } from '../../lib/rules/purchases/expected-sales.ts'
import { CORRECTION_REFUSALS } from '../../lib/rules/refunds/corrections.ts'
import { mismatchResponse } from '../../lib/tracking/checks/mismatch-response.ts'
import { listMismatches } from '../../lib/tracking/checks/mismatches.queries.ts'
import { eventResponse } from '../../lib/tracking/events/event-response.ts'
import { findEvent, listEvents } from '../../lib/tracking/events/events.queries.ts'
import { EventQuery, MismatchQuery, NewCredit } from '../../lib/tracking/events/events.schemas.ts'
import { SaleCorrection } from '../../lib/tracking/refunds/corrections.schemas.ts'
import type { CreditsService } from '../../lib/tracking/reports/purchases.rpc.ts'
import type { TrackingResponse } from '../../lib/tracking/reports/reports.responses.ts'

const EVENTS = '/api/workspaces/:workspace/events'

/**
 * GET /events and /events/:id: leads and sales with the steps of their decisions. GET /mismatches:
 * reports that differ from an event. POST /events/:id/credit credits by hand. PATCH
 * /api/track/sale/:externalId adds what a report lacked. Design, section 12.
 */
export default createRoutes<WorkspaceEnv & { Bindings: { CREDITS: CreditsService } }>()
  .get(`${EVENTS}/:id`, reader(), async (c) => {
    const { now } = c.var
    const event = await readById(c, 'event', findEvent)
    return c.json(eventResponse(event, now))
  })
  .get('/api/workspaces/:workspace/mismatches', reader(), query(MismatchQuery), async (c) =>
    c.json(await readPage(c, c.req.valid('query'), listMismatches, mismatchResponse)),
  )
  .post(`${EVENTS}/:id/credit`, freshWriter(), body(NewCredit), async (c) => {
    const { db, now, workspace } = c.var
    const { id } = await readById(c, 'event', findEvent)
    const outcome = await rpc(
      'stripe-webhook',
      c.env.CREDITS.creditEvent(actOf(c), id, c.req.valid('json')),
    )
    if (outcome === 'partner_missing') throw notFound('partner')
    if (outcome !== 'credited') throw new ApiError('conflict', creditRefusals[outcome])
    const event = await found('event', id, (uuid) => findEvent(db, workspace.id, uuid))
    return c.json(eventResponse(event, now))
  })
  .patch('/api/track/sale/:externalId', keyWriter(), body(SaleCorrection), async (c) => {
    const { externalId } = c.req.param()
    const correction = c.req.valid('json')
    const result = await rpc(
      'stripe-webhook',
      c.env.CREDITS.correctSale(actOf(c), externalId, correction),
    )
    if (result.outcome === 'no_sale') throw notFound('sale')
    if (result.outcome === 'no_click') {
      throw invalid('invalid_body', [
        { path: 'clickId', message: 'The workspace has no such click.' },
      ])
    }
    if (result.outcome !== 'corrected')
      throw new ApiError('conflict', CORRECTION_REFUSALS[result.outcome])
    const { id, attributed } = result
    return c.json<TrackingResponse>({ eventId: attributed ? id : null, attributed })
  })
  .get(EVENTS, reader(), query(EventQuery), async (c) => {
    const { db, now, workspace } = c.var
    const { limit, overdue, ...filter } = c.req.valid('query')
    const expectedBefore = overdue ? overdueSince(now) : undefined
    const events = await listEvents(db, workspace.id, {
      ...filter,
      expectedBefore,
      limit: limit + 1,
    })
    return c.json(page(events, limit, (event) => eventResponse(event, now)))
  })
