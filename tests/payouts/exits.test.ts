// @module-tag thorough
/**
 * A payout or its run is canceled, its partner banned, the key exchanged or the money gone at each
 * step of running payouts: at each call of the database and of Stripe, before it, after it with the
 * answer lost, and with the process killed there. Then the system goes on, and Stripe's books say
 * whether each partner was sent exactly once what was due.
 */
import { beforeAll, expect, test, vi } from 'vitest'
import { payDue } from '../../lib/upkeep/pay-due.service.ts'
import { usePayouts } from '../support/payouts.ts'
import { MOMENTS, type Moment, useSteps } from '../support/steps.ts'
import { isExhaustive } from '../support/thorough.ts'
import { createStage } from './exits/stage.ts'

const world = usePayouts()
const { during, observe } = useSteps()
// The Workers' log lines say nothing that the test doesn't.
beforeAll(() => void vi.spyOn(console, 'log').mockReturnValue(undefined))

const { begin, events, works, paid, setUpAgain, listOpen, watchTransfers, payRest } = createStage(
  world,
  observe,
)

/** The works during which the key of another account was accepted. */
const exchanged = new Set<string>()

/** By default each third step, from one of the first three on. */
const STRIDE = isExhaustive ? 1 : 3

const CASES_PER_DATABASE = 10

type Case = { place: number; moment: Moment; event: string; turn: number }

/**
 * Lets something happen at a step of the work, and the system go on.
 * @returns what is wrong, and the name of the step
 */
const play = async (name: string, { place, moment, event, turn }: Case) => {
  world.hoursLater(0)
  const scene = await begin()
  const { payer, due } = scene
  const wrong: unknown[] = []
  const check = async () => wrong.push(...(await world.violations()), ...transfers.wrong.splice(0))
  const { before, work } = works[name] ?? { work: async () => {} }
  await before?.(scene, turn)
  const transfers = watchTransfers(scene)
  const happens = async () => {
    await events[event]?.(scene)
    await transfers.note()
  }
  const { steps, isReached } = await during({ place, moment, event: happens }, () => work(scene))
  await check()

  // There is money and a working key again, and what waits is sent or canceled.
  const isOther = await setUpAgain(scene)
  for (const hours of [26, 51]) await payDue(world.env(), world.hoursLater(hours))
  await check()
  wrong.push(...(await listOpen(scene)))

  // A manager pays the rest.
  await payRest(scene, name.includes('bank'))
  transfers.reinstate()
  await payer.run({}, {}, world.hoursLater(53))
  await check()
  const sent = await paid(scene)
  // The cron of the next cases has nothing to do for this merchant.
  await world.query('delete from stripe_keys')
  return { wrong, sent, due, step: steps[place], isReached, isOther }
}

/** The number of steps that a work has when nothing happens. */
const countSteps = async (name: string): Promise<number> => {
  world.hoursLater(0)
  const scene = await begin()
  await works[name]?.before?.(scene, 0)
  const { steps } = await during(null, () => works[name]?.work(scene) ?? Promise.resolve())
  return steps.length
}

/** The cases of a step: all, or one of them in turn. */
const casesOf = (place: number, turn: number): Case[] => {
  const all = MOMENTS.flatMap((moment) =>
    Object.keys(events).map((event) => ({ place, moment, event, turn })),
  )
  if (isExhaustive) return all.map((one, index) => ({ ...one, turn: index }))
  const names = Object.keys(events)
  return [
    {
      place,
      // There are seven events and four moments, so 28 turns meet all pairs.
      moment: MOMENTS[turn % MOMENTS.length] ?? 'before',
      event: names[turn % names.length] ?? '',
      turn,
    },
  ]
}

test.each(Object.keys(works).map((name, index) => ({ name, index })))(
  'while $name: whatever happens at each step, each partner is sent once what was due',
  async ({ name, index }) => {
    await world.empty()
    const count = await countSteps(name)
    let reached = 0
    let played = 0
    for (let place = Math.floor(Math.random() * STRIDE); place < count; place += STRIDE) {
      for (const one of casesOf(place, index * 5 + place)) {
        // The ledger of all merchants is verified in each case.
        if (++played % CASES_PER_DATABASE === 0) await world.empty()
        const { due, step, isReached, isOther, ...found } = await play(name, one)
        const about = `${step}: ${one.event}, ${one.moment} (${one.place}, ${one.turn})`
        expect({ about, ...found }).toEqual({ about, wrong: [], sent: due })
        if (isReached) reached++
        if (isOther) exchanged.add(name)
      }
    }
    // An unclear transfer that was made has fewer steps than one that was not.
    expect(reached).toBeGreaterThan(Math.floor(count / 10))
    // At the first step, nothing was claimed.
    if (isExhaustive && name === 'payouts are run') expect(exchanged).toContain(name)
  },
  1_800_000,
)
