/**
 * Creates events: of the account's own objects, and of its connected accounts in v1 and v2 of the
 * API. A v1 event contains a snapshot of its object; a v2 event only names it.
 */
import { Hono } from 'hono'
import Stripe from 'stripe'
import type { ApiEnv } from './env.ts'
import type { ConnectEvent, NewConnectEvent, NewEvent, ThinEvent } from './event-shapes.ts'
import { missingFrom } from './json.ts'
import { newId, type Store } from './store.ts'

/** An event with a snapshot of an object. */
export const snapshotOf = (
  store: Store,
  [type, object]: NewEvent,
  account?: string,
): Stripe.Event =>
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
  }) as Stripe.Event // the union ties each type to its object

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

/** Stores a Connect event. */
export const addConnectEvent = (store: Store, newEvent: NewConnectEvent): ConnectEvent =>
  store.connectEvents.add(
    'object' in newEvent
      ? snapshotOf(store, [newEvent.type, newEvent.object], newEvent.account)
      : thinOf(store, newEvent.type, newEvent.account, newEvent.data ?? {}),
  )

/** The body of a delivery. A thin event's data must be fetched from the API. */
export const payloadOf = (event: ConnectEvent): string => {
  if (event.object === 'event') return JSON.stringify(event, null, 2)
  const { changes: _changes, data: _data, ...notification } = event
  return JSON.stringify(notification)
}

/** When an event was created, in seconds. */
export const createdAt = ({ created }: ConnectEvent): number =>
  typeof created === 'number' ? created : Date.parse(created) / 1_000

/** `GET /v2/core/events/:id`: a thin event with its data. */
export const thinEventRoutes = (store: Store) =>
  new Hono<ApiEnv>().get('/v2/core/events/:id', (c) => {
    const event = store.connectEvents.find(c.req.param('id'))
    const account = event?.object === 'v2.core.event' ? event.related_object.id : undefined
    if (!account || !c.var.platform.accounts.find(account))
      throw missingFrom('event', c.req.param('id'))
    return c.json(event)
  })
