/** The products in the catalogue of a merchant's Stripe account, which a page offers. */
import type Stripe from 'stripe'
import { connect } from '../../db/connection.ts'
import { decryptSecret } from '../../platform/secrets.ts'
import type { OnboardingEnv } from '../accounts/onboarding.service.ts'
import type { CatalogProduct } from '../payouts.rpc.ts'
import { findProductsCiphertext } from '../transfers/stripe-keys.queries.ts'
import { stripeOf } from './client.service.ts'

/** Stripe's maximum. */
const PAGE = 100
const MOST_PRODUCTS = 200
/** A page waits for each call, and does without the products. */
const TIMEOUT_MS = 2_000

/** A page with a form asks at each change of it. */
const KEPT_MS = 5 * 60_000
/** Stripe was down, or is slow: the next pages do not wait too. */
const KEPT_FAILURE_MS = 60_000
/** Keys whose products this Worker keeps: each takes some 20 kB. */
const MOST_KEYS = 100

/** The products by the encrypted key that listed them, so that another key lists its own. */
const kept = new Map<string, { until: number; products: CatalogProduct[] }>()

/**
 * The newest active products. None without a key that may read them, and as many as Stripe answers
 * in time.
 */
export const listProducts = async (
  env: OnboardingEnv,
  workspaceId: string,
  now = Date.now(),
): Promise<CatalogProduct[]> => {
  const ciphertext = await findProductsCiphertext(connect(env), workspaceId)
  if (!ciphertext) return []
  const known = kept.get(ciphertext)
  if (known && known.until > now) return known.products
  const key = await decryptSecret(env.SECRETS_KEY, workspaceId, ciphertext)
  if (key === null) return []
  const { products, isWhole } = await readProducts(stripeOf(env, key))
  if (kept.size >= MOST_KEYS) kept.clear()
  kept.set(ciphertext, { until: now + (isWhole ? KEPT_MS : KEPT_FAILURE_MS), products })
  return products
}

const readProducts = async (
  stripe: Stripe,
): Promise<{ products: CatalogProduct[]; isWhole: boolean }> => {
  const products: CatalogProduct[] = []
  try {
    for (let hasMore = true; hasMore && products.length < MOST_PRODUCTS; ) {
      const after = products.at(-1)?.productId
      const page = await stripe.products.list(
        { active: true, limit: PAGE, ...(after && { starting_after: after }) },
        { timeout: TIMEOUT_MS },
      )
      for (const { id, name } of page.data) products.push({ productId: id, name })
      hasMore = page.has_more && page.data.length > 0
    }
    return { products, isWhole: true }
  } catch {
    return { products, isWhole: false }
  }
}
