import { afterAll, beforeAll, inject } from 'vitest'
import { type Fault, type Meanwhile, startFaultyDatabase } from './faulty-database.ts'
import { askAs } from './in-process.ts'
import { createMerchant } from './merchant.ts'

/**
 * The management API over a database that fails as planned. Called once by a test file, at its top.
 */
export const useFaultyManage = () => {
  let faulty: Awaited<ReturnType<typeof startFaultyDatabase>>
  beforeAll(async () => {
    faulty = await startFaultyDatabase(inject('database').SQL_ENDPOINT)
  })
  afterAll(() => faulty.stop())

  return {
    /**
     * A merchant who is staged over the faulty database, too: the driver keeps one endpoint for the
     * whole process, and a test that runs beside others would send them past their faults.
     */
    createMerchant: (options: Parameters<typeof createMerchant>[0] = {}) =>
      createMerchant({ ...options, database: { ...inject('database'), SQL_ENDPOINT: faulty.url } }),

    /** A tenant as its statements name it, to be called by somebody who has signed in. */
    watch: (tenant: string[], email: string) => ({
      plan: (...faults: (Fault | Meanwhile | null)[]) => faulty.plan(tenant, faults),
      fetches: () => faulty.fetches(tenant),
      left: () => faulty.left(tenant),
      /** Sends a form of a page. */
      submit: (worker: 'dashboard' | 'portal', path: string, fields: Record<string, string>) =>
        askAs(
          worker,
          email,
          path,
          {
            method: 'POST',
            headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
            body: new URLSearchParams(fields).toString(),
          },
          { SQL_ENDPOINT: faulty.url },
        ),
      call: (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
        askAs(
          'manage',
          email,
          `/api/workspaces${path}`,
          {
            method,
            headers: { 'Content-Type': 'application/json', ...headers },
            ...(body !== undefined && { body: JSON.stringify(body) }),
          },
          { SQL_ENDPOINT: faulty.url },
        ),
    }),
  }
}
