/** What changed terms of programs and groups would have earned, before they are saved. */

import { diff, type Patch } from '../audit/diff.ts'
import type { Db } from '../db/connection.ts'
import type { Group } from '../programs/groups.queries.ts'
import type { Program } from '../programs/programs.queries.ts'
import type { GroupTerms, ProgramTerms } from '../programs/programs.ts'
import type { ReplayedTerms } from '../rules/decisions/past-events.ts'
import type { Reward, RewardTerms } from '../rules/rewards/rewards.ts'
import { type WhatIf, whatIf } from '../tracking/what-if/what-if.service.ts'

/** The terms that determine what an event earns. */
type ProgramChange = Pick<ProgramTerms, keyof ReplayedTerms | 'attributionDays'>

type Rewards = Pick<GroupTerms, 'saleReward' | 'leadReward'>

/** What the last 90 days would have earned under changed terms of a program. Nothing is saved. */
export const programWhatIf = (
  db: Db,
  workspaceId: string,
  program: Program,
  patch: Patch<ProgramChange>,
  now: Date,
): Promise<WhatIf> => {
  const { reward, attributionDays, ...terms } = diff<ProgramChange>(program, patch)?.changed ?? {}
  const changed = { ...terms, ...(reward && { reward: asReward(reward) }) }
  return whatIf(db, workspaceId, { programId: program.id, program: changed, attributionDays }, now)
}

/** The same for changed rewards of a group. */
export const groupWhatIf = (
  db: Db,
  workspaceId: string,
  { id, programId, saleReward, leadReward }: Group,
  patch: Patch<Rewards>,
  now: Date,
): Promise<WhatIf> => {
  const changed: Partial<Rewards> = diff<Rewards>({ saleReward, leadReward }, patch)?.changed ?? {}
  const group = {
    id,
    ...(changed.saleReward !== undefined && {
      saleReward: changed.saleReward && asReward(changed.saleReward),
    }),
    ...(changed.leadReward !== undefined && {
      leadReward: changed.leadReward && asReward(changed.leadReward),
    }),
  }
  return whatIf(db, workspaceId, { programId, group }, now)
}

/** The same for a changed reward of a partner's own. */
export const partnerWhatIf = (
  db: Db,
  workspaceId: string,
  { id, programId }: { id: string; programId: string },
  reward: RewardTerms | null,
  now: Date,
): Promise<WhatIf> => {
  const partner = { id, ownReward: reward && asReward(reward) }
  return whatIf(db, workspaceId, { programId, partner }, now)
}

/** A reward without a row, because it is not saved. */
const asReward = (terms: RewardTerms): Reward => ({ id: '', ...terms })
