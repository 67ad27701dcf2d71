/** The Stripe settings of a workspace, for the API and the page. */
import type { Context } from 'hono'
import { actOf, type WorkspaceEnv } from '../../auth/access.ts'
import { rpc } from '../../http/rpc/rpc.ts'
import type { PayoutsService } from '../../payouts/payouts.rpc.ts'
import type { SavedKey } from '../../payouts/transfers/stripe-keys.queries.ts'
import { Unavailable } from '../../platform/unavailable.ts'
import type { Mode } from '../../rules/purchases/processors.ts'
import { readSettings } from '../../tenancy/settings/settings.queries.ts'
import { findMissingConnectEvents, findMissingEvents } from './objects/event-types.ts'
import type { NewSecret, StoredSecret } from './signing-secrets.queries.ts'
import type { SigningSecretsService } from './stripe.rpc.ts'

/** The app of the Stripe settings. Only the Workers bound here hold the key of the secrets. */
export type StripeEnv = WorkspaceEnv & {
  Bindings: {
    STRIPE_WEBHOOK: SigningSecretsService
    PAYOUTS: Pick<PayoutsService, 'saveKey' | 'listSentEvents'>
  }
}

/** A workspace's webhook endpoint, by its slug, which is easier to recognise and never changes. */
export const webhookUrl = (c: Context<StripeEnv>): string =>
  new URL(`/api/webhooks/stripe/${c.var.workspace.slug}`, c.req.url).href

/** The event types that Stripe does not send: of the own account, and of connected ones. */
export type MissingEvents = { own: string[]; connected: string[] }

/** Best effort: nothing is missing if the key does not allow to ask. */
export const listMissingEvents = async (c: Context<StripeEnv>): Promise<MissingEvents> => {
  const none: MissingEvents = { own: [], connected: [] }
  try {
    const sent = await rpc(
      'payouts',
      c.env.PAYOUTS.listSentEvents(c.var.workspace.id, webhookUrl(c)),
    )
    return sent ? { own: findMissingEvents(sent), connected: findMissingConnectEvents(sent) } : none
  } catch (error) {
    if (error instanceof Unavailable) return none
    throw error
  }
}

export const SECRETS_FULL =
  'This endpoint has two signing secrets already. First remove one that Stripe no longer uses.'

/** Stores a signing secret of the workspace, encrypted. */
export const storeSecret = (c: Context<StripeEnv>, secret: NewSecret): Promise<StoredSecret> =>
  rpc('stripe-webhook', c.env.STRIPE_WEBHOOK.addSecret(actOf(c), secret))

export const KEY_OF_OTHER_ACCOUNT =
  'This key belongs to another Stripe account or mode, and partners are still connected to, or being paid from, the present one. They must disconnect first.'
export const KEY_IN_USE =
  'Payouts under this key are being processed. Remove it once they have been paid.'

const modeOf = (key: string): Mode => (/^[a-z]+_test_/.test(key) ? 'test' : 'live')

const keyOfOtherMode = (mode: Mode): string =>
  `This workspace is for Stripe’s ${mode} mode. Enter a key of that mode, which begins with rk_${mode}_ or sk_${mode}_.`

export type StoredKey =
  | SavedKey
  /** Stripe, or we, refused the key. */
  | { outcome: 'refused'; reason: string }

/** Stores the key of the Stripe account that partners are paid from, encrypted. */
export const storeKey = async (c: Context<StripeEnv>, key: string): Promise<StoredKey> => {
  const { mode } = await readSettings(c.var.db, c.var.workspace.id)
  if (modeOf(key) !== mode) return { outcome: 'refused', reason: keyOfOtherMode(mode) }
  const saved = await rpc('payouts', c.env.PAYOUTS.saveKey(actOf(c), key))
  return 'refused' in saved ? { outcome: 'refused', reason: saved.refused } : saved
}
