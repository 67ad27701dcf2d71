import type { Context } from 'hono'
import * as z from 'zod'
import { type Access, type EventRow, type EventsResult, findEvent, listEvents } from '../lib/data/events.ts'
import { commissionStatus } from '../lib/domain/commissions.ts'
import { explain } from '../lib/domain/steps.ts'
import { apiKey, invalidApiKey, type KeyEnv } from '../lib/http/api-keys.ts'
import { createApp } from '../lib/http/app.ts'
import { ApiError } from '../lib/http/errors.ts'
import { EventQuery } from '../lib/http/schemas.ts'
import { query } from '../lib/http/validate.ts'

const eventNotFound = () =>
  new ApiError('not_found', 'This workspace has no event with this id. Search by `externalId` instead.')

/** Reads events of the workspace in the address with the caller's key. */
const read = async (
  c: Context<KeyEnv>,
  events: (access: Access) => Promise<EventsResult>,
): Promise<EventRow[]> => {
  const { apiKeyHash } = c.var
  const asked = c.req.param('workspace')?.toLowerCase() ?? ''
  // Slugs and ids hold nothing else, and Postgres refuses some of it, such as a NUL.
  const workspace = /^[\w-]{1,63}$/.test(asked) ? asked : ''
  const answer = await events({ apiKeyHash, workspace })

  if (answer.refused === 'unknown_key') throw invalidApiKey()
  if (answer.refused === 'other_workspace')
    throw new ApiError(
      'not_found',
      'This API key does not belong to that workspace. Use the slug or id of its own.',
    )
  return answer.events
}

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
    currency: event.commission_currency,
    status: commissionStatus({ payableAt: event.payable_at }, now),
    payableAt: event.payable_at,
  },
  steps: event.steps.map((step) => ({ code: step.code, text: explain(step), facts: step.facts })),
})

/** The endpoints under /api/workspaces/:workspace. */
export default createApp()
  .get('/api/workspaces/:workspace/events/:id', apiKey(), async (c) => {
    const { id } = c.req.param()
    if (!z.uuid().safeParse(id).success) throw eventNotFound()

    const [event] = await read(c, (access) => findEvent(c.var.db, access, id))
    if (!event) throw eventNotFound()

    return c.json(present(event, c.var.now))
  })
  .get('/api/workspaces/:workspace/events', apiKey(), query(EventQuery), async (c) => {
    const { limit, ...filter } = c.req.valid('query')

    // One more than asked for tells whether there is a next page.
    const events = await read(c, (access) => listEvents(c.var.db, access, { ...filter, limit: limit + 1 }))
    const page = events.slice(0, limit)

    return c.json({
      data: page.map((event) => present(event, c.var.now)),
      nextCursor: events.length > limit ? (page.at(-1)?.id ?? null) : null,
    })
  })
