/** Reversals of transfers, which the platform makes in its dashboard or by the API. */
import type Stripe from 'stripe'
import { invalidParam, invalidRequest, StripeError } from './errors.ts'
import type { Platform, Platforms } from './platforms.ts'
import { newId, type Store } from './store.ts'
import type { Webhooks } from './webhooks.ts'

type Reversing = { store: Store; platforms: Platforms; webhooks: Pick<Webhooks, 'emitConnect'> }

type ReversalParams = {
  /** By default all that is left. */
  amount?: number | undefined
  metadata?: Record<string, string> | undefined
}

/** Reverses a transfer, in part or in full. @throws when more is asked for than is left */
export const reverseTransfer = (
  { store, platforms, webhooks }: Reversing,
  platform: Platform,
  id: string,
  params: ReversalParams = {},
): Stripe.TransferReversal => {
  const transfer = platform.transfers.get(id)
  const left = transfer.amount - transfer.amount_reversed
  const { amount = left, metadata = {} } = params
  if (left === 0) throw invalidRequest(`Transfer ${id} is already fully reversed.`)
  if (amount > left) {
    throw invalidParam(
      'amount',
      `The amount ${amount} is greater than the unreversed amount ${left}.`,
    )
  }
  const reversal: Stripe.TransferReversal = {
    id: newId('trr'),
    object: 'transfer_reversal',
    amount,
    balance_transaction: newId('txn'),
    created: store.seconds(),
    currency: transfer.currency,
    destination_payment_refund: newId('pyr'),
    metadata,
    source_refund: null,
    transfer: id,
  }
  transfer.amount_reversed += amount
  transfer.reversed = transfer.amount_reversed === transfer.amount
  transfer.reversals.data.unshift(reversal)
  const balance = platforms.balanceOf(platform, transfer.currency)
  platforms.setBalance(transfer.currency, balance + amount, platform)
  webhooks.emitConnect(platform.id, { type: 'transfer.reversed', object: transfer })
  return reversal
}

/** The platform of a transfer. @throws when there is none */
export const platformOfTransfer = (platforms: Platforms, id: string): Platform => {
  const platform = platforms.list().find(({ transfers }) => transfers.find(id))
  if (platform) return platform
  throw new StripeError(404, { code: 'resource_missing', message: `No such transfer: '${id}'` })
}
