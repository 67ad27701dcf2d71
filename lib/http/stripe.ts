/** Setting a workspace's webhook at Stripe up, for the API and for the page. */
import type { Context } from 'hono'
import { addStripeSecret, type KeptSecret } from '../data/stripe-secrets.ts'
import { DatabaseUnavailable } from '../data/unavailable.ts'
import type { StripeService } from '../stripe/service.ts'
import { actOf, type WorkspaceEnv } from './access.ts'
import { sha256 } from './sha256.ts'

/** The app of what sets Stripe up. The key under which secrets are sealed, the stripe-webhook Worker alone holds. */
export type StripeEnv = WorkspaceEnv & { Bindings: { STRIPE_WEBHOOK: Pick<StripeService, 'sealSecret'> } }

/** Where Stripe is to send a workspace's events. A slug is easier to recognise than an id, and never changes. */
export const webhookUrl = (c: Context<StripeEnv>): string =>
  new URL(`/api/webhooks/stripe/${c.var.workspace.slug}`, c.req.url).href

/** What is said of a third secret. */
export const SECRETS_FULL =
  'There are two signing secrets already. Remove the one that Stripe no longer uses first.'

/** By how much of its end people know a secret. */
const HINT_LENGTH = 4

/** Keeps a signing secret of the workspace, sealed. */
export const keepSecret = async (c: Context<StripeEnv>, secret: string): Promise<KeptSecret> => {
  const sealed = await c.env.STRIPE_WEBHOOK.sealSecret(c.var.workspace.id, secret).catch((cause: unknown) => {
    throw new DatabaseUnavailable('The secret could not be sealed.', { cause })
  })
  return addStripeSecret(c.var.db, actOf(c), {
    sealed,
    fingerprint: await sha256(secret),
    hint: secret.slice(-HINT_LENGTH),
  })
}
