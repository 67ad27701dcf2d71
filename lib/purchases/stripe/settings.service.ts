/** Setting a workspace's webhook at Stripe up, for the API and for the page. */
import type { Context } from 'hono'
import { actOf, type WorkspaceEnv } from '../../auth/access.ts'
import { rpc } from '../../http/rpc.ts'
import type { PayoutsService, Refused } from '../../payouts/payouts.rpc.ts'
import { type StripeKey, saveStripeKey } from '../../payouts/stripe-keys.queries.ts'
import { sha256 } from '../../sha256.ts'
import { addStripeSecret, type KeptSecret } from './signing-secrets.queries.ts'
import type { StripeService } from './stripe.rpc.ts'

/** The app of the Stripe settings. Only the Workers bound here hold the key that secrets are encrypted under. */
export type StripeEnv = WorkspaceEnv & {
  Bindings: {
    STRIPE_WEBHOOK: Pick<StripeService, 'encryptSecret'>
    PAYOUTS: Pick<PayoutsService, 'encryptKey'>
  }
}

/** Where Stripe is to send a workspace's events. A slug is easier to recognise than an id, and never changes. */
export const webhookUrl = (c: Context<StripeEnv>): string =>
  new URL(`/api/webhooks/stripe/${c.var.workspace.slug}`, c.req.url).href

/** What is said of a fifth secret. */
export const SECRETS_FULL =
  'There are four signing secrets already. Remove one that Stripe no longer uses first.'

/** Stores a signing secret of the workspace, encrypted. */
export const keepSecret = async (c: Context<StripeEnv>, secret: string): Promise<KeptSecret> => {
  const ciphertext = await rpc(
    'stripe-webhook',
    c.env.STRIPE_WEBHOOK.encryptSecret(c.var.workspace.id, secret),
  )
  return addStripeSecret(c.var.db, actOf(c), {
    ciphertext,
    fingerprint: await sha256(secret),
    last4: secret.slice(-4),
  })
}

/** What is said of the key of another Stripe account. */
export const KEY_OF_ANOTHER =
  'This key is of another Stripe account than the one before, or of its other mode, and partners are connected under that one, or are being paid. Have them disconnect first.'
/** What is said when a key can't go. */
export const KEY_IN_USE = 'Payouts are on their way under this key. Remove it once they have arrived.'

/**
 * Keeps the key from whose Stripe account partners are paid, encrypted.
 *
 * @returns null for the key of another Stripe account while the one before is needed
 */
export const keepKey = async (c: Context<StripeEnv>, key: string): Promise<StripeKey | Refused | null> => {
  const encrypted = await rpc('payouts', c.env.PAYOUTS.encryptKey(c.var.workspace.id, key))
  if ('refused' in encrypted) return encrypted
  return saveStripeKey(c.var.db, actOf(c), { ...encrypted, last4: key.slice(-4) })
}
