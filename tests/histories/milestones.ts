/** What managers ask of partners’ sales in all: tiers, bonuses and budgets. */
import fc from 'fast-check'
import { BONUSES, checkMilestones, setBonuses } from './bonuses.ts'
import { budget, rewardOf, type TierList, tierList, tiersOf } from './settings.ts'
import { anyOf, program, step, which } from './steps.ts'

/** Whose sales, or leads, are rewarded by tiers. */
type Rewarded = 'program' | 'group' | 'leads' | 'partner'

export const milestoneSteps = {
  tiersEdited: step<{ program: number; tiers: TierList }>(
    'the tiers of a program are edited',
    { program, tiers: tierList },
    (history, { program, tiers }) => {
      const programId = history.programOf(program)
      return history.manage('PATCH', `/programs/${programId}`, {
        tiers: tiersOf(tiers, history.groupOf(programId)),
      })
    },
  ),
  tierRewarded: step<{ program: number; which: number; of: Rewarded; percent: 10 | null }>(
    'a reward asks for tiers',
    {
      ...{ program, which, percent: fc.constantFrom(10, null) },
      of: fc.constantFrom<Rewarded>('program', 'program', 'group', 'leads', 'partner'),
    },
    async (history, { program, which, of, percent }) => {
      const programId = history.programOf(program)
      const reward = rewardOf({ percent, rules: 'tiers', caps: 'none' })
      if (of === 'program') return history.manage('PATCH', `/programs/${programId}`, { reward })
      if (of === 'partner') {
        const partner = anyOf(await history.partners(), which)
        return partner && history.manage('PATCH', `/partners/${partner.id}`, { reward })
      }
      const leadReward = {
        ...{ kind: 'flat', amountCents: 150, currency: 'USD' },
        rules: [
          {
            name: 'Gold',
            when: { all: [{ fact: 'tier', in: ['Gold'] }] },
            pay: { kind: 'flat', amountCents: 350, currency: 'USD' },
          },
        ],
      }
      return history.manage(
        'PATCH',
        `/groups/${history.groupOf(programId)}`,
        of === 'leads' ? { leadReward } : { saleReward: reward },
      )
    },
  ),
  bonusesEdited: step<{ program: number; list: number }>(
    'the bonuses of a program are edited',
    { program, list: fc.nat(BONUSES.length - 1) },
    (history, { program, list }) =>
      setBonuses(history, history.programOf(program), anyOf(BONUSES, list) ?? []),
  ),
  milestonesChecked: step('the milestones are checked', {}, checkMilestones),
  budgeted: step<{ program: number; budget: object | null }>(
    'a program gets a monthly budget, or loses it',
    { program, budget },
    (history, { program, budget: monthlyBudget }) =>
      history.manage('PATCH', `/programs/${history.programOf(program)}`, { monthlyBudget }),
  ),
}
