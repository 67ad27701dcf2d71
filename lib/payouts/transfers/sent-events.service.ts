/** The event types that Stripe sends to a webhook endpoint, as far as the key may read them. */
import { connect } from '../../db/connection.ts'
import type { OnboardingEnv } from '../accounts/onboarding.service.ts'
import { connectWith } from '../stripe/connect.service.ts'
import { orIfFailed } from '../stripe/failures.service.ts'
import { findCiphertext } from './stripe-keys.queries.ts'

/** @returns null if no endpoint has the URL, there is no key, or Stripe does not answer it */
export const listSentEvents = async (
  env: OnboardingEnv,
  workspaceId: string,
  url: string,
): Promise<string[] | null> => {
  const ciphertext = await findCiphertext(connect(env), workspaceId)
  const stripe = await connectWith(env, workspaceId, ciphertext)
  const endpoints = stripe ? await orIfFailed(stripe.endpoints(), []) : []
  const ours = endpoints.filter((endpoint) => endpoint.url === url)
  return ours.length ? [...new Set(ours.flatMap(({ events }) => events))] : null
}
