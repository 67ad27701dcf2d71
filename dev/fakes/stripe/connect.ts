/** Changes connected accounts, reverses transfers to them, and emits the events. */
import type Stripe from 'stripe'
import { applyStep, type Connected, type Step } from './accounts.ts'
import { accountV1 } from './accounts-v1.ts'
import { StripeError } from './errors.ts'
import type { NewConnectEvent } from './event-shapes.ts'
import type { Platform, Platforms } from './platforms.ts'
import { newId, type Store } from './store.ts'
import { platformOfTransfer, reverseTransfer } from './transfer-reversals.ts'
import type { Webhooks } from './webhooks.ts'

const REQUIREMENTS = 'v2.core.account[requirements].updated'
const CAPABILITY = 'v2.core.account[configuration.recipient].capability_status_updated'

/** The v2 events of each step. */
const CHANGED = {
  onboard: [REQUIREMENTS, CAPABILITY],
  leave: [REQUIREMENTS],
  review: [CAPABILITY],
  restrict: [REQUIREMENTS, CAPABILITY],
  reject: [CAPABILITY],
  restore: [REQUIREMENTS, CAPABILITY],
  close: ['v2.core.account.closed'],
  change_bank: [REQUIREMENTS],
} as const satisfies Record<Step, readonly `v2.core.account${string}`[]>

/** A payout of a connected account, as its bank took it. */
const payoutOf = (
  store: Store,
  { amount, currency }: { amount: number; currency: string },
): Stripe.Payout => ({
  id: newId('po'),
  object: 'payout',
  amount,
  application_fee: null,
  application_fee_amount: null,
  arrival_date: store.seconds(),
  automatic: true,
  balance_transaction: newId('txn'),
  created: store.seconds(),
  currency,
  description: 'STRIPE PAYOUT',
  destination: newId('ba'),
  failure_balance_transaction: null,
  failure_code: null,
  failure_message: null,
  livemode: false,
  metadata: {},
  method: 'standard',
  original_payout: null,
  payout_method: null,
  reconciliation_status: 'completed',
  reversed_by: null,
  source_type: 'card',
  statement_descriptor: null,
  status: 'paid',
  trace_id: null,
  type: 'bank_account',
})

export const createConnect = (store: Store, platforms: Platforms, webhooks: Webhooks) => {
  /** Emits the event of a payout, which belongs to its account. */
  const emitPayout = (id: string, payout: Stripe.Payout): void =>
    webhooks.emitConnect(platforms.owning(id).platform.id, {
      type: payout.status === 'failed' ? 'payout.failed' : 'payout.paid',
      object: payout,
      account: id,
    })

  return {
    platforms,
    now: store.now,

    /** Emits that an account was created. */
    emitCreated: (platform: Platform, { id }: Connected): void =>
      webhooks.emitConnect(platform.id, { type: 'v2.core.account.created', account: id }),

    /**
     * Applies a step to an account, and emits its events.
     * @throws when there is none, or it is closed
     */
    step: (id: string, step: Step): Connected => {
      const { platform, account } = platforms.owning(id)
      applyStep(account, step)
      webhooks.emitConnect(
        platform.id,
        { type: 'account.updated', object: accountV1(account), account: id },
        ...CHANGED[step].map(
          (type): NewConnectEvent => ({
            type,
            account: id,
            ...(type === CAPABILITY && {
              data: { updated_capability: 'stripe_balance.stripe_transfers' },
            }),
          }),
        ),
      )
      return account
    },

    /** Pays out to the bank of an account, and emits the event. */
    payOut: (
      id: string,
      { amount = 1_000, currency = 'usd' }: { amount?: number; currency?: string } = {},
    ): Stripe.Payout => {
      const payout = payoutOf(store, { amount, currency })
      store.accountPayouts.set(payout.id, { ...payout, account: id })
      emitPayout(id, payout)
      return payout
    },

    /**
     * Lets the bank refuse a payout, also one that was paid before. Stripe then pays nothing out to
     * that bank.
     */
    refusePayout: (payoutId: string): Stripe.Payout => {
      const kept = store.accountPayouts.get(payoutId)
      if (!kept)
        throw new StripeError(404, {
          code: 'resource_missing',
          message: `No such payout: '${payoutId}'`,
        })
      const { account: id, ...payout } = kept
      const failed: Stripe.Payout = {
        ...payout,
        status: 'failed',
        failure_code: 'account_closed',
        failure_message: 'The bank account has been closed.',
      }
      store.accountPayouts.set(payoutId, { ...failed, account: id })
      const { platform, account } = platforms.owning(id)
      account.refused = true
      emitPayout(id, failed)
      webhooks.emitConnect(platform.id, {
        type: 'account.updated',
        object: accountV1(account),
        account: id,
      })
      return failed
    },

    /**
     * Reverses a transfer as the platform does in its dashboard; by default all that is left of it.
     */
    reverse: (id: string, amount?: number): Stripe.TransferReversal =>
      reverseTransfer({ store, platforms, webhooks }, platformOfTransfer(platforms, id), id, {
        amount,
      }),
  }
}
export type Connect = ReturnType<typeof createConnect>
