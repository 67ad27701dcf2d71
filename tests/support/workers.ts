import { readFile } from 'node:fs/promises'
import { inject } from 'vitest'
import type { Bundles } from '../../dev/runtime/bundles.ts'
import { type Settings, startWorkers } from '../../dev/runtime/workers.ts'
import { AUTH_SECRET, SECRETS_KEY } from './secrets.ts'

/**
 * Starts Workers beside the shared ones, from the same bundles.
 *
 * @param envs the Workers that the tests need, besides the router: each costs time to start
 */
export const startOwnWorkers = async (envs: string[], settings: Partial<Settings> = {}) => {
  const bundles: Bundles = JSON.parse(await readFile(inject('bundles'), 'utf8'))
  const needed = ['router', ...envs].map((env) => [env, bundles[env]])
  return startWorkers(
    { ...inject('database'), AUTH_SECRET, SECRETS_KEY, ...settings },
    Object.fromEntries(needed),
  )
}
