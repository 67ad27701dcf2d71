import { listStripeEvents, readStripe, type StripeEventRow } from '../../lib/data/stripe-events.ts'
import { removeStripeSecret } from '../../lib/data/stripe-secrets.ts'
import { STRIPE_EVENTS } from '../../lib/domain/stripe-events.ts'
import { explainOutcome } from '../../lib/domain/stripe-outcomes.ts'
import { actOf, manager } from '../../lib/http/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { ApiError } from '../../lib/http/errors.ts'
import { found } from '../../lib/http/found.ts'
import { page } from '../../lib/http/lists.ts'
import { keepSecret, SECRETS_FULL, type StripeEnv, webhookUrl } from '../../lib/http/stripe.ts'
import { NewStripeSecret, StripeEventQuery } from '../../lib/http/stripe-schemas.ts'
import { body, query } from '../../lib/http/validate.ts'

const present = ({ outcome, ...event }: StripeEventRow) => ({
  id: event.id,
  stripeId: event.stripe_id,
  type: event.type,
  livemode: event.livemode,
  occurredAt: event.occurred_at,
  receivedAt: event.received_at,
  eventId: event.event_id,
  outcome: outcome && { code: outcome.code, text: explainOutcome(outcome), facts: outcome.facts },
})

/** /stripe: the webhook by which Stripe reports sales, its signing secrets, and what has arrived. */
export default createRoutes<StripeEnv>()
  .get('/api/workspaces/:workspace/stripe', manager(), async (c) => {
    const { secrets, firstEventAt, lastEventAt } = await readStripe(c.var.db, c.var.workspace.id)
    return c.json({ webhookUrl: webhookUrl(c), events: STRIPE_EVENTS, secrets, firstEventAt, lastEventAt })
  })
  .post('/api/workspaces/:workspace/stripe/secrets', manager(), body(NewStripeSecret), async (c) => {
    const kept = await keepSecret(c, c.req.valid('json').secret)
    if (kept.outcome === 'full') throw new ApiError('conflict', SECRETS_FULL)
    return c.json(kept.secret, kept.outcome === 'added' ? 201 : 200)
  })
  .delete('/api/workspaces/:workspace/stripe/secrets/:id', manager(), async (c) => {
    await found('signing secret', c.req.param('id'), (id) => removeStripeSecret(c.var.db, actOf(c), id))
    return c.body(null, 204)
  })
  .get('/api/workspaces/:workspace/stripe/events', manager(), query(StripeEventQuery), async (c) => {
    const { db, workspace } = c.var
    const { limit, ...filter } = c.req.valid('query')
    const events = await listStripeEvents(db, workspace.id, { ...filter, limit: limit + 1 })
    return c.json(page(events, limit, present))
  })
