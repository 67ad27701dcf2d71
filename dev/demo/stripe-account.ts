/** Stripe in the demo: Pine Notes' account at the fake, and its settings in Tributary. */
import { connect } from '../../lib/db/connection.ts'
import type { DatabaseEnv } from '../../lib/db/neon.ts'
import { sha256 } from '../../lib/platform/sha256.ts'
import { CONNECT_EVENTS, STRIPE_EVENTS } from '../../lib/purchases/stripe/objects/event-types.ts'
import { accountOfKey } from '../fakes/stripe/keys.ts'
import { type StripeFake, startStripe } from '../fakes/stripe.ts'
import { PARTNER_SLUG, WORKSPACE } from './demo.ts'
import { seeder } from './seed.ts'

/** Maya's coupon and its promotion code. */
export const MAYA_COUPON = 'MAYA10'

/** The API key of Pine Notes' account. */
const STRIPE_KEY = 'sk_test_pinenotes'

type Secrets = {
  /** Signs the fake's events. */
  webhookSecret: string
  /** Encrypts secrets for the Workers. */
  secretsKey: string
}

/**
 * Starts the fake with Maya's coupon, 10% off for ever, and Tributary's webhook endpoint.
 *
 * @param baseUrl Tributary's URL, which also serves the fake's pages
 */
export const startDemoStripe = async (
  baseUrl: string,
  webhookSecret: string,
): Promise<StripeFake> => {
  const fake = await startStripe({ pagesUrl: baseUrl })
  fake.addCoupon(
    { id: MAYA_COUPON, name: 'For Maya’s readers', percentOff: 10, duration: 'forever' },
    MAYA_COUPON,
  )
  const url = `${baseUrl}/api/webhooks/stripe/${WORKSPACE}`
  fake.addEndpoint({
    url,
    secret: webhookSecret,
    events: [...STRIPE_EVENTS, ...CONNECT_EVENTS],
    key: STRIPE_KEY,
  })
  return fake
}

/**
 * Stores the fake's signing secret (in slot 1), its account's API key, and Maya's coupon in the
 * demo's workspace.
 */
export const ensureDemoStripe = async (
  env: DatabaseEnv,
  { webhookSecret, secretsKey }: Secrets,
): Promise<void> => {
  const db = connect(env)
  const { id: workspaceId } = await db
    .selectFrom('workspaces')
    .select('id')
    .where('slug', '=', WORKSPACE)
    .executeTakeFirstOrThrow()
  // An existing secret may be encrypted with another data folder's key.
  const fingerprint = await sha256(webhookSecret)
  await db
    .deleteFrom('stripe_secrets')
    .where('workspace_id', '=', workspaceId)
    .where((is) => is.or([is('slot', '=', 1), is('fingerprint', '=', fingerprint)]))
    .execute()
  await seeder(env).addStripeSecret(workspaceId, webhookSecret, secretsKey)
  await seeder(env).addStripeKey(workspaceId, STRIPE_KEY, accountOfKey(STRIPE_KEY), secretsKey)
  // The fake keeps connected accounts in memory only: those of an earlier run are gone.
  await db
    .updateTable('payout_accounts')
    .set({ disconnected_at: new Date() })
    .where('workspace_id', '=', workspaceId)
    .where('disconnected_at', 'is', null)
    .execute()
  await ensureCoupon(env, workspaceId)
}

const ensureCoupon = async (env: DatabaseEnv, workspaceId: string): Promise<void> => {
  const [alias, maya] = await Promise.all([
    connect(env)
      .selectFrom('coupon_aliases')
      .select('id')
      .where('workspace_id', '=', workspaceId)
      .where('coupon_id', '=', MAYA_COUPON)
      .executeTakeFirst(),
    connect(env)
      .selectFrom('partners')
      .select('id')
      .where('workspace_id', '=', workspaceId)
      .where('slug_key', '=', PARTNER_SLUG)
      .executeTakeFirst(),
  ])
  // A user of the demo may have moved the coupon, or changed Maya's slug.
  if (!alias && maya) await seeder(env).addCoupon(workspaceId, maya.id, MAYA_COUPON)
}
