/** Gives a program a reward with rules, as an edit of its reward does. */
import { randomUUID } from 'node:crypto'
import type { Condition } from '../../lib/rules/rewards/conditions.ts'
import type { Rule } from '../../lib/rules/rewards/rewards.ts'
import type { useDatabase } from './merchant.ts'

type Database = Pick<ReturnType<typeof useDatabase>, 'query'>

export const setRules = async (
  { query }: Database,
  programId: string,
  rules: Rule[],
  basisPoints = 1_000,
): Promise<void> => {
  const id = randomUUID()
  await query(
    `insert into rewards (id, workspace_id, kind, basis_points, rules)
     select $2, workspace_id, 'percent', $3, $4::jsonb from programs where id = $1`,
    [programId, id, basisPoints, JSON.stringify(rules)],
  )
  await query('update programs set reward_id = $2 where id = $1', [programId, id])
}

/** A rule that pays a percentage where a condition holds. */
export const paying = (percent: number, condition: Condition): Rule => ({
  name: `${percent} percent`,
  when: { all: [condition] },
  pay: { kind: 'percent', basisPoints: percent * 100 },
})
