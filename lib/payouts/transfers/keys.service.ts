/** Takes the key of a merchant's Stripe account. */

import type { Act } from '../../audit/audit.queries.ts'
import { connect } from '../../db/connection.ts'
import { encryptSecret } from '../../platform/secrets.ts'
import { findOrphan } from '../accounts/accounts.queries.ts'
import { type OnboardingEnv, refusing } from '../accounts/onboarding.service.ts'
import type { Refused } from '../payouts.rpc.ts'
import { type Connect, connectTo } from '../stripe/connect.service.ts'
import { orIfFailed } from '../stripe/failures.service.ts'
import { checkKey, isNamedLive } from '../stripe/key-check.service.ts'
import { type NewStripeKey, type SavedKey, saveStripeKey } from './stripe-keys.queries.ts'

/** Where a key's account may transfer; null without an answer of Stripe, or the permission. */
export const readTransferCountries = async (stripe: Connect): Promise<string[] | null> => {
  const { country } = await orIfFailed(stripe.platform(), { country: null })
  return country ? orIfFailed(stripe.transferCountries(country), null) : null
}

/**
 * Checks with Stripe that a key may do what payouts need, and encrypts it. If partners are still
 * connected under an earlier key, their accounts must exist under this one.
 */
const encryptKey = async (
  env: OnboardingEnv,
  workspaceId: string,
  key: string,
): Promise<NewStripeKey | Refused> =>
  refusing(
    async () => {
      const checked = await checkKey(env, key)
      if ('reason' in checked) return { refused: checked.reason }
      const stripe = connectTo(env, key)
      const orphan = await findOrphan(connect(env), workspaceId)
      if (orphan && (await stripe.readAccount(orphan)).status === 'closed') {
        return { refused: 'Your partners are connected under another Stripe account or mode.' }
      }
      const ciphertext = await encryptSecret(env.SECRETS_KEY, workspaceId, key)
      const transferCountries = await readTransferCountries(stripe)
      return {
        ciphertext,
        last4: key.slice(-4),
        stripeAccountId: checked.account,
        livemode: isNamedLive(key),
        readsLines: checked.readsLines,
        readsProducts: checked.readsProducts,
        transferCountries,
      }
    },
    {
      lockedOut: (message) => `Stripe rejects this key: ${message}`,
      refused: (message) => `Stripe refuses: ${message}`,
    },
  )

/** Checks a key, and stores it, encrypted. No other Worker may write keys: see roles.sql. */
export const saveKey = async (
  env: OnboardingEnv,
  act: Act,
  key: string,
): Promise<SavedKey | Refused> => {
  const encrypted = await encryptKey(env, act.workspaceId, key)
  return 'refused' in encrypted ? encrypted : saveStripeKey(connect(env), act, encrypted)
}
