// @module-tag thorough
/** Ctrl-C while `npm start` still adds the demo’s year. */
import { expect, test, vi } from 'vitest'
import { openPool } from '../support/databases.ts'
import { startSystem } from '../support/system.ts'

test('npm start stops cleanly while it adds the demo’s year, of which nothing is left', async () => {
  const system = await startSystem({ DEMO_YEAR: '' })
  const pool = openPool(system.demo.databaseUrl)
  const adding = `select from pg_stat_activity where query like '%save_report%' and pid <> pg_backend_pid()`
  await vi.waitFor(async () => expect(await pool.query(adding)).not.toEqual([]), 60_000)
  await pool.end()
  expect(await system.stop()).toBe(0)
  expect(system.output()).not.toMatch(/did not stop|Error|has a year/)
}, 180_000)
