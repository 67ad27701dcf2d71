import type Stripe from 'stripe'

/** What happened, and the object that it happened to. */
export type Happening = [type: Stripe.Event['type'], object: { object: string }]

/** An event that only names what it is about. */
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

/** What happened at a platform, which hears of it at its own endpoints. */
export type ConnectEvent = Stripe.Event | ThinEvent

export type Told =
  /** With the object in it, and the connected account's id beside it when it is that one's. */
  | { type: 'account.updated' | 'transfer.created'; object: { object: string }; account?: string }
  /** By name alone. */
  | { type: `v2.core.account${string}`; account: string; data?: object }
