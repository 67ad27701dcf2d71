import { reader } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { found } from '../../lib/http/found.ts'
import { page } from '../../lib/http/lists.ts'
import { query } from '../../lib/http/validate.ts'
import { commissionStatus } from '../../lib/tracking/commissions.ts'
import { type EventRow, findEvent, listEvents } from '../../lib/tracking/events.queries.ts'
import { EventQuery } from '../../lib/tracking/events.schemas.ts'
import { explain } from '../../lib/tracking/steps.ts'

/** An event with its explanation, as the API shows it. */
const present = (event: EventRow, now: Date) => ({
  id: event.id,
  kind: event.kind,
  externalId: event.external_id,
  eventName: event.event_name,
  attributed: event.partner_id !== null,
  attributedBy: event.attributed_by,
  partner: event.partner_id && {
    id: event.partner_id,
    slug: event.partner_slug,
    name: event.partner_name,
    email: event.partner_email,
  },
  // The merchant's own id is always known; the rest once an event of the customer was attributed.
  customer: {
    id: event.customer_id,
    externalId: event.customer_external_id,
    email: event.customer_email,
    name: event.customer_name,
  },
  amountCents: event.amount_cents === null ? null : Number(event.amount_cents),
  currency: event.currency,
  metadata: event.metadata,
  occurredAt: event.occurred_at,
  commission: event.payable_at && {
    id: event.commission_id,
    amountCents: Number(event.commission_amount_cents),
    reversedCents: Number(event.reversed_cents),
    currency: event.commission_currency,
    status: commissionStatus(
      { payableAt: event.payable_at, payoutId: event.payout_id, paidAt: event.paid_at },
      now,
    ),
    payableAt: event.payable_at,
  },
  steps: event.steps.map((step) => ({ code: step.code, text: explain(step), facts: step.facts })),
})

/** GET /events and /events/:id: what was reported, and why it did or didn't count. Design, section 12. */
export default createRoutes()
  .get('/api/workspaces/:workspace/events/:id', reader(), async (c) => {
    const { db, now, workspace } = c.var
    const event = await found('event', c.req.param('id'), (id) => findEvent(db, workspace.id, id))
    return c.json(present(event, now))
  })
  .get('/api/workspaces/:workspace/events', reader(), query(EventQuery), async (c) => {
    const { db, now, workspace } = c.var
    const { limit, ...filter } = c.req.valid('query')
    const events = await listEvents(db, workspace.id, { ...filter, limit: limit + 1 })
    return c.json(page(events, limit, (event) => present(event, now)))
  })
