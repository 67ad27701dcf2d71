/** Setting a workspace's webhook at Stripe up, for the API and for the page. */
import type { Context } from 'hono'
import { actOf, type WorkspaceEnv } from '../../auth/access.ts'
import { DatabaseUnavailable } from '../../db/unavailable.ts'
import type { PayoutsService, Refused } from '../../payouts/payouts.rpc.ts'
import { type StripeKey, saveStripeKey } from '../../payouts/stripe-keys.queries.ts'
import { sha256 } from '../../sha256.ts'
import type { StripeService } from '../purchases.rpc.ts'
import { addStripeSecret, type KeptSecret } from './signing-secrets.queries.ts'

/** The app of what sets Stripe up. What secrets are sealed under, only the Workers that it calls for that hold. */
export type StripeEnv = WorkspaceEnv & {
  Bindings: {
    STRIPE_WEBHOOK: Pick<StripeService, 'sealSecret'>
    PAYOUTS: Pick<PayoutsService, 'sealKey'>
  }
}

/** Where Stripe is to send a workspace's events. A slug is easier to recognise than an id, and never changes. */
export const webhookUrl = (c: Context<StripeEnv>): string =>
  new URL(`/api/webhooks/stripe/${c.var.workspace.slug}`, c.req.url).href

/** What is said of a fifth secret. */
export const SECRETS_FULL =
  'There are four signing secrets already. Remove one that Stripe no longer uses first.'

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

/** What is said of the key of another Stripe account. */
export const KEY_OF_ANOTHER =
  'This key is of another Stripe account than the one before, or of its other mode, and partners are connected under that one, or are being paid. Have them disconnect first.'
/** What is said when a key can't go. */
export const KEY_IN_USE = 'Payouts are on their way under this key. Remove it once they have arrived.'

/**
 * Keeps the key from whose Stripe account partners are paid, sealed.
 *
 * @returns null for the key of another Stripe account while the one before is needed
 */
export const keepKey = async (c: Context<StripeEnv>, key: string): Promise<StripeKey | Refused | null> => {
  const sealed = await c.env.PAYOUTS.sealKey(c.var.workspace.id, key).catch((cause: unknown) => {
    throw new DatabaseUnavailable('The key could not be sealed.', { cause })
  })
  if ('refused' in sealed) return sealed
  return saveStripeKey(c.var.db, actOf(c), { ...sealed, hint: key.slice(-HINT_LENGTH) })
}
