/** Webhook endpoints, and deliveries of events to them. */
import { setTimeout as pause } from 'node:timers/promises'
import { Hono } from 'hono'
import Stripe from 'stripe'
import * as z from 'zod'
import { needs } from './authentication.ts'
import type { ApiEnv } from './env.ts'
import { StripeError } from './errors.ts'
import type { ConnectEvent, NewConnectEvent, NewEvent } from './event-shapes.ts'
import { addConnectEvent, payloadOf, snapshotOf } from './events.ts'
import { eventIn } from './invoice-lines.ts'
import { address, integer, metadata, readParams, text } from './params.ts'
import { answer, readable } from './routes.ts'
import { newId, type Store } from './store.ts'

/** The delivery of an event to an endpoint. */
export type Delivery = {
  event: string
  endpoint: string
  attempts: number
  /** The status of the last response; null without one. */
  status: number | null
  state: 'pending' | 'delivered' | 'failed'
}

export type EndpointParams = {
  url: string
  /** `whsec_...`; random by default. */
  secret?: string
  /** `*` means all but v2 events. */
  events?: readonly string[]
  /** The platform whose Connect events it receives; by default all platforms'. */
  platform?: string
  /** The present one by default. */
  apiVersion?: string
}

/** Stripe retries for three days; the fake for about a minute. */
const MAX_ATTEMPTS = 8
/** Doubled after each attempt. */
const FIRST_PAUSE_MS = 250
/** About Stripe's own timeout. */
const TIMEOUT_MS = 20_000

const shuffled = <T>(all: T[]): T[] =>
  all
    .map((one) => ({ one, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one)

/** v2 events go only to endpoints that list them by name. */
const wants = (
  { enabled_events: types }: Stripe.WebhookEndpoint,
  { type }: ConnectEvent,
): boolean => types.some((wanted) => wanted === type || (wanted === '*' && !type.startsWith('v2.')))

/** Sends a signed event once. @returns the status of the response; null without one */
const post = async (
  { url, secret = '' }: Stripe.WebhookEndpoint,
  event: ConnectEvent,
  signal: AbortSignal,
): Promise<number | null> => {
  const payload = payloadOf(event)
  const signature = await Stripe.webhooks.generateTestHeaderStringAsync({ payload, secret })
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json; charset=utf-8', 'Stripe-Signature': signature },
      body: payload,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    await response.body?.cancel()
    return response.status
  } catch {
    return null
  }
}

/**
 * Sends events to the endpoints of an account. The events of one action are sent in order or, with
 * `shuffle`, concurrently in random order, as Stripe does. Anything but a 2xx is retried with
 * backoff.
 */
export const createWebhooks = (store: Store, { shuffle = false }: { shuffle?: boolean } = {}) => {
  const deliveries: Delivery[] = []
  const stopped = new AbortController()
  const inProgress = new Set<Promise<unknown>>()
  /** The platform of each endpoint and of each Connect event. */
  const platformOf = new Map<string, string>()

  const eventOf = (id: string): ConnectEvent => {
    const event = store.events.find(id) ?? store.connectEvents.find(id)
    if (event) return event
    throw new StripeError(404, { code: 'resource_missing', message: `No such event: '${id}'` })
  }

  const follow = (work: Promise<unknown>): void => {
    const done = work.finally(() => inProgress.delete(done))
    inProgress.add(done)
  }

  /** One attempt. @returns whether the delivery is done */
  const attempt = async (delivery: Delivery): Promise<boolean> => {
    const event = eventOf(delivery.event)
    const endpoint = store.endpoints.get(delivery.endpoint)
    const sent = event.object === 'event' ? eventIn(endpoint.api_version, store, event) : event
    delivery.attempts++
    delivery.status = await post(endpoint, sent, stopped.signal)
    const delivered = delivery.status !== null && delivery.status >= 200 && delivery.status < 300
    if (delivered) {
      delivery.state = 'delivered'
      if (event.object === 'event') event.pending_webhooks = Math.max(0, event.pending_webhooks - 1)
    }
    return delivered || stopped.signal.aborted
  }

  const retry = async (delivery: Delivery): Promise<void> => {
    while (delivery.attempts < MAX_ATTEMPTS) {
      const wait = FIRST_PAUSE_MS * 2 ** (delivery.attempts - 1) * (0.5 + Math.random() / 2)
      await pause(wait, undefined, { signal: stopped.signal }).catch(() => {})
      if (stopped.signal.aborted || (await attempt(delivery))) return
    }
    delivery.state = 'failed'
  }

  /**
   * Awaits the first attempt of each delivery. Retries run in the background, so a failing one
   * delays no other.
   */
  const deliver = async (batch: Delivery[]): Promise<void> => {
    const start = async (delivery: Delivery) => {
      if (!(await attempt(delivery))) follow(retry(delivery))
    }
    if (shuffle) await Promise.all(shuffled(batch).map(start))
    else for (const delivery of batch) await start(delivery)
  }

  /** Whether an event belongs to an endpoint's platform. */
  const isFor = (endpoint: Stripe.WebhookEndpoint, event: ConnectEvent): boolean => {
    const [wanted, actual] = [platformOf.get(endpoint.id), platformOf.get(event.id)]
    return wanted === undefined || actual === undefined || wanted === actual
  }

  const send = (events: ConnectEvent[]): void => {
    for (const endpoint of store.endpoints.list()) {
      const batch = events
        .filter((event) => wants(endpoint, event) && isFor(endpoint, event))
        .map((event): Delivery => {
          if (event.object === 'event') event.pending_webhooks++
          return {
            event: event.id,
            endpoint: endpoint.id,
            attempts: 0,
            status: null,
            state: 'pending',
          }
        })
      deliveries.push(...batch)
      follow(deliver(batch))
    }
  }

  return {
    /** Stores events, and sends them. */
    emit: (...newEvents: NewEvent[]): void =>
      send(newEvents.map((one) => store.events.add(snapshotOf(store, one)))),

    /** The same for Connect events, which go to their platform's endpoints only. */
    emitConnect: (platform: string, ...newEvents: NewConnectEvent[]): void => {
      const events = newEvents.map((one) => addConnectEvent(store, one))
      for (const { id } of events) platformOf.set(id, platform)
      send(events)
    },

    /** Sends an event again. */
    resend: (eventId: string): void => send([eventOf(eventId)]),

    addEndpoint: ({
      url,
      secret = newId('whsec', 32),
      events = ['*'],
      platform,
      apiVersion = Stripe.API_VERSION,
    }: EndpointParams) => {
      const endpoint = store.endpoints.add({
        id: newId('we'),
        object: 'webhook_endpoint',
        api_version: apiVersion,
        application: null,
        created: store.seconds(),
        description: null,
        enabled_events: [...events],
        livemode: false,
        metadata: {},
        secret,
        status: 'enabled',
        url,
      })
      if (platform) platformOf.set(endpoint.id, platform)
      return endpoint
    },

    /** The endpoints of a platform, newest first. */
    endpointsOf: (platform: string): Stripe.WebhookEndpoint[] =>
      store.endpoints.list().filter(({ id }) => platformOf.get(id) === platform),

    deliveries: (): readonly Delivery[] => deliveries,

    /** Resolves when every delivery has succeeded or failed for good. */
    settled: async (): Promise<void> => {
      while (inProgress.size) await Promise.all(inProgress)
    },

    stop: async (): Promise<void> => {
      stopped.abort()
      await Promise.all(inProgress)
    },
  }
}
export type Webhooks = ReturnType<typeof createWebhooks>

/** Webhook endpoints, whose secret is returned only on creation, and events. */
export const webhookRoutes = (store: Store, { addEndpoint, endpointsOf }: Webhooks) =>
  new Hono<ApiEnv>()
    .post('/v1/webhook_endpoints', async (c) => {
      const { url, enabled_events, ...rest } = await readParams(c, {
        url: address,
        enabled_events: z.array(text),
        description: text.optional(),
        metadata: metadata.optional(),
        api_version: text.optional(),
      })
      const platform = c.var.platform.id
      return answer(
        c,
        store,
        Object.assign(addEndpoint({ url, events: enabled_events, platform }), rest),
      )
    })
    .get('/v1/webhook_endpoints', needs('webhook_read'), async (c) => {
      const { limit = 10 } = await readParams(c, {
        limit: integer.pipe(z.int().min(1).max(100)).optional(),
      })
      const all = endpointsOf(c.var.platform.id).map(({ secret: _secret, ...endpoint }) => endpoint)
      return answer(c, store, {
        object: 'list',
        url: '/v1/webhook_endpoints',
        data: all.slice(0, limit),
        has_more: all.length > limit,
      })
    })
    .get('/v1/webhook_endpoints/:id', (c) => {
      const { secret: _secret, ...endpoint } = store.endpoints.get(c.req.param('id'))
      return answer(c, store, endpoint)
    })
    .route(
      '/',
      readable(store, '/v1/events', store.events, { type: (event, type) => event.type === type }),
    )
