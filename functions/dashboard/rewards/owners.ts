/** Whose reward a page builds: a program's, a group's or a partner's own. */
import type { Context } from 'hono'
import type { Act } from '../../../lib/audit/audit.queries.ts'
import type { WorkspaceEnv } from '../../../lib/auth/access.ts'
import { readById } from '../../../lib/auth/rows.ts'
import { found } from '../../../lib/http/found-or-404.ts'
import type { Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { groupWhatIf, partnerWhatIf, programWhatIf } from '../../../lib/overview/what-if.service.ts'
import { changePartner } from '../../../lib/partners/changes/change-partner.queries.ts'
import { findPartner } from '../../../lib/partners/lists/partners.queries.ts'
import { changeGroup, findGroup } from '../../../lib/programs/groups.queries.ts'
import { changeProgram, findProgram, type Program } from '../../../lib/programs/programs.queries.ts'
import { rewardTerms } from '../../../lib/programs/rewards.queries.ts'
import type { RewardTerms } from '../../../lib/rules/rewards/rewards.ts'
import type { WhatIf } from '../../../lib/tracking/what-if/what-if.service.ts'

export type OwnerKind = 'programs' | 'groups' | 'partners'

export type RewardOwner = {
  name: string
  /** The path of its page. */
  path: string
  section: '/programs' | '/partners'
  /** The program, whose other terms apply. */
  program: Program
  /** Its own reward. */
  reward: RewardTerms | null
  /** What applies without one. */
  inherited: RewardTerms
  /** What applies without one, in words; absent if it must have one. */
  otherwise?: Message
  save: (act: Act, reward: RewardTerms | null) => Promise<unknown>
  whatIf: (reward: RewardTerms | null) => Promise<WhatIf>
}

type Load = (c: Context<WorkspaceEnv>) => Promise<RewardOwner>

const ofProgram: Load = async (c) => {
  const { db, now, workspace } = c.var
  const program = await readById(c, 'program', findProgram)
  const patchOf = (reward: RewardTerms | null) => ({ reward: reward ?? program.reward })
  return {
    name: program.name,
    path: `/app/${workspace.slug}/programs/${program.id}`,
    section: '/programs',
    program,
    reward: program.reward,
    inherited: program.reward,
    save: (act, reward) => changeProgram(db, act, program.id, patchOf(reward)),
    whatIf: (reward) => programWhatIf(db, workspace.id, program, patchOf(reward), now),
  }
}

const ofGroup: Load = async (c) => {
  const { db, now, workspace } = c.var
  const group = await readById(c, 'group', findGroup)
  const program = await found('program', group.programId, (id) => findProgram(db, workspace.id, id))
  return {
    name: group.name,
    path: `/app/${workspace.slug}/groups/${group.id}`,
    section: '/programs',
    program,
    reward: group.saleReward,
    inherited: program.reward,
    otherwise: m.layout_program_reward,
    save: (act, saleReward) => changeGroup(db, act, group.id, { saleReward }),
    whatIf: (saleReward) => groupWhatIf(db, workspace.id, group, { saleReward }, now),
  }
}

/** A partner's own reward, instead of that of its group or program. */
const ofPartner: Load = async (c) => {
  const { db, now, workspace } = c.var
  const partner = await readById(c, 'partner', findPartner)
  const { groupId } = partner
  const [program, group] = await Promise.all([
    found('program', partner.programId, (id) => findProgram(db, workspace.id, id)),
    groupId === null ? undefined : findGroup(db, workspace.id, groupId),
  ])
  return {
    name: partner.name ?? partner.email,
    path: `/app/${workspace.slug}/partners/${partner.id}`,
    section: '/partners',
    program,
    reward: partner.reward && rewardTerms(partner.reward),
    inherited: group?.saleReward ?? program.reward,
    otherwise: group?.saleReward ? m.rewards_of_group : m.layout_program_reward,
    save: (act, reward) => changePartner(db, act, partner.id, { reward }),
    whatIf: (reward) => partnerWhatIf(db, workspace.id, partner, reward, now),
  }
}

export const OWNERS: Record<OwnerKind, Load> = {
  programs: ofProgram,
  groups: ofGroup,
  partners: ofPartner,
}
