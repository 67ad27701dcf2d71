/** What Stripe has told a workspace, as managers read it. The stripe-webhook Worker writes it. */
import type { Db } from '../db/connection.ts'
import type { PageRequest } from '../db/page-request.ts'
import { stripeKeyQuery } from '../payouts/stripe-keys.queries.ts'
import { stripeSecretsQuery } from './stripe/signing-secrets.queries.ts'

export type StripeEventFilter = PageRequest & {
  type?: string | undefined
  /** Under which the sale is recorded that the event led to. */
  externalId?: string | undefined
}

export type StripeEventRow = Awaited<ReturnType<typeof listStripeEvents>>[number]

/** The events that have arrived for a workspace, newest first. */
export const listStripeEvents = (db: Db, workspaceId: string, filter: StripeEventFilter) =>
  stripeEventsQuery(db, workspaceId, filter).execute()

/** The same as a query, for a batch. */
const stripeEventsQuery = (db: Db, workspaceId: string, filter: StripeEventFilter) =>
  db
    .selectFrom('stripe_events')
    .where('workspace_id', '=', workspaceId)
    .where((eb) =>
      eb.and([
        ...(filter.type ? [eb('type', '=', filter.type)] : []),
        ...(filter.externalId
          ? [
              eb(
                'event_id',
                '=',
                db
                  .selectFrom('events')
                  .where('workspace_id', '=', workspaceId)
                  .where('kind', '=', 'sale')
                  .where('external_id', '=', filter.externalId)
                  .select('id'),
              ),
            ]
          : []),
        ...(filter.cursor ? [eb('id', '<', filter.cursor)] : []),
      ]),
    )
    .orderBy('id', 'desc')
    .limit(filter.limit)
    .select(['id', 'stripe_id', 'type', 'livemode', 'occurred_at', 'received_at', 'event_id', 'outcome'])

/**
 * When an event arrived: the first one, or the last. Ids are in the order of arrival, and have an index. What
 * reconciling has recorded did not arrive: see lib/purchases/stripe/list-purchases.service.ts.
 */
const arrival = (db: Db, workspaceId: string, which: 'asc' | 'desc') =>
  db
    .selectFrom('stripe_events')
    .where('workspace_id', '=', workspaceId)
    .where('stripe_id', 'not like', 'reconcile\\_%')
    .select('received_at')
    .orderBy('id', which)
    .limit(1)
    .compile()

/**
 * How a workspace stands with Stripe: the key to pay by, the webhook's secrets, when the first and the last event
 * arrived, and a part of the events, in one fetch.
 */
export const readStripe = async (db: Db, workspaceId: string, filter: StripeEventFilter = { limit: 0 }) => {
  const [[key], secrets, [first], [last], events] = await db.batch([
    stripeKeyQuery(db, workspaceId).compile(),
    stripeSecretsQuery(db, workspaceId).compile(),
    arrival(db, workspaceId, 'asc'),
    arrival(db, workspaceId, 'desc'),
    stripeEventsQuery(db, workspaceId, filter).compile(),
  ])
  return {
    key: key ?? null,
    secrets,
    firstEventAt: first?.received_at ?? null,
    lastEventAt: last?.received_at ?? null,
    events,
  }
}

export type StripeSetup = Awaited<ReturnType<typeof readStripe>>
