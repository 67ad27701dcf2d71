/** Rewards, which are written once and never change. */

import type { Db } from '../db/connection.ts'
import type { Tables } from '../db/tables.ts'
import type { RewardTerms } from '../tracking/rewards.ts'
import type { Act } from './audit.queries.ts'

type Columns = Pick<Tables['rewards'], 'kind' | 'basis_points' | 'amount_cents' | 'currency'>

/** The reward that a row says, or null when there is no row. */
export const rewardTerms = (row: { [K in keyof Columns]: Columns[K] | null }): RewardTerms | null => {
  if (row.kind === 'percent') return { kind: 'percent', basisPoints: row.basis_points ?? 0 }
  if (row.kind === 'flat') {
    return { kind: 'flat', amountCents: Number(row.amount_cents), currency: row.currency ?? '' }
  }
  return null
}

const columns = (terms: RewardTerms): Columns =>
  terms.kind === 'percent'
    ? { kind: 'percent', basis_points: terms.basisPoints, amount_cents: null, currency: null }
    : { kind: 'flat', basis_points: null, amount_cents: BigInt(terms.amountCents), currency: terms.currency }

/** The statement that writes a reward, for the batch of what it rewards. It may run twice. */
export const newReward = (db: Db, { workspaceId, now }: Act, id: string, terms: RewardTerms) =>
  db
    .insertInto('rewards')
    .values({ id, workspace_id: workspaceId, ...columns(terms), created_at: now })
    .onConflict((conflict) => conflict.column('id').doNothing())
