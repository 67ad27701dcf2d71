import { readFile } from 'node:fs/promises'
import { inject } from 'vitest'
import type { Bundles } from '../../dev/runtime/bundles.ts'
import {
  ENDLESS_BUDGETS,
  ENDLESS_SIGN_INS,
  type Settings,
  startWorkers,
} from '../../dev/runtime/workers.ts'
import { checkLines, forbiddenIn } from './log-lines.ts'
import { AUTH_SECRET, SECRETS_KEY } from './secrets.ts'

/**
 * Mails and payouts that a test queues stay until the test runs the Worker, whose database others
 * share.
 */
export const UNNUDGED = ['OUTBOX', 'PAYOUT_QUEUE']

/**
 * Starts Workers beside the shared ones, from the same bundles. Their end fails when they logged
 * what no log may hold.
 *
 * @param envs the Workers that the tests need, besides the router: each costs time to start
 * @param without bindings that they lack
 */
export const startOwnWorkers = async (
  envs: string[],
  settings: Partial<Settings> = {},
  without = UNNUDGED,
) => {
  const bundles: Bundles = JSON.parse(await readFile(inject('bundles'), 'utf8'))
  const needed = ['router', ...envs].map((env) => [env, bundles[env]])
  const badLines: string[] = []
  const workers = await startWorkers(
    {
      ...inject('database'),
      AUTH_SECRET,
      SECRETS_KEY,
      ...ENDLESS_SIGN_INS,
      ...ENDLESS_BUDGETS,
      ...settings,
    },
    Object.fromEntries(needed),
    undefined,
    (line) => {
      if (forbiddenIn(line).length > 0) badLines.push(line)
    },
    without,
  )
  const stop = async () => {
    await workers.stop()
    checkLines(badLines)
  }
  return { ...workers, stop }
}
