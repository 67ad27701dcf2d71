/** Whose reward a page builds: a program's, a group's for sales or leads, or a partner's own. */
import type { Context } from 'hono'
import type { Act } from '../../../lib/audit/audit.queries.ts'
import type { WorkspaceEnv } from '../../../lib/auth/access.ts'
import { readById } from '../../../lib/auth/rows.ts'
import { found } from '../../../lib/http/found-or-404.ts'
import type { Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import type { RewardedEvent } from '../../../lib/languages/reward-words.ts'
import { groupWhatIf, partnerWhatIf, programWhatIf } from '../../../lib/overview/what-if.service.ts'
import { changePartner } from '../../../lib/partners/changes/change-partner.queries.ts'
import { findPartner } from '../../../lib/partners/lists/partners.queries.ts'
import { changeGroup, findGroup } from '../../../lib/programs/groups.queries.ts'
import { changeProgram, findProgram, type Program } from '../../../lib/programs/programs.queries.ts'
import { rewardTerms } from '../../../lib/programs/rewards.queries.ts'
import type { RewardTerms } from '../../../lib/rules/rewards/rewards.ts'
import type { WhatIf } from '../../../lib/tracking/what-if/what-if.service.ts'

export type RewardOwner = {
  name: string
  /** The path of its page. */
  path: string
  /** The path of the page that builds the reward. */
  action: string
  /** What the reward is for. */
  event: RewardedEvent
  section: '/programs' | '/partners'
  /** The program, whose other terms apply. */
  program: Program
  /** Its own reward. */
  reward: RewardTerms | null
  /** What applies without one; null for nothing. */
  inherited: RewardTerms | null
  /** What applies without one, in words; absent if it must have one. */
  otherwise?: Message
  save: (act: Act, reward: RewardTerms | null) => Promise<unknown>
  whatIf: (reward: RewardTerms | null) => Promise<WhatIf>
}

type Request = Pick<Context<WorkspaceEnv>, 'req' | 'var'>

type Load = (c: Request) => Promise<RewardOwner>

const ofProgram: Load = async (c) => {
  const { db, now, workspace } = c.var
  const program = await readById(c, 'program', findProgram)
  const patchOf = (reward: RewardTerms | null) => ({ reward: reward ?? program.reward })
  const path = `/app/${workspace.slug}/programs/${program.id}`
  return {
    name: program.name,
    path,
    action: `${path}/reward`,
    event: 'sale',
    section: '/programs',
    program,
    reward: program.reward,
    inherited: program.reward,
    save: (act, reward) => changeProgram(db, act, program.id, patchOf(reward)),
    whatIf: (reward) => programWhatIf(db, workspace.id, program, patchOf(reward), now),
  }
}

/** What the pages of a group's two rewards have in common. */
const loadGroup = async (c: Request) => {
  const { db, workspace } = c.var
  const group = await readById(c, 'group', findGroup)
  const program = await found('program', group.programId, (id) => findProgram(db, workspace.id, id))
  const path = `/app/${workspace.slug}/groups/${group.id}`
  return { group, page: { name: group.name, path, section: '/programs', program } as const }
}

const ofGroup: Load = async (c) => {
  const { db, now, workspace } = c.var
  const { group, page } = await loadGroup(c)
  return {
    ...page,
    action: `${page.path}/reward`,
    event: 'sale',
    reward: group.saleReward,
    inherited: page.program.reward,
    otherwise: m.layout_program_reward,
    save: (act, saleReward) => changeGroup(db, act, group.id, { saleReward }),
    whatIf: (saleReward) => groupWhatIf(db, workspace.id, group, { saleReward }, now),
  }
}

const ofLeads: Load = async (c) => {
  const { db, now, workspace } = c.var
  const { group, page } = await loadGroup(c)
  return {
    ...page,
    action: `${page.path}/lead-reward`,
    event: 'lead',
    reward: group.leadReward,
    inherited: null,
    otherwise: m.layout_no_reward,
    save: (act, leadReward) => changeGroup(db, act, group.id, { leadReward }),
    whatIf: (leadReward) => groupWhatIf(db, workspace.id, group, { leadReward }, now),
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
  const path = `/app/${workspace.slug}/partners/${partner.id}`
  return {
    name: partner.name ?? partner.email,
    path,
    action: `${path}/reward`,
    event: 'sale',
    section: '/partners',
    program,
    reward: partner.reward && rewardTerms(partner.reward),
    inherited: group?.saleReward ?? program.reward,
    otherwise: group?.saleReward ? m.rewards_of_group : m.layout_program_reward,
    save: (act, reward) => changePartner(db, act, partner.id, { reward }),
    whatIf: (reward) => partnerWhatIf(db, workspace.id, partner, reward, now),
  }
}

/** The pages that build rewards, by their paths in a workspace. */
export const REWARD_PAGES: Record<string, Load> = {
  'programs/:id/reward': ofProgram,
  'groups/:id/reward': ofGroup,
  'groups/:id/lead-reward': ofLeads,
  'partners/:id/reward': ofPartner,
}
