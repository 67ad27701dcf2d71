import { reader } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { found } from '../../lib/http/found.ts'
import { page } from '../../lib/http/lists.ts'
import { query } from '../../lib/http/validate.ts'
import { overdueSince } from '../../lib/purchases/expected-sales.ts'
import { commissionStatus } from '../../lib/tracking/commissions.ts'
import { type EventRow, findEvent, listEvents } from '../../lib/tracking/events.queries.ts'
import type { EventResponse } from '../../lib/tracking/events.responses.ts'
import { EventQuery } from '../../lib/tracking/events.schemas.ts'
import { explain } from '../../lib/tracking/steps.ts'

// The columns of a left join are null together, which their types don't say.

const partnerOf = (event: EventRow): EventResponse['partner'] => {
  const { partnerId: id, partnerSlug: slug, partnerName: name, partnerEmail: email } = event
  return id !== null && slug !== null && email !== null ? { id, slug, name, email } : null
}

const commissionOf = (event: EventRow, now: Date): EventResponse['commission'] => {
  const { commissionId: id, commissionCurrency: currency, payableAt } = event
  if (id === null || currency === null || payableAt === null) return null
  return {
    id,
    amountCents: Number(event.commissionAmountCents),
    reversedCents: Number(event.reversedCents),
    currency,
    status: commissionStatus({ ...event, payableAt }, now),
    payableAt,
  }
}

const eventResponse = (event: EventRow, now: Date): EventResponse => ({
  id: event.id,
  kind: event.kind,
  externalId: event.externalId,
  eventName: event.eventName,
  attributed: event.partnerId !== null,
  attributedBy: event.attributedBy,
  partner: partnerOf(event),
  // Only the external id is known before an event of the customer is attributed.
  customer: {
    id: event.customerId,
    externalId: event.customerExternalId,
    email: event.customerEmail,
    name: event.customerName,
  },
  amountCents: event.amountCents === null ? null : Number(event.amountCents),
  currency: event.currency,
  metadata: event.metadata,
  occurredAt: event.occurredAt,
  commission: commissionOf(event, now),
  steps: event.steps.map((step) => ({ code: step.code, text: explain(step), facts: step.facts })),
})

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
