// @module-tag sampled
/**
 * Random histories across rooms: sales by the merchant's API, alone and in batches, and by Stripe,
 * whose events arrive late and twice, also in another workspace of the same account; refunds,
 * disputes, discounts, imports and their undo, edited terms, rewards, tiers and bonuses, budgets, bans,
 * erased partners and customers, credits and refunds by hand, payouts by managers and by the cron, shadow runs. In the
 * end the ledger adds up, is what a new decision of everything would make of it, and says of
 * payouts and coupons what Stripe does. It is the same if events arrive at once and reports of
 * batches are sent one by one, and without the other workspace. `SEED`, `RUNS` and `STEPS` play
 * others.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { replanReferred } from '../../lib/purchases/apply/apply.service.ts'
import { differencesOf, violationsOf } from '../support/ledger.ts'
import { SEEDS, timesOver } from '../support/thorough.ts'
import { BONUSES, checkMilestones, setBonuses } from './bonuses.ts'
import { findOtherTiers, findWrongCoupons } from './checks.ts'
import { customerSteps } from './customers.ts'
import { earned } from './ends.ts'
import { withFewest } from './fewest.ts'
import { managerSteps } from './managers.ts'
import { milestoneSteps } from './milestones.ts'
import { endMonth, moneySteps } from './money.ts'
import { reportSteps } from './reports.ts'
import { rewardOf, type Settings, settings, tiersOf, WITHOUT_MILESTONES } from './settings.ts'
import { anyOf, type Step } from './steps.ts'
import { stripeSteps } from './stripe.ts'
import { termSteps } from './terms.ts'
import { type History, useHistories, type Way } from './world.ts'

const world = useHistories()

const LATE: Way = { isPrompt: false, first: 'ours' }
const PROMPT: Way = { isPrompt: true, first: 'twin' }

const STEPS = Number(process.env.STEPS ?? 40)
const runs = (thorough: number) =>
  Number(process.env.RUNS ?? timesOver({ quick: 1, thorough, exhaustive: thorough * 100 }))

/** What is wrong with the ledger of a workspace, and who would be mailed in vain. */
const findFaultsIn = async (id: string) => ({
  violations: await violationsOf(world.query, id),
  differences: await differencesOf(world.query, id),
  owedToOthers: await world.query(
    `select e.external_id, c.partner_id, sum(c.amount_cents) from commissions c join events e on e.id = c.event_id
     where c.workspace_id = $1 and c.partner_id is distinct from e.partner_id group by 1, 2 having sum(c.amount_cents) <> 0`,
    [id],
  ),
  earnedTooMuch: await world.query(
    `select e.external_id, sum(c.amount_cents) from commissions c join events e on e.id = c.event_id
     where c.workspace_id = $1 and e.kind = 'sale' group by e.id
     having sum(c.amount_cents) < 0 or min(c.currency) = e.currency and sum(c.amount_cents) > e.amount_cents`,
    [id],
  ),
  mailsToErased: await world.query(
    `select kind from mails where workspace_id = $1 and recipient like '%@erased.invalid'`,
    [id],
  ),
})
const findFaults = ({ workspaces }: History) => Promise.all(workspaces.map(findFaultsIn))

/** What Stripe says against the ledger. */
const checkAgainstStripe = async (history: History): Promise<void> => {
  const { ledger, books } = await history.payer.compareBooks()
  expect(ledger, 'what the ledger says was sent by Stripe').toEqual(books)
  expect(await findWrongCoupons(history)).toEqual([])
}
const NO_FAULTS = {
  violations: [],
  differences: [],
  owedToOthers: [],
  earnedTooMuch: [],
  mailsToErased: [],
}

/** Decides everything again. */
const decideAgain = async (history: History): Promise<void> => {
  const customers = await world.query<{ id: string; workspaceId: string }>(
    `update customers set replan_from = '2020-01-01' where workspace_id = any($1) and merged_into is null
     returning id, workspace_id as "workspaceId"`,
    [history.workspaces],
  )
  for (const { id, workspaceId } of customers.toSorted((a, b) => (a.id < b.id ? -1 : 1)))
    await replanReferred(history.db(), workspaceId, id, new Date())
}

/** Sets the tiers, bonuses and the budget that a history begins with. */
const beginMilestones = async (history: History, settings: Settings) => {
  const { terms, tiers, bonuses, budget: monthlyBudget } = settings
  for (const [index, list] of tiers.entries())
    if (list !== 'none') {
      const programId = history.programOf(index)
      await history.manage('PATCH', `/programs/${programId}`, {
        tiers: tiersOf(list, history.groupOf(programId)),
        reward: rewardOf({ ...terms[index === 0 ? 0 : 1], rules: 'tiers' }),
      })
    }
  if (monthlyBudget)
    await history.manage('PATCH', `/programs/${history.programOf(0)}`, { monthlyBudget })
  if (bonuses > 0) await setBonuses(history, history.programOf(0), anyOf(BONUSES, bonuses) ?? [])
}

/** Plays a history. @returns what its events have earned in the end */
const play = async (settings: Settings, steps: Step[], way: Way) => {
  const history = await world.begin(settings, way)
  try {
    for (const [index, terms] of settings.terms.entries())
      if (terms.rules !== 'none' || terms.caps !== 'none')
        await history.manage('PATCH', `/programs/${history.programOf(index)}`, {
          reward: rewardOf(terms),
        })
    await beginMilestones(history, settings)
    for (const slug of ['maya', 'leo']) {
      const { body } = await history.report('click', { programId: history.programOf(0), slug })
      history.clicks.push(String(body.clickId))
      await history.pass(3)
    }
    for (const step of steps) {
      history.log.push(`${new Date().toISOString()} ${step}`)
      await history.pass(step.gap)
      await step.take(history)
    }
    while (history.isWaiting()) await history.pass(3)
    await history.pass(3_600)
    await history.cron()
    await checkMilestones(history)
    expect(await findOtherTiers(history), 'tiers by another figure than is kept').toEqual([])
    expect(await findFaults(history)).toEqual(history.workspaces.map(() => NO_FAULTS))
    await checkAgainstStripe(history)
    const before = await earned(history)
    await decideAgain(history)
    expect(await earned(history), 'what everything earns when it is decided again').toEqual(before)
    await checkMilestones(history)
    expect(await findOtherTiers(history), 'tiers by another figure than is kept').toEqual([])
    expect(await findFaults(history)).toEqual(history.workspaces.map(() => NO_FAULTS))
    return { ends: before, log: history.log }
  } catch (error) {
    if (error instanceof Error) error.message = `${error.message}\n${history.log.join('\n')}`
    throw error
  }
}

/** Steps of these kinds, which happen as often as each other. */
const history = (...kinds: Record<string, fc.Arbitrary<Step>>[]) =>
  fc.array(fc.oneof(...kinds.flatMap((steps) => Object.values(steps))), {
    minLength: STEPS / 2,
    maxLength: STEPS,
    size: 'max',
  })

/** What the cron does after everything. */
const MONTH_END: Step = { gap: 3, take: endMonth }

test.each(SEEDS)(
  'random histories end with a ledger that adds up, and that deciding everything again leaves as it is (seed %i)',
  async (seed) => {
    const others = [
      ...[customerSteps, customerSteps, termSteps, managerSteps, moneySteps],
      ...[milestoneSteps, milestoneSteps],
    ]
    const any = history(reportSteps, reportSteps, stripeSteps, stripeSteps, stripeSteps, ...others)
    const holds = fc.asyncProperty(settings, any, async (settings, steps) =>
      withFewest([...steps, MONTH_END], async (some) => void (await play(settings, some, LATE))),
    )
    await fc.assert(holds, { numRuns: runs(6), seed, endOnFailure: true })
  },
  3_600_000,
)

test.each(SEEDS)(
  'random sales and refunds reach and lose tiers and bonuses as they are counted anew (seed %i)',
  { tags: 'thorough', timeout: 3_600_000 },
  async (seed) => {
    const { clicked, sold, batched, named, returned } = reportSteps
    const { refundedByHand, credited, corrected } = managerSteps
    const sales = { clicked, sold, batched, named, returned }
    const any = history(sales, sales, milestoneSteps, {
      ...{ named, returned, refundedByHand, credited, corrected },
      ...{ banned: termSteps.banned, cron: termSteps.cron, monthEnds: moneySteps.monthEnds },
    })
    const holds = fc.asyncProperty(settings, any, async (drawn, steps) =>
      withFewest([...steps, MONTH_END], async (some) => {
        await play({ ...drawn, salesFrom: 'both' }, some, LATE)
      }),
    )
    await fc.assert(holds, { numRuns: runs(3), seed, endOnFailure: true })
  },
)

/** Under `attribution: "first"`, leads are decided by what is known when they are received. */
const isSale = ({ kind }: { kind: string }) => kind === 'sale'

test.each(SEEDS)(
  'a random history earns the same, however late, in whatever order and how often Stripe’s events arrive (seed %i)',
  async (seed) => {
    const holds = fc.asyncProperty(
      settings,
      history(reportSteps, stripeSteps, stripeSteps, customerSteps, customerSteps, termSteps),
      async (any, steps) =>
        withFewest(steps, async (some) => {
          const settings = { ...any, ...WITHOUT_MILESTONES, idsIn: 'metadata' as const }
          const prompt = await play(settings, some, PROMPT)
          const late = await play(settings, some, LATE)
          const log = [...prompt.log, 'The same, late:', ...late.log].join('\n')
          expect(late.ends.filter(isSale), log).toEqual(prompt.ends.filter(isSale))
          if (!settings.isShared) return
          const alone = await play({ ...settings, isShared: false }, some, PROMPT)
          const apart = [
            ...prompt.log,
            'The same, without the other workspace:',
            ...alone.log,
          ].join('\n')
          expect(alone.ends, apart).toEqual(prompt.ends.filter(({ isOurs }) => isOurs))
        }),
    )
    await fc.assert(holds, { numRuns: runs(3), seed, endOnFailure: true })
  },
  3_600_000,
)
