/** Changes connected accounts, reverses transfers to them, and emits the events. */
import type Stripe from 'stripe'
import { applyStep, type Connected, type Step } from './accounts.ts'
import { accountV1 } from './accounts-v1.ts'
import type { NewConnectEvent } from './event-shapes.ts'
import type { Platform, Platforms } from './platforms.ts'
import type { Store } from './store.ts'
import { platformOfTransfer, reverseTransfer } from './transfer-reversals.ts'
import type { Webhooks } from './webhooks.ts'

const REQUIREMENTS = 'v2.core.account[requirements].updated'
const CAPABILITY = 'v2.core.account[configuration.recipient].capability_status_updated'

/** The v2 events of each step. */
const CHANGED = {
  onboard: [REQUIREMENTS, CAPABILITY],
  leave: [REQUIREMENTS],
  restrict: [REQUIREMENTS, CAPABILITY],
  reject: [CAPABILITY],
  restore: [REQUIREMENTS, CAPABILITY],
  close: ['v2.core.account.closed'],
} as const satisfies Record<Step, readonly `v2.core.account${string}`[]>

export const createConnect = (store: Store, platforms: Platforms, webhooks: Webhooks) => ({
  platforms,
  now: store.now,

  /** Emits that an account was created. */
  emitCreated: (platform: Platform, { id }: Connected): void =>
    webhooks.emitConnect(platform.id, { type: 'v2.core.account.created', account: id }),

  /** Applies a step to an account, and emits its events. @throws when there is none, or it is closed */
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
          ...(type === CAPABILITY && { data: { updated_capability: 'stripe_balance.stripe_transfers' } }),
        }),
      ),
    )
    return account
  },

  /** Reverses a transfer as the platform does in its dashboard; by default all that is left of it. */
  reverse: (id: string, amount?: number): Stripe.TransferReversal =>
    reverseTransfer({ store, platforms, webhooks }, platformOfTransfer(platforms, id), id, { amount }),
})
export type Connect = ReturnType<typeof createConnect>
