/** Transfers from a merchant's Stripe account to its partners' accounts. */
import type Stripe from 'stripe'
import { fromStripe, toStripe } from '../../stripe/amounts.ts'
import { formatMoney } from '../../values/money.ts'
import { transferGroup, transferKey } from '../payouts.ts'
import type { ListedTransfer, TransferMetadata } from '../transfers/transfer-metadata.ts'
import { idIn } from './client.service.ts'
import { call, type Failure, failureOf } from './failures.service.ts'

type TransferRequest = {
  payoutId: string
  keyVersion: number
  /** The partner's account. */
  account: string
  /** Minor units of ISO 4217. */
  amountCents: bigint
  currency: string
  metadata: TransferMetadata
}

export type TransferOutcome = ({ kind: 'sent' } & Transfer) | Failure

type Transfer = {
  transferId: string
  /** What was reversed of it since, in minor units of ISO 4217. */
  reversedCents: number
}

/** Stripe's maximum. A payout has one transfer, or very few. */
const PAGE = 100

const transferIn = (transfer: {
  id: string
  currency: string
  amount_reversed: number
}): Transfer => ({
  transferId: idIn(transfer),
  // A proxy may leave it out.
  reversedCents: fromStripe(Number(transfer.amount_reversed) || 0, transfer.currency.toUpperCase()),
})

const listedIn = (transfer: Stripe.Transfer): ListedTransfer => {
  const { amount, created, currency: code, destination, metadata, transfer_group: group } = transfer
  const currency = code.toUpperCase()
  return {
    id: idIn(transfer),
    account: typeof destination === 'string' ? destination : (destination?.id ?? ''),
    amountCents: fromStripe(amount, currency),
    reversedCents: transferIn(transfer).reversedCents,
    currency,
    createdAt: new Date(created * 1_000),
    group: group ?? null,
    metadata: metadata ?? {},
  }
}

/** The calls about transfers. All but createTransfer throw a ConnectError. */
export const transfersOf = (stripe: Stripe) => ({
  /** Creates the transfer of a payout, once per key version. Never throws. */
  createTransfer: async (request: TransferRequest): Promise<TransferOutcome> => {
    const { payoutId, keyVersion, account, amountCents, currency, metadata } = request
    const amount = toStripe(amountCents, currency)
    if (amount === null) {
      const message = `Stripe can’t send ${formatMoney(amountCents, currency)}: it supports whole units of ${currency} only.`
      return { kind: 'refused', code: 'amount_too_fine', message, isAccount: false }
    }
    try {
      const transfer = await stripe.transfers.create(
        {
          amount,
          currency: currency.toLowerCase(),
          destination: account,
          transfer_group: transferGroup(payoutId),
          metadata,
        },
        { idempotencyKey: transferKey(payoutId, keyVersion) },
      )
      return { kind: 'sent', ...transferIn(transfer) }
    } catch (error) {
      return failureOf(error)
    }
  },

  /** The transfer of a payout, or null. A transfer that was reversed since counts. */
  findTransfer: (payoutId: string): Promise<Transfer | null> =>
    call(async () => {
      const { data } = await stripe.transfers.list({
        transfer_group: transferGroup(payoutId),
        limit: PAGE,
      })
      const transfer = data.find(({ metadata }) => metadata?.payout_id === payoutId)
      return transfer ? transferIn(transfer) : null
    }),

  /**
   * A page of the account's transfers, newest first: those since a time, older than a transfer. Of
   * something else that the merchant uses Stripe for, too.
   */
  listTransfers: (
    since: Date,
    olderThan: string | null,
  ): Promise<{ transfers: ListedTransfer[]; hasMore: boolean }> =>
    call(async () => {
      const { data, has_more: hasMore } = await stripe.transfers.list({
        limit: PAGE,
        created: { gte: Math.floor(since.getTime() / 1_000) },
        ...(olderThan && { starting_after: olderThan }),
      })
      return { transfers: data.map(listedIn), hasMore: hasMore === true && data.length > 0 }
    }),
})
