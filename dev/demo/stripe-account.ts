/** Stripe in the demo: the fake with what Pine Notes has there, and what Tributary has to know of it. */
import { connect, type DatabaseEnv } from '../../lib/db/connection.ts'
import { CONNECT_EVENTS, STRIPE_EVENTS } from '../../lib/purchases/stripe/event-types.ts'
import { sha256 } from '../../lib/sha256.ts'
import { accountOfKey } from '../fakes/stripe/keys.ts'
import { type StripeFake, startStripe } from '../fakes/stripe.ts'
import { PARTNER_SLUG, WORKSPACE } from './demo.ts'
import { seeder } from './seed.ts'

/** The coupon of Maya's readers, and the code by which they use it. */
export const MAYA_COUPON = 'MAYA10'

/** The key of Pine Notes' account. */
const STRIPE_KEY = 'sk_test_pinenotes'

/** The secrets of this machine that it takes. */
type Secrets = {
  /** Signs the fake's events. */
  webhookSecret: string
  /** Encrypts that one for the Workers. */
  secretsKey: string
}

/**
 * Starts the fake with Maya's coupon, which takes 10% off for ever, and with Tributary as its webhook's endpoint.
 *
 * @param baseUrl Tributary's address, under which the fake's pages are too
 */
export const startDemoStripe = async (baseUrl: string, webhookSecret: string): Promise<StripeFake> => {
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
 * Lets the demo's workspace know the fake's signing secret, in the first of its places, the key of its account there,
 * and Maya's coupon.
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
  // What is there may be of another folder's key, under which nothing here can read it.
  const fingerprint = await sha256(webhookSecret)
  await db
    .deleteFrom('stripe_secrets')
    .where('workspace_id', '=', workspaceId)
    .where((is) => is.or([is('slot', '=', 1), is('fingerprint', '=', fingerprint)]))
    .execute()
  await seeder(env).addStripeSecret(workspaceId, webhookSecret, secretsKey)
  await seeder(env).addStripeKey(workspaceId, STRIPE_KEY, accountOfKey(STRIPE_KEY), secretsKey)
  // The fake has forgotten whoever was connected when it was last stopped.
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
  // Whoever plays with the demo may have given the coupon away, or Maya another slug.
  if (!alias && maya) await seeder(env).addCoupon(workspaceId, maya.id, MAYA_COUPON)
}
