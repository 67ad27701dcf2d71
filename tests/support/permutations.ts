import fc from 'fast-check'
import { SEEDS, timesOver } from './thorough.ts'

/** All permutations of a list: 6 of three things, 24 of four. */
export const permutations = <T>(things: T[]): T[][] =>
  things.length < 2
    ? [things]
    : things.flatMap((thing, index) =>
        permutations(things.toSpliced(index, 1)).map((rest) => [thing, ...rest]),
      )

/**
 * All orders of a few things, in `npm test` the given one and its reverse. For tests with the tag
 * "sampled".
 */
export const orders = <T>(things: T[]): T[][] => {
  const all = permutations(things)
  const ends = [all[0] ?? [], all.at(-1) ?? []]
  return timesOver({ quick: all.length > 2 ? ends : all, thorough: all, exhaustive: all })
}

/**
 * Orders of a list: the given one and its reverse in `npm test`, in the thorough tier three others
 * too, drawn by the seed, and all of them with `EXHAUSTIVE=1`. For tests with the tag "sampled".
 */
export const someOrders = <T>(things: T[]): T[][] => {
  const all = permutations(things)
  const few = timesOver({ quick: 2, thorough: 5, exhaustive: all.length })
  if (few >= all.length) return all
  const [seed] = SEEDS
  const others = fc.shuffledSubarray(all.slice(1, -1), { minLength: few - 2, maxLength: few - 2 })
  return [all[0] ?? [], all.at(-1) ?? [], ...(fc.sample(others, { seed, numRuns: 1 })[0] ?? [])]
}

/**
 * Runs `work` for each of the things, so many at a time, and answers the results in the things'
 * order.
 */
export const eachOf = async <T, Result>(
  things: T[],
  atOnce: number,
  work: (thing: T) => Promise<Result>,
): Promise<Result[]> => {
  const results: Result[] = []
  let next = 0
  const worker = async () => {
    while (next < things.length) {
      const index = next++
      results[index] = await work(things[index] as T)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return results
}
