/** What happens to connected accounts, and whom it is told to. */
import { type Connected, type Step, takeStep } from './accounts.ts'
import { accountV1 } from './accounts-v1.ts'
import type { Told } from './event-shapes.ts'
import type { Platform, Platforms } from './platforms.ts'
import type { Store } from './store.ts'
import type { Webhooks } from './webhooks.ts'

const REQUIREMENTS = 'v2.core.account[requirements].updated'
const CAPABILITY = 'v2.core.account[configuration.recipient].capability_status_updated'

/** What a step changes, in the second version's names. */
const CHANGED = {
  onboard: [REQUIREMENTS, CAPABILITY],
  leave: [REQUIREMENTS],
  restrict: [REQUIREMENTS, CAPABILITY],
  reject: [CAPABILITY],
  restore: [REQUIREMENTS, CAPABILITY],
  close: ['v2.core.account.closed'],
} as const satisfies Record<Step, readonly `v2.core.account${string}`[]>

export const createConnect = (store: Store, platforms: Platforms, { tell }: Webhooks) => ({
  platforms,
  now: store.now,

  /** Tells that an account is there. */
  tellCreated: (platform: Platform, { id }: Connected): void =>
    tell(platform.id, { type: 'v2.core.account.created', account: id }),

  /** Lets something happen to an account, and tells of it. @throws when there is none, or it is closed */
  step: (id: string, step: Step): Connected => {
    const { platform, account } = platforms.owning(id)
    takeStep(account, step)
    tell(
      platform.id,
      { type: 'account.updated', object: accountV1(account), account: id },
      ...CHANGED[step].map(
        (type): Told => ({
          type,
          account: id,
          ...(type === CAPABILITY && { data: { updated_capability: 'stripe_balance.stripe_transfers' } }),
        }),
      ),
    )
    return account
  },
})
export type Connect = ReturnType<typeof createConnect>
