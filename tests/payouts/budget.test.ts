import { sql } from 'kysely'
import { expect, inject, test } from 'vitest'
import { connectWithin } from '../../lib/db/budget.service.ts'
import { continueReplans, endWaits } from '../../lib/purchases/apply/late.service.ts'

test.each([
  { case: 'its fetches are spent', MAX_FETCHES: '3', ms: 60_000, connections: 3 },
  { case: 'its time is over', MAX_FETCHES: '3', ms: 0, connections: 0 },
])('a run connects until $case', async ({ MAX_FETCHES, ms, connections }) => {
  const connect = connectWithin({ ...inject('database'), MAX_FETCHES }, ms)
  let made = 0
  for (let db = connect(); db; db = connect()) {
    await sql`select 1`.execute(db)
    made++
  }
  expect(made).toBe(connections)
})

test.each([endWaits, continueReplans])(
  '%o leaves everything to the next run if nothing is left',
  async (work) => {
    expect(await work(() => null, new Date())).toEqual({ applied: 0, failures: [] })
  },
)
