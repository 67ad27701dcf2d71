/** Rewards. A row is immutable. */

import type { Act } from '../audit/audit.queries.ts'
import type { Db } from '../db/connection.ts'
import type { Tables } from '../db/tables.ts'
import type { RewardTerms } from '../rules/rewards/rewards.ts'

type Columns = Pick<Tables['rewards'], 'kind' | 'basis_points' | 'amount_cents' | 'currency'>

/** A row of `rewards`, or the nulls of a left join that found none. */
type RewardRow = {
  kind: Columns['kind'] | null
  basisPoints: number | null
  amountCents: bigint | null
  currency: string | null
}

/** @returns null if the left join found no reward */
export const rewardTerms = (row: RewardRow): RewardTerms | null => {
  if (row.kind === 'percent') return { kind: 'percent', basisPoints: row.basisPoints ?? 0 }
  if (row.kind === 'flat') {
    return { kind: 'flat', amountCents: Number(row.amountCents), currency: row.currency ?? '' }
  }
  return null
}

const columns = (terms: RewardTerms): Columns =>
  terms.kind === 'percent'
    ? { kind: 'percent', basis_points: terms.basisPoints, amount_cents: null, currency: null }
    : {
        kind: 'flat',
        basis_points: null,
        amount_cents: BigInt(terms.amountCents),
        currency: terms.currency,
      }

/** Inserts a reward, for the batch that inserts its program or group. Idempotent. */
export const newReward = (db: Db, { workspaceId, now }: Act, id: string, terms: RewardTerms) =>
  db
    .insertInto('rewards')
    .values({ id, workspace_id: workspaceId, ...columns(terms), created_at: now })
    .onConflict((conflict) => conflict.doNothing())
