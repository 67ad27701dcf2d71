import { sql } from 'kysely'
import { expect, inject, test } from 'vitest'
import { connect } from '../../lib/db/connection.ts'

const amount = sql<{ amount: bigint }>`select 2940::bigint as amount`

test('bigint columns are read as BigInt, in single queries and in batches', async () => {
  const db = connect(inject('database'))
  expect((await amount.execute(db)).rows).toEqual([{ amount: 2_940n }])
  const [first, second] = await db.batch([amount.compile(db), amount.compile(db)])
  expect([first, second]).toEqual([[{ amount: 2_940n }], [{ amount: 2_940n }]])
})
