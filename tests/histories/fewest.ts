/** Finds the steps of a history that matter. */
import type { Step } from './steps.ts'

/** The time of a step, in which nothing happens. */
const idle = ({ gap }: Step): Step => {
  const step = { gap, take: async () => {}, toString: () => `${gap} s later, nothing` }
  return step
}

/**
 * Plays a history. If it fails, it is played again without some of its steps, fewer each time, and
 * fails with the last error: fast-check would shrink each of their values, which takes an hour.
 */
export const withFewest = async (
  steps: Step[],
  play: (steps: Step[]) => Promise<void>,
): Promise<void> => {
  try {
    await play(steps)
  } catch (error) {
    let [few, reason] = [steps, error]
    for (let count = 8; count >= 1; count = Math.floor(count / 2))
      for (let from = 0; from < few.length; from += count) {
        const tried = few.map((step, n) => (n >= from && n < from + count ? idle(step) : step))
        await play(tried).catch((failure) => {
          few = tried
          reason = failure
        })
      }
    throw reason
  }
}
