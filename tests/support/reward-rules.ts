/** Gives a program a reward with rules or caps, as if it had always had it. */
import { randomUUID } from 'node:crypto'
import type { Cap } from '../../lib/rules/rewards/caps.ts'
import type { Condition } from '../../lib/rules/rewards/conditions.ts'
import type { Rule } from '../../lib/rules/rewards/rewards.ts'
import type { useDatabase } from './merchant.ts'

type Database = Pick<ReturnType<typeof useDatabase>, 'query'>

export const setRules = async (
  database: Database,
  programId: string,
  rules: Rule[],
  basisPoints = 1_000,
): Promise<void> => setReward(database, programId, { rules, basisPoints })

export const setCaps = async (
  database: Database,
  programId: string,
  caps: Cap[],
  { rules, basisPoints = 2_000 }: { rules?: Rule[]; basisPoints?: number } = {},
): Promise<void> => setReward(database, programId, { rules, caps, basisPoints })

type Reward = { rules?: Rule[] | undefined; caps?: Cap[]; basisPoints: number }

const setReward = async (
  { query }: Database,
  programId: string,
  { rules, caps, basisPoints }: Reward,
): Promise<void> => {
  const id = randomUUID()
  await query(
    `insert into rewards (id, workspace_id, kind, basis_points, rules, caps)
     select $2, workspace_id, 'percent', $3, $4::jsonb, $5::jsonb from programs where id = $1`,
    [programId, id, basisPoints, rules && JSON.stringify(rules), caps && JSON.stringify(caps)],
  )
  await query('update programs set reward_id = $2 where id = $1', [programId, id])
}

/** A cap in USD. */
export const usdCap = (per: Cap['per'], amountCents: number): Cap => ({
  ...{ per, amountCents, currency: 'USD' },
})

/** A rule that pays a percentage where a condition holds. */
export const paying = (percent: number, condition: Condition): Rule => ({
  name: `${percent} percent`,
  when: { all: [condition] },
  pay: { kind: 'percent', basisPoints: percent * 100 },
})
