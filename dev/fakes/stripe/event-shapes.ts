/** The shapes of events: snapshot events, v2 thin events, and what they are made from. */
import type Stripe from 'stripe'

/** A new event: its type, and the object that it is about. */
export type NewEvent = [type: Stripe.Event['type'], object: { object: string }]

/** A v2 event: names its object instead of containing it. */
export type ThinEvent = {
  id: string
  object: 'v2.core.event'
  type: string
  created: string
  livemode: boolean
  changes: null
  context: null
  data: object
  reason: null
  related_object: { id: string; type: 'v2.core.account'; url: string }
  snapshot_event: null
}

/** An event of Connect, sent to the platform's own endpoints. */
export type ConnectEvent = Stripe.Event | ThinEvent

/** A new event of Connect. */
export type NewConnectEvent =
  /** A snapshot event, with the connected account's id if the object belongs to it. */
  | {
      type:
        | 'account.updated'
        | 'transfer.created'
        | 'transfer.reversed'
        | 'payout.paid'
        | 'payout.failed'
      object: { object: string }
      account?: string
    }
  /** A thin event. */
  | { type: `v2.core.account${string}`; account: string; data?: object }
