/** All permutations of a list: 6 of three things, 24 of four. */
export const permutations = <T>(things: T[]): T[][] =>
  things.length < 2
    ? [things]
    : things.flatMap((thing, index) =>
        permutations(things.toSpliced(index, 1)).map((rest) => [thing, ...rest]),
      )

/** Runs `work` for each of the things, so many at a time, and answers the results in the things' order. */
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
