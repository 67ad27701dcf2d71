import { setTimeout as pause } from 'node:timers/promises'
import { cronWorkers } from './wrangler-config.ts'

/**
 * Production runs crons every CRON_MINUTES. Locally, nobody should wait that long for what is due
 * later.
 */
const PERIOD_MS = 2_000

/**
 * Stands in for Cloudflare's Cron Triggers: runs every Worker that has a cron, whatever its
 * expression, every PERIOD_MS. Runs never overlap.
 */
export const startCron = ({ runCron }: { runCron: (env: string) => Promise<void> }) => {
  const stopped = new AbortController()
  const names = cronWorkers()
  const running = (async () => {
    while (!stopped.signal.aborted) {
      // A failed run has logged its reason. A run during a reload may fail; the next one follows
      // soon.
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
