/** Groups, with their rewards. */

import { type Act, auditEntry } from '../audit/audit.queries.ts'
import { diff, type Patch } from '../audit/diff.ts'
import type { Db } from '../db/connection.ts'
import { idOf } from '../db/ids.ts'
import type { PageRequest } from '../db/page-request.ts'
import type { RewardTerms } from '../rules/rewards/rewards.ts'
import type { GroupTerms } from './programs.ts'
import { newReward, rewardOf, rewardTerms } from './rewards.queries.ts'
import { updateTerms } from './terms.queries.ts'

export type Group = GroupTerms & { id: string; programId: string; createdAt: Date }

const selectGroups = (db: Db, workspaceId: string) =>
  db
    .selectFrom('groups as g')
    .where('g.workspace_id', '=', workspaceId)
    .select(['g.id', 'g.program_id as programId', 'g.name', 'g.created_at as createdAt'])
    .select([
      rewardOf('g.sale_reward_id').as('saleReward'),
      rewardOf('g.lead_reward_id').as('leadReward'),
    ])

type Row = Awaited<ReturnType<ReturnType<typeof selectGroups>['execute']>>[number]

const toGroup = ({ id, programId, name, createdAt, saleReward, leadReward }: Row): Group => ({
  id,
  programId,
  name,
  saleReward: saleReward && rewardTerms(saleReward),
  leadReward: leadReward && rewardTerms(leadReward),
  createdAt,
})

/** @param id a UUID */
export const findGroup = async (
  db: Db,
  workspaceId: string,
  id: string,
): Promise<Group | undefined> => {
  const row = await selectGroups(db, workspaceId).where('g.id', '=', id).executeTakeFirst()
  return row && toGroup(row)
}

/** Pages show all groups without pagination. */
const MAX_GROUPS = 200

/** The groups of a program, newest first. */
export const listGroups = async (
  db: Db,
  workspaceId: string,
  programId: string,
  { cursor, limit }: PageRequest = { limit: MAX_GROUPS },
): Promise<Group[]> => {
  const groups = selectGroups(db, workspaceId)
    .where('g.program_id', '=', programId)
    .orderBy('g.id', 'desc')
    .limit(limit)
  const rows = await (cursor ? groups.where('g.id', '<', cursor) : groups).execute()
  return rows.map(toGroup)
}

/**
 * A new reward: its id, and the statement that inserts it. null removes the reward, undefined keeps
 * it.
 * @param nth its number among the rows that the act creates
 */
const prepareReward = (db: Db, act: Act, nth: number, reward: RewardTerms | null | undefined) => {
  if (!reward) return { id: reward, statements: [] }
  const id = idOf(act, nth)
  return { id, statements: [newReward(db, act, id, reward).compile()] }
}

/** @param programId a program of the workspace */
export const createGroup = async (
  db: Db,
  act: Act,
  programId: string,
  terms: GroupTerms,
): Promise<Group> => {
  const id = idOf(act)
  const sale = prepareReward(db, act, 1, terms.saleReward)
  const lead = prepareReward(db, act, 2, terms.leadReward)
  await db.batch([
    ...sale.statements,
    ...lead.statements,
    db
      .insertInto('groups')
      .values({
        id,
        workspace_id: act.workspaceId,
        program_id: programId,
        name: terms.name,
        sale_reward_id: sale.id ?? null,
        lead_reward_id: lead.id ?? null,
        created_at: act.now,
      })
      .onConflict((conflict) => conflict.doNothing())
      .compile(),
    auditEntry(db, {
      ...act,
      action: 'group.created',
      subjectId: id,
      details: { name: terms.name },
    }).compile(),
  ])
  return { ...terms, id, programId, createdAt: act.now }
}

/**
 * Updates the fields that differ. A changed reward is a new row, because commissions refer to the
 * former one.
 *
 * @returns undefined if the workspace has no such group
 */
export const changeGroup = async (
  db: Db,
  act: Act,
  id: string,
  patch: Patch<GroupTerms>,
): Promise<Group | undefined> => {
  const before = await findGroup(db, act.workspaceId, id)
  if (!before) return undefined
  const { name, saleReward, leadReward } = before
  const changes = diff<GroupTerms>({ name, saleReward, leadReward }, patch)
  if (!changes) return before

  const { changed } = changes
  const sale = prepareReward(db, act, 1, changed.saleReward)
  const lead = prepareReward(db, act, 2, changed.leadReward)
  await db.batch([
    ...sale.statements,
    ...lead.statements,
    updateTerms(db, act, 'groups', [id], {
      name: changed.name,
      sale_reward_id: sale.id,
      lead_reward_id: lead.id,
    }),
    auditEntry(db, {
      ...act,
      action: 'group.changed',
      subjectId: id,
      details: changes.log,
    }).compile(),
  ])
  return { ...before, ...changed }
}
