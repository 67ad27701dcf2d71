/** What Stripe sends to a webhook endpoint, as far as the merchant's key allows asking. */
import { connect } from '../../db/connection.ts'
import { decryptSecret } from '../../platform/secrets.ts'
import type { OnboardingEnv } from '../accounts/onboarding.service.ts'
import { connectTo } from '../stripe/connect.service.ts'
import { ConnectError } from '../stripe/failures.service.ts'
import { findCiphertext } from './stripe-keys.queries.ts'

/** @returns null if no endpoint has the URL, there is no key, or Stripe does not answer it */
export const listSentEvents = async (
  env: OnboardingEnv,
  workspaceId: string,
  url: string,
): Promise<string[] | null> => {
  const ciphertext = await findCiphertext(connect(env), workspaceId)
  const key = ciphertext && (await decryptSecret(env.SECRETS_KEY, workspaceId, ciphertext))
  if (!key) return null
  try {
    const endpoints = await connectTo(env, key).endpoints()
    const ours = endpoints.filter((endpoint) => endpoint.url === url)
    return ours.length ? [...new Set(ours.flatMap(({ events }) => events))] : null
  } catch (error) {
    if (error instanceof ConnectError) return null
    throw error
  }
}
