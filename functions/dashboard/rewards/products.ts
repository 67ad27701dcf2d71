/** The products that the page of a reward offers. */
import type { Context } from 'hono'
import type { WorkspaceEnv } from '../../../lib/auth/access.ts'
import type { PayoutsService } from '../../../lib/payouts/payouts.rpc.ts'
import {
  listSoldProducts,
  type SoldProduct,
} from '../../../lib/tracking/events/sold-products.queries.ts'

export type ProductsEnv = WorkspaceEnv & {
  Bindings: { PAYOUTS: Pick<PayoutsService, 'listProducts'> }
}

/** Those of recent sales, then the others of Stripe's catalogue. */
export const offeredProducts = async (c: Context<ProductsEnv>): Promise<SoldProduct[]> => {
  const { db, workspace } = c.var
  const [sold, listed] = await Promise.all([
    listSoldProducts(db, workspace.id),
    // Without an answer, products of sales are offered alone.
    c.env.PAYOUTS.listProducts(workspace.id).catch(() => []),
  ])
  const names = new Map(listed.map(({ productId, name }) => [productId, name]))
  const seen = new Set(sold.map(({ productId }) => productId))
  return [
    ...sold.map(({ productId, name }) => ({
      productId,
      name: name ?? names.get(productId) ?? null,
    })),
    ...listed.filter(({ productId }) => !seen.has(productId)),
  ]
}
