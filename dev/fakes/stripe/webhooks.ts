/** Webhook endpoints, and the way of events to them. */
import { setTimeout as pause } from 'node:timers/promises'
import { Hono } from 'hono'
import Stripe from 'stripe'
import * as z from 'zod'
import type { ApiEnv } from './env.ts'
import { Refusal } from './errors.ts'
import type { ConnectEvent, Happening, Told } from './event-shapes.ts'
import { payloadOf, recordTold, snapshotOf } from './events.ts'
import { address, metadata, readParams, text } from './params.ts'
import { answer, readable } from './routes.ts'
import { newId, type Store } from './store.ts'

/** An event on its way to an endpoint. */
export type Delivery = {
  event: string
  endpoint: string
  tries: number
  /** The last answer's status; null when there was none. */
  status: number | null
  state: 'under way' | 'delivered' | 'given up'
}

export type EndpointParams = {
  url: string
  /** `whsec_...`; a random one when it isn't given. */
  secret?: string
  /** `*` is all of them. */
  events?: readonly string[]
  /** The account of which it is told what happens by Connect; of every one, unless it is given. */
  platform?: string
}

/** Stripe goes on for three days; here the first minute has to do. */
const MAX_TRIES = 8
/** Doubled at each try. */
const FIRST_PAUSE_MS = 250
/** Stripe waits about as long. */
const TIMEOUT_MS = 20_000

const shuffled = <T>(all: T[]): T[] =>
  all
    .map((one) => ({ one, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one)

/** Events of the second version go only where they are asked for by name. */
const wants = ({ enabled_events: types }: Stripe.WebhookEndpoint, { type }: ConnectEvent): boolean =>
  types.some((wanted) => wanted === type || (wanted === '*' && !type.startsWith('v2.')))

/** Posts an event once, signed. @returns the status of the answer, or null without one */
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
 * Tells the endpoints of an account what happens. Each of the things that happen at once goes out in their order, or,
 * with `shuffle`, all at once in a random one, as Stripe's own do. What isn't answered with 2xx goes out again.
 */
export const createWebhooks = (store: Store, { shuffle = false }: { shuffle?: boolean } = {}) => {
  const deliveries: Delivery[] = []
  const stopped = new AbortController()
  const underWay = new Set<Promise<unknown>>()
  /** The accounts to whose Connect events each endpoint, and each event, belongs. */
  const platformOf = new Map<string, string>()

  const eventOf = (id: string): ConnectEvent => {
    const event = store.events.find(id) ?? store.connectEvents.find(id)
    if (event) return event
    throw new Refusal(404, { code: 'resource_missing', message: `No such event: '${id}'` })
  }

  const follow = (work: Promise<unknown>): void => {
    const done = work.finally(() => underWay.delete(done))
    underWay.add(done)
  }

  /** One try. @returns whether it is over */
  const attempt = async (delivery: Delivery): Promise<boolean> => {
    const event = eventOf(delivery.event)
    delivery.tries++
    delivery.status = await post(store.endpoints.get(delivery.endpoint), event, stopped.signal)
    const taken = delivery.status !== null && delivery.status >= 200 && delivery.status < 300
    if (taken) {
      delivery.state = 'delivered'
      if (event.object === 'event') event.pending_webhooks = Math.max(0, event.pending_webhooks - 1)
    }
    return taken || stopped.signal.aborted
  }

  const goOn = async (delivery: Delivery): Promise<void> => {
    while (delivery.tries < MAX_TRIES) {
      const wait = FIRST_PAUSE_MS * 2 ** (delivery.tries - 1) * (0.5 + Math.random() / 2)
      await pause(wait, undefined, { signal: stopped.signal }).catch(() => {})
      if (stopped.signal.aborted || (await attempt(delivery))) return
    }
    delivery.state = 'given up'
  }

  /** The first try of each, and the others behind its back: one that is in trouble holds up nothing. */
  const deliver = async (batch: Delivery[]): Promise<void> => {
    const start = async (delivery: Delivery) => {
      if (!(await attempt(delivery))) follow(goOn(delivery))
    }
    if (shuffle) await Promise.all(shuffled(batch).map(start))
    else for (const delivery of batch) await start(delivery)
  }

  /** Whether an event is any of an endpoint's business. */
  const concerns = (endpoint: Stripe.WebhookEndpoint, event: ConnectEvent): boolean => {
    const [theirs, its] = [platformOf.get(endpoint.id), platformOf.get(event.id)]
    return theirs === undefined || its === undefined || theirs === its
  }

  const send = (events: ConnectEvent[]): void => {
    for (const endpoint of store.endpoints.list()) {
      const batch = events
        .filter((event) => wants(endpoint, event) && concerns(endpoint, event))
        .map((event): Delivery => {
          if (event.object === 'event') event.pending_webhooks++
          return { event: event.id, endpoint: endpoint.id, tries: 0, status: null, state: 'under way' }
        })
      deliveries.push(...batch)
      follow(deliver(batch))
    }
  }

  return {
    /** Records what happened, and tells whoever wants to know. */
    emit: (...happenings: Happening[]): void =>
      send(happenings.map((happening) => store.events.add(snapshotOf(store, happening)))),

    /** The same for what happens by Connect, which only the endpoints of its platform hear. */
    tell: (platform: string, ...told: Told[]): void => {
      const events = told.map((one) => recordTold(store, one))
      for (const { id } of events) platformOf.set(id, platform)
      send(events)
    },

    /** Sends an event once more. */
    resend: (eventId: string): void => send([eventOf(eventId)]),

    addEndpoint: ({ url, secret = newId('whsec', 32), events = ['*'], platform }: EndpointParams) => {
      const endpoint = store.endpoints.add({
        id: newId('we'),
        object: 'webhook_endpoint',
        api_version: Stripe.API_VERSION,
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

    deliveries: (): readonly Delivery[] => deliveries,

    /** Resolves when nothing is under way any more: all is delivered or given up. */
    settled: async (): Promise<void> => {
      while (underWay.size) await Promise.all(underWay)
    },

    stop: async (): Promise<void> => {
      stopped.abort()
      await Promise.all(underWay)
    },
  }
}
export type Webhooks = ReturnType<typeof createWebhooks>

/** Endpoints, whose secret is only told when they are made, and events. */
export const webhookRoutes = (store: Store, { addEndpoint }: Webhooks) =>
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
      return answer(c, store, Object.assign(addEndpoint({ url, events: enabled_events, platform }), rest))
    })
    .get('/v1/webhook_endpoints/:id', (c) => {
      const { secret: _secret, ...endpoint } = store.endpoints.get(c.req.param('id'))
      return answer(c, store, endpoint)
    })
    .route('/', readable(store, '/v1/events', store.events, { type: (event, type) => event.type === type }))
