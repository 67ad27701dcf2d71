/** Merges two customers, or leaves them apart, for a manager. docs/stripe.md, "Possible merges". */

import type { Act } from '../../audit/audit.queries.ts'
import { findPossibleMerge, savePairDecision } from '../../customers/possible-merges.queries.ts'
import type { Db } from '../../db/connection.ts'
import { lostRace } from '../../platform/unavailable.ts'
import type { MergeDecision } from '../../rules/identities/possible-merges.ts'
import { replanReferred } from './apply.service.ts'

/** Each loses to another decision about the same pair, after which there is nothing to decide. */
const ROUNDS = 3

/**
 * Decides about a possible merge. Idempotent: the first decision counts. The sales of merged
 * customers are recomputed.
 *
 * @param id a UUID
 * @returns what is decided now; `missing` if the workspace has no such pair
 */
export const decideMerge = async (
  db: Db,
  act: Act,
  id: string,
  decision: MergeDecision,
): Promise<MergeDecision | 'missing'> => {
  const { workspaceId, now } = act
  for (let round = 0; round < ROUNDS; round++) {
    const pair = await findPossibleMerge(db, workspaceId, id)
    if (!pair) return 'missing'
    const { status, customer } = pair
    if (status === 'open' && !(await savePairDecision(db, act, pair, decision))) continue
    const decided = status === 'open' ? decision : status
    // Also of a repeat, which may follow an interrupted request.
    if (decided === 'merged') await replanReferred(db, workspaceId, customer.id, now)
    return decided
  }
  throw lostRace('the same customers')
}
