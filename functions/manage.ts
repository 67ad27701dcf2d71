import type { Context } from 'hono'
import * as z from 'zod'
import { type Access, type Answer, type EventRow, findEvent, listEvents } from '../lib/data/events.ts'
import { commissionStatus } from '../lib/domain/commissions.ts'
import { explain } from '../lib/domain/steps.ts'
import { apiKey, invalidApiKey } from '../lib/http/api-keys.ts'
import { type AppEnv, createApp } from '../lib/http/app.ts'
import { ApiError } from '../lib/http/errors.ts'
import { EventQuery } from '../lib/http/schemas.ts'
import { query } from '../lib/http/validate.ts'

type KeyContext = Context<AppEnv & { Variables: { apiKeyHash: string } }>

const eventNotFound = () => new ApiError('not_found', 'This workspace has no such event.')

/** Reads events of the workspace in the address with the caller's key. */
const read = async (c: KeyContext, events: (access: Access) => Promise<Answer>): Promise<EventRow[]> => {
  const { apiKeyHash } = c.var
  const asked = c.req.param('workspace') ?? ''
  // No workspace is called anything else, and Postgres can't even look for some of it.
  const workspace = /^[\w-]{1,63}$/.test(asked) ? asked : ''
  const answer = await events({ apiKeyHash, workspace })

  if (answer.refused === 'unknown_key') throw invalidApiKey()
  if (answer.refused === 'other_workspace')
    throw new ApiError('not_found', 'This API key opens no such workspace.')
  return answer.events
}

/** An event with its explanation, as the API shows it. */
const present = ({ commission, steps, ...event }: EventRow, now: Date) => ({
  ...event,
  attributed: event.partner !== null,
  amountCents: event.amountCents === null ? null : Number(event.amountCents),
  commission: commission && {
    ...commission,
    status: commissionStatus({ payableAt: new Date(commission.payableAt) }, now),
    payableAt: new Date(commission.payableAt),
  },
  steps: steps.map((step) => ({ code: step.code, text: explain(step), facts: step.facts })),
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
