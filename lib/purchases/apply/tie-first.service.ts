/** What has to be tied before a purchase is planned. */
import { savePossibleMerge } from '../../customers/possible-merges.queries.ts'
import { tieCustomers, tieExpected } from '../../customers/tie.queries.ts'
import type { Db } from '../../db/connection.ts'
import type { KnownFacts } from '../../rules/plans/plan.ts'
import type { Purchase } from '../../rules/plans/purchase.ts'

/**
 * Ties the ids of a purchase, or saves that a manager has to decide whether its customers are one.
 *
 * @param evidence the purchase
 * @returns whether the purchase has to be loaded again
 */
export const tieFirst = async (
  db: Db,
  workspaceId: string,
  { checkout }: Purchase,
  { tie, possibleMerge }: KnownFacts,
  evidence: string | null,
  now: Date,
): Promise<boolean> => {
  if (tie) {
    const by = { source: 'purchase', evidence } as const
    const { identities, expected } = tie
    if (expected) await tieExpected(db, workspaceId, identities, expected, by, now)
    else await tieCustomers(db, workspaceId, identities, by, now)
    return true
  }
  if (possibleMerge && checkout) {
    await savePossibleMerge(db, workspaceId, { ...possibleMerge, checkoutId: checkout.id }, now)
  }
  return false
}
