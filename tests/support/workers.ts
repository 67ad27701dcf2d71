import { readFile } from 'node:fs/promises'
import { inject } from 'vitest'
import { type Settings, startWorkers } from '../../dev/runtime/workers.ts'
import { AUTH_SECRET, SECRETS_KEY } from './secrets.ts'

/** Starts Workers beside the shared ones, from the same bundles. */
export const startOwnWorkers = async (settings: Partial<Settings> = {}) =>
  startWorkers(
    { ...inject('database'), AUTH_SECRET, SECRETS_KEY, ...settings },
    JSON.parse(await readFile(inject('bundles'), 'utf8')),
  )
