/**
 * Events: what happened to the account's own things and, in both generations of the API, to those who are connected to
 * it. The older way holds the whole object as it was then, the newer one only names it.
 */
import { Hono } from 'hono'
import Stripe from 'stripe'
import type { ApiEnv } from './env.ts'
import type { ConnectEvent, Happening, ThinEvent, Told } from './event-shapes.ts'
import { missingFrom } from './json.ts'
import { newId, type Store } from './store.ts'

/** An event that holds an object as it is now, whatever becomes of it. */
export const snapshotOf = (store: Store, [type, object]: Happening, account?: string): Stripe.Event =>
  ({
    id: newId('evt'),
    object: 'event',
    ...(account && { account }),
    api_version: Stripe.API_VERSION,
    created: store.seconds(),
    data: { object: JSON.parse(JSON.stringify(object)) },
    livemode: false,
    pending_webhooks: 0,
    request: { id: null, idempotency_key: null },
    type,
  }) as Stripe.Event // whose kinds tie each type to its object

const thinOf = (store: Store, type: string, account: string, data: object): ThinEvent => ({
  id: newId('evt_test', 40),
  object: 'v2.core.event',
  type,
  created: store.now().toISOString(),
  livemode: false,
  changes: null,
  context: null,
  data,
  reason: null,
  related_object: { id: account, type: 'v2.core.account', url: `/v2/core/accounts/${account}` },
  snapshot_event: null,
})

/** Records what a platform is told. */
export const recordTold = (store: Store, told: Told): ConnectEvent =>
  store.connectEvents.add(
    'object' in told
      ? snapshotOf(store, [told.type, told.object], told.account)
      : thinOf(store, told.type, told.account, told.data ?? {}),
  )

/** The body with which an event is sent: a thin one leaves its data for whoever fetches it. */
export const payloadOf = (event: ConnectEvent): string => {
  if (event.object === 'event') return JSON.stringify(event, null, 2)
  const { changes: _changes, data: _data, ...notification } = event
  return JSON.stringify(notification)
}

/** When an event happened, in seconds. */
export const happenedAt = ({ created }: ConnectEvent): number =>
  typeof created === 'number' ? created : Date.parse(created) / 1_000

/** `GET /v2/core/events/:id`: a thin event with its data. */
export const thinEventRoutes = (store: Store) =>
  new Hono<ApiEnv>().get('/v2/core/events/:id', (c) => {
    const event = store.connectEvents.find(c.req.param('id'))
    const account = event?.object === 'v2.core.event' ? event.related_object.id : undefined
    if (!account || !c.var.platform.accounts.find(account)) throw missingFrom('event', c.req.param('id'))
    return c.json(event)
  })
