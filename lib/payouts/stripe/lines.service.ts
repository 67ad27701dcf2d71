/** Reads the lines of what was paid at a merchant's Stripe account, by the key that pays partners. */
import { connect } from '../../db/connection.ts'
import { decryptSecret } from '../../platform/secrets.ts'
import { type LinesOf, readLines } from '../../stripe/lines.service.ts'
import type { OnboardingEnv } from '../accounts/onboarding.service.ts'
import { findCiphertext } from '../transfers/stripe-keys.queries.ts'
import { stripeOf } from './client.service.ts'
import { ConnectError, call } from './failures.service.ts'

/**
 * The lines as JSON has them. Null without a key, or if Stripe refuses to list them.
 * @throws {ConnectError} without a clear answer: Stripe sends the event again
 */
export const listLines = async (
  env: OnboardingEnv,
  workspaceId: string,
  of: LinesOf,
): Promise<object[] | null> => {
  const ciphertext = await findCiphertext(connect(env), workspaceId)
  const key = ciphertext ? await decryptSecret(env.SECRETS_KEY, workspaceId, ciphertext) : null
  if (key === null) return null
  try {
    const lines = await call(() => readLines(stripeOf(env, key), of))
    // Its decimals are objects, which another Worker cannot be sent.
    return JSON.parse(JSON.stringify(lines))
  } catch (error) {
    if (error instanceof ConnectError && error.failure.kind !== 'unclear') return null
    throw error
  }
}
