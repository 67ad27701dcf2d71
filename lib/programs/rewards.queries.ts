/** Rewards. A row is immutable. */
import { type RawBuilder, sql } from 'kysely'
import type { Act } from '../audit/audit.queries.ts'
import type { Db } from '../db/connection.ts'
import type { Cap } from '../rules/rewards/caps.ts'
import type { BaseReward, RewardTerms, Rule } from '../rules/rewards/rewards.ts'

/** What the function `reward_of` returns. */
type StoredReward = BaseReward & { id: string; rules: Rule[] | null; caps: Cap[] | null }

/** The reward in a column, or null. @param column such as `p.reward_id` */
export const rewardOf = (column: string): RawBuilder<StoredReward | null> =>
  sql`reward_of(${sql.ref(column)})`

/** The terms with the keys of their type, in the order of requests: `diff` compares them as JSON. */
export const rewardTerms = ({ rules, caps, ...stored }: StoredReward): RewardTerms => ({
  ...(stored.kind === 'percent'
    ? { kind: 'percent', basisPoints: stored.basisPoints }
    : { kind: 'flat', amountCents: stored.amountCents, currency: stored.currency }),
  ...(rules && { rules }),
  ...(caps && { caps }),
})

const columns = (terms: RewardTerms) =>
  terms.kind === 'percent'
    ? { kind: terms.kind, basis_points: terms.basisPoints, amount_cents: null, currency: null }
    : {
        kind: terms.kind,
        basis_points: null,
        amount_cents: BigInt(terms.amountCents),
        currency: terms.currency,
      }

/**
 * Inserts a reward, for the batch that inserts its program, group or partner's terms. Idempotent.
 */
export const newReward = (db: Db, { workspaceId, now }: Act, id: string, terms: RewardTerms) =>
  db
    .insertInto('rewards')
    .values({
      id,
      workspace_id: workspaceId,
      ...columns(terms),
      rules: terms.rules?.length ? JSON.stringify(terms.rules) : null,
      caps: terms.caps?.length ? JSON.stringify(terms.caps) : null,
      created_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
