/** Moves partners into the groups of their tiers, once a day, by cron. */

import { type Budget, type BudgetEnv, hasLeft, withDb } from '../db/budget.service.ts'
import { describeError, log } from '../http/logging.ts'
import type { TierDetails } from '../mail/outbox/details.ts'
import { moveByTier, NO_TIER } from '../rules/tiers/moves.ts'
import { levelsOf, tierOf } from '../rules/tiers/tiers.ts'
import {
  listDueTiers,
  listTiered,
  saveMoves,
  type TierChange,
  type TieredPartner,
  type TieredProgram,
} from './move-partners.queries.ts'

type Env = BudgetEnv & {
  /** Tributary's address, for links in mails. */
  PUBLIC_URL: string
}

/** Programs of one run of the cron. */
const MAX_PROGRAMS = 20
/** Partners per transaction. */
const PAGE = 200

/** @returns how many pages of partners were looked at */
export const movePartners = async (env: Env, now: Date, budget: Budget): Promise<number> => {
  if (!hasLeft(budget)) return 0
  const programs = await withDb(env, budget, (db) => listDueTiers(db, now, MAX_PROGRAMS))
  let pages = 0
  for (const program of programs) {
    // One that fails does not stop the others.
    pages += await moveAll(env, program, now, budget).catch((error: Error) => {
      const { workspaceId, id: programId } = program
      log('error', { job: 'tiers', workspaceId, programId, ...describeError(error) })
      return 0
    })
  }
  return pages
}

/** Ends early if something else has changed a partner or the tiers: the next run goes on. */
const moveAll = async (
  env: Env,
  program: TieredProgram,
  now: Date,
  budget: Budget,
): Promise<number> => {
  let pages = 0
  while (hasLeft(budget)) {
    const { after, partners } = await withDb(env, budget, (db) =>
      listTiered(db, program, now, PAGE),
    )
    const to = partners.length < PAGE ? null : (partners.at(-1)?.id ?? null)
    const changes = partners.flatMap((partner) => changeOf(env, program, partner))
    const isSaved = await withDb(env, budget, (db) =>
      saveMoves(db, program, { after, to, changes, now }),
    )
    pages += 1
    if (!isSaved || to === null) break
  }
  return pages
}

const changeOf = (env: Env, program: TieredProgram, partner: TieredPartner): TierChange[] => {
  const { tiers, name: programName, mode } = program
  const before = { tier: partner.tier, moves: partner.moves ?? NO_TIER.moves }
  const facts = tierOf(partner.figures)
  if (facts.tier === before.tier) return []
  const { state, groupId } = moveByTier(tiers, before, facts.tier, partner.groupId)
  if (groupId === partner.groupId) return [{ partner, facts, state, move: null }]
  const names = levelsOf(tiers).map(({ name }) => name)
  const hasRisen = names.indexOf(facts.tier ?? '') > names.indexOf(before.tier ?? '')
  const mail: TierDetails = {
    partnerName: partner.name,
    programName,
    change: hasRisen ? 'reached' : 'left',
    tier: (hasRisen ? facts.tier : before.tier) ?? '',
    portalUrl: new URL('/portal', env.PUBLIC_URL).href,
  }
  // Partners of a shadow run hear nothing of it.
  return [{ partner, facts, state, move: { groupId, mail: mode === 'shadow' ? null : mail } }]
}
