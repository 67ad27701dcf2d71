import { readFile } from 'node:fs/promises'
import { inject } from 'vitest'
import type { Bundles } from '../../dev/runtime/bundles.ts'
import { type Settings, startWorkers } from '../../dev/runtime/workers.ts'
import { checkLines, forbiddenIn } from './log-lines.ts'
import { AUTH_SECRET, SECRETS_KEY } from './secrets.ts'

/**
 * Starts Workers beside the shared ones, from the same bundles. Their end fails when they logged what no log may hold.
 *
 * @param envs the Workers that the tests need, besides the router: each costs time to start
 */
export const startOwnWorkers = async (envs: string[], settings: Partial<Settings> = {}) => {
  const bundles: Bundles = JSON.parse(await readFile(inject('bundles'), 'utf8'))
  const needed = ['router', ...envs].map((env) => [env, bundles[env]])
  const badLines: string[] = []
  const workers = await startWorkers(
    { ...inject('database'), AUTH_SECRET, SECRETS_KEY, ...settings },
    Object.fromEntries(needed),
    undefined,
    (line) => {
      if (forbiddenIn(line).length > 0) badLines.push(line)
    },
  )
  const stop = async () => {
    await workers.stop()
    checkLines(badLines)
  }
  return { ...workers, stop }
}
