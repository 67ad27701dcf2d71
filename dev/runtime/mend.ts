/** Starts again what ended by itself. */
import { setTimeout as pause } from 'node:timers/promises'

/** A running program. */
export type Program = {
  /** Resolves with how it ended, such as `SIGKILL`. */
  ended: Promise<string>
  stop: () => Promise<void>
}

/**
 * The wait before each start, in milliseconds. After the last one, the cause is not going to pass.
 */
const BACKOFF_MS = [100, 200, 400, 800, 1_600]

/** A program that ran for longer had recovered. */
const WITHIN_MS = 60_000

/**
 * Counts the ends of a program.
 *
 * @returns how long to wait before the next start, in milliseconds, given the time of an end;
 *   undefined after five others within a minute
 */
export const countEnds = (): ((now: number) => number | undefined) => {
  let ends: number[] = []
  return (now) => {
    ends = [...ends.filter((end) => now - end < WITHIN_MS), now]
    return BACKOFF_MS[ends.length - 1]
  }
}

/** The error for a program that ends again and again. */
export const endsAgain = (name: string, how: string): Error =>
  new Error(
    `${name} ended ${BACKOFF_MS.length + 1} times within a minute, the last time with ${how}.`,
  )

/**
 * Keeps a program running: starts it again with backoff when it ends by itself, and logs that in
 * one line.
 *
 * @param startAgain rejects when the program doesn't start, or when the signal aborts
 * @param onGiveUp   called once, when the program ends again and again
 * @returns stops the program, or a start in progress
 */
export const keepRunning = (
  name: string,
  first: Program,
  options: {
    startAgain: (signal: AbortSignal) => Promise<Program>
    onLog: (line: string) => void
    onGiveUp: (error: Error) => void
  },
): (() => Promise<void>) => {
  const stopped = new AbortController()
  const { signal } = stopped
  const backoff = countEnds()
  let program = first

  /** @returns how the last start failed; undefined when it succeeded */
  const start = async (waitMs: number): Promise<string | undefined> => {
    try {
      await pause(waitMs, undefined, { signal })
      program = await options.startAgain(signal)
      return undefined
    } catch (error) {
      return `an error: ${(error as Error).message}`
    }
  }

  const mend = async () => {
    while (true) {
      const how = await program.ended
      const endedAt = Date.now()
      let failure: string | undefined = how
      while (failure !== undefined) {
        if (signal.aborted) return
        const waitMs = backoff(Date.now())
        if (waitMs === undefined) {
          options.onGiveUp(endsAgain(name, failure))
          return
        }
        failure = await start(waitMs)
      }
      const seconds = ((Date.now() - endedAt) / 1_000).toFixed(1)
      if (!signal.aborted)
        options.onLog(`${name} ended with ${how}. It runs again after ${seconds} s.`)
    }
  }
  const mending = mend()

  return async () => {
    stopped.abort()
    await program.stop()
    await mending
    // A start that succeeded while the other one was stopping.
    await program.stop()
  }
}
