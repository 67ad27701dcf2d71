/** Bonuses for milestones of partners. docs/bonuses.md. */
import { canonicalJson } from '../../values/json.ts'
import type { Threshold } from '../tiers/tiers.ts'

/** What a partner earns once, when its sales reach the threshold. */
export type BonusTerms = Threshold & {
  /** Unique in the program: a partner earns a bonus of this name once. */
  name: string
  pays: { amountCents: number; currency: string }
}

/** A milestone that was reached before `since`, when the bonus was added, earns nothing. */
export type Bonus = BonusTerms & { since: Date }

/** As it is stored with its program. */
export type StoredBonus = BonusTerms & { since: string }

export const MAX_BONUSES = 10

/** The bonuses of a changed list: one whose milestone is unchanged keeps the time it was added. */
export const bonusesOf = (asked: BonusTerms[], before: Bonus[], now: Date): Bonus[] =>
  asked.map((bonus) => {
    const former = before.find(({ name }) => name === bonus.name)
    const isSame =
      former && canonicalJson(milestoneOf(former)) === canonicalJson(milestoneOf(bonus))
    return { ...bonus, since: isSame ? former.since : now }
  })

const milestoneOf = (bonus: BonusTerms): Threshold =>
  bonus.by === 'netSales'
    ? { by: bonus.by, currency: bonus.currency, atLeastCents: bonus.atLeastCents }
    : { by: bonus.by, atLeast: bonus.atLeast }
