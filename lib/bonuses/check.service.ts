/** Checks the milestones of partners in the background. docs/bonuses.md. */
import { type Budget, hasLeft, withDb } from '../db/budget.service.ts'
import type { Db } from '../db/connection.ts'
import { newId } from '../db/ids.ts'
import { type DatabaseEnv, isConflict } from '../db/neon.ts'
import { payableFrom } from '../rules/attribution/payable-from.ts'
import type { Bonus } from '../rules/bonuses/bonuses.ts'
import {
  changedBonuses,
  currencyOf,
  type Figures,
  type FiguresOf,
  isReached,
  openBonuses,
  type ReadFigures,
  wasReached,
} from '../rules/bonuses/check.ts'
import type { Threshold } from '../rules/tiers/tiers.ts'
import {
  type BonusCheck,
  loadChecks,
  loadFigures,
  type NewlyReached,
  saveChecks,
  type WantedFigures,
} from './checks.queries.ts'

/** Partners per transaction. */
const PAGE = 100

/** Reads the figures of partners once each. */
const readFigures = async (db: Db, wanted: WantedFigures[]) => {
  const keyOf = (partnerId: string, { currency, before }: FiguresOf) =>
    [partnerId, currency, before?.getTime()].join()
  const distinct = new Map(wanted.map((one) => [keyOf(one.partnerId, one), one]))
  const figures = await loadFigures(db, [...distinct.values()])
  const known = new Map([...distinct.keys()].map((key, at) => [key, figures[at]]))
  return (partnerId: string): ReadFigures =>
    (of): Figures => {
      const found = known.get(keyOf(partnerId, of))
      if (!found) throw new Error('The figures of a partner were not loaded.')
      return found
    }
}

const ofAll = (milestone: Threshold): FiguresOf => ({
  currency: currencyOf(milestone),
  before: null,
})

type Open = { check: BonusCheck; bonus: Bonus }

const openOf = (check: BonusCheck): Open[] =>
  check.isActive ? openBonuses(check.bonuses, check.reached).map((bonus) => ({ check, bonus })) : []

/**
 * The sales before a bonus was added. In shadow mode, the other platform pays for what is reached:
 * so what was reached before the program went live earns nothing afterwards.
 */
const before = ({ check: { liveSince }, bonus }: Open): FiguresOf => ({
  ...ofAll(bonus),
  before: liveSince && liveSince > bonus.since ? liveSince : bonus.since,
})

const newlyReached = (
  { check, bonus }: Open,
  isReachedBefore: boolean,
  now: Date,
): NewlyReached => {
  const { name, pays, since, ...milestone } = bonus
  const earned = { id: newId(), ...pays, payableAt: payableFrom(check, now) }
  return {
    partnerId: check.partnerId,
    name,
    milestone,
    since,
    earned: isReachedBefore ? null : earned,
  }
}

const checkPage = async (db: Db, now: Date): Promise<{ checked: number; changed: number }> => {
  const checks = await loadChecks(db, PAGE, now)
  if (checks.length === 0) return { checked: 0, changed: 0 }
  const open = checks.flatMap(openOf)
  const figures = await readFigures(db, [
    ...open.map(({ check: { partnerId }, bonus }) => ({ partnerId, ...ofAll(bonus) })),
    ...checks.flatMap(({ partnerId, reached }) =>
      reached.map(({ milestone }) => ({ partnerId, ...ofAll(milestone) })),
    ),
  ])
  const reached = open.filter(({ check, bonus }) =>
    isReached(bonus, figures(check.partnerId)(ofAll(bonus))),
  )
  const former = await readFigures(
    db,
    reached.map((one) => ({ partnerId: one.check.partnerId, ...before(one) })),
  )
  const found = {
    reached: reached.map((one) => {
      const { check, bonus } = one
      const isReachedBefore =
        wasReached(bonus, check.reached) || isReached(bonus, former(check.partnerId)(before(one)))
      return newlyReached(one, isReachedBefore, now)
    }),
    reversals: checks.flatMap(({ partnerId, reached }) =>
      changedBonuses(reached, figures(partnerId)).map((change) => ({ id: newId(), ...change })),
    ),
  }
  return { checked: checks.length, changed: await saveChecks(db, checks, found, now) }
}

/**
 * Checks the partners whose sales have changed, as long as the budget lasts.
 * @returns how many bonuses were earned, reversed or reinstated
 */
export const checkBonuses = async (
  env: DatabaseEnv,
  now: Date,
  budget: Budget,
): Promise<number> => {
  let changes = 0
  while (hasLeft(budget)) {
    try {
      const { checked, changed } = await withDb(env, budget, (db) => checkPage(db, now))
      changes += changed
      if (checked < PAGE) break
    } catch (error) {
      // A manager has changed one of the commissions, or the partner. The next run checks again.
      if (!isConflict(error)) throw error
      break
    }
  }
  return changes
}
