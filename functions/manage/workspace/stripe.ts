import { actOf, freshMember, member } from '../../../lib/auth/access.ts'
import { idempotent } from '../../../lib/auth/idempotency/idempotent.ts'
import { changeById } from '../../../lib/auth/rows.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { ApiError } from '../../../lib/http/errors.ts'
import { page } from '../../../lib/http/lists.ts'
import { body, query } from '../../../lib/http/validate.ts'
import { removeStripeKey } from '../../../lib/payouts/transfers/stripe-keys.queries.ts'
import { CONNECT_EVENTS, STRIPE_EVENTS } from '../../../lib/purchases/stripe/objects/event-types.ts'
import type {
  StripeEventResponse,
  StripeKeyResponse,
  StripeResponse,
  StripeSecretResponse,
} from '../../../lib/purchases/stripe/settings.responses.ts'
import {
  NewStripeKey,
  NewStripeSecret,
  StripeEventQuery,
} from '../../../lib/purchases/stripe/settings.schemas.ts'
import {
  KEY_IN_USE,
  KEY_OF_OTHER_ACCOUNT,
  SECRETS_FULL,
  type StripeEnv,
  storeKey,
  storeSecret,
  webhookUrl,
} from '../../../lib/purchases/stripe/settings.service.ts'
import { readStripe } from '../../../lib/purchases/stripe/setup.queries.ts'
import { removeStripeSecret } from '../../../lib/purchases/stripe/signing-secrets.queries.ts'
import { explainOutcome } from '../../../lib/rules/purchases/outcomes.ts'
import {
  listEvents,
  type ProcessorEventRow,
} from '../../../lib/tracking/events/processor-events.queries.ts'

const stripeEventResponse = ({
  outcome,
  processorEventId: stripeId,
  ...event
}: ProcessorEventRow): StripeEventResponse => ({
  id: event.id,
  stripeId,
  type: event.type,
  livemode: event.livemode,
  occurredAt: event.occurredAt,
  receivedAt: event.receivedAt,
  eventId: event.eventId,
  outcome: outcome && { code: outcome.code, text: explainOutcome(outcome), facts: outcome.facts },
})

const STRIPE = '/api/workspaces/:workspace/stripe'

/** /stripe: the webhook endpoint with its secrets and events, and the API key for payouts. */
export default createRoutes<StripeEnv>()
  .get(STRIPE, member(), async (c) => {
    const {
      events: _,
      salesFrom: __,
      mode: ___,
      ...setup
    } = await readStripe(c.var.db, c.var.workspace.id)
    return c.json({
      webhookUrl: webhookUrl(c),
      events: [...STRIPE_EVENTS],
      connectEvents: [...CONNECT_EVENTS],
      ...setup,
    } satisfies StripeResponse)
  })
  .put(`${STRIPE}/key`, freshMember(), body(NewStripeKey), async (c) => {
    const stored = await storeKey(c, c.req.valid('json').key)
    if (stored.outcome === 'other_account') throw new ApiError('conflict', KEY_OF_OTHER_ACCOUNT)
    if (stored.outcome === 'refused') {
      const details = [{ path: 'key', message: stored.reason }]
      throw new ApiError('invalid_body', `key: ${stored.reason}`, { details })
    }
    return c.json(stored.key satisfies StripeKeyResponse)
  })
  .delete(`${STRIPE}/key`, freshMember(), async (c) => {
    const outcome = await removeStripeKey(c.var.db, actOf(c))
    if (outcome === 'no_key') throw new ApiError('not_found', 'The workspace has no Stripe key.')
    if (outcome === 'payouts_in_flight') throw new ApiError('conflict', KEY_IN_USE)
    return c.body(null, 204)
  })
  .post(`${STRIPE}/secrets`, freshMember(), body(NewStripeSecret), idempotent(), async (c) => {
    const stored = await storeSecret(c, c.req.valid('json'))
    if (stored.outcome === 'full') throw new ApiError('conflict', SECRETS_FULL)
    return c.json(
      stored.secret satisfies StripeSecretResponse,
      stored.outcome === 'added' ? 201 : 200,
    )
  })
  .delete(`${STRIPE}/secrets/:id`, freshMember(), async (c) => {
    await changeById(c, 'signing secret', removeStripeSecret)
    return c.body(null, 204)
  })
  .get(`${STRIPE}/events`, member(), query(StripeEventQuery), async (c) => {
    const { db, workspace } = c.var
    const { limit, ...filter } = c.req.valid('query')
    const events = await listEvents(db, workspace.id, 'stripe', { ...filter, limit: limit + 1 })
    return c.json(page(events, limit, stripeEventResponse))
  })
