import { afterAll, beforeAll, inject, vi } from 'vitest'
import type { Workers } from '../../dev/runtime/workers.ts'
import { type Fault, type Meanwhile, startFaultyDatabase } from './faulty-database.ts'
import { startOwnWorkers } from './workers.ts'

/**
 * Concurrent tests of a file, which mostly wait for a silent database. With more, a busy machine
 * misses deadlines.
 */
const AT_ONCE = 16

/**
 * Workers over a database that fails as planned. Called once by a test file, at its top.
 *
 * @param envs the Workers that its tests need, besides the router
 */
export const useFaultyWorkers = (...envs: string[]) => {
  vi.setConfig({ maxConcurrency: AT_ONCE })
  let faulty: Awaited<ReturnType<typeof startFaultyDatabase>>
  let workers: Workers
  beforeAll(async () => {
    faulty = await startFaultyDatabase(inject('database').SQL_ENDPOINT)
    workers = await startOwnWorkers(envs, { SQL_ENDPOINT: faulty.url })
  })
  afterAll(async () => {
    vi.resetConfig()
    await workers?.stop()
    await faulty?.stop()
  })

  return {
    baseUrl: () => workers.url.origin,
    takeLogs: () => workers.takeLogs(),
    /** Counts and fails the fetches of one tenant: any text in its statements identifies it. */
    watch: (tenant: string[]) => ({
      plan: (...faults: (Fault | Meanwhile | null)[]) => faulty.plan(tenant, faults),
      fetches: () => faulty.fetches(tenant),
      left: () => faulty.left(tenant),
    }),
  }
}
