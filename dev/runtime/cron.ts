import { setTimeout as pause } from 'node:timers/promises'
import { cronWorkers } from './workers.ts'

/** In production a cron runs once a minute at most; whoever tries something out does not wait that long. */
const PERIOD_MS = 2_000

/**
 * Plays Cloudflare's clock: runs every Worker that has a cron, whatever its cron says, again and again, each time
 * waiting for the run before.
 */
export const startClock = ({ runCron }: { runCron: (env: string) => Promise<void> }) => {
  const stopped = new AbortController()
  const names = cronWorkers()
  const running = (async () => {
    while (!stopped.signal.aborted) {
      // A run that fails has logged why, and one whose Workers are just being replaced is not missed.
      await Promise.allSettled(names.map(runCron))
      await pause(PERIOD_MS, undefined, { signal: stopped.signal }).catch(() => {})
    }
  })()
  return {
    stop: async () => {
      stopped.abort()
      await running
    },
  }
}
