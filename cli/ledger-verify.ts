/**
 * `npm run ledger:verify`: whether the ledger of a database adds up. The checks are the function verify_ledger of
 * schema.sql. It changes nothing. Ends with 1 when something is wrong, and with 2 when it could not find out.
 */
import { join, resolve } from 'node:path'
import type { Demo } from '../dev/demo/demo.ts'
import { ROOT } from '../dev/root.ts'
import { readIfThere } from '../dev/runtime/files.ts'
import { counted } from '../lib/plural.ts'
import { withClient } from './database.ts'

const WRONG = 1
const FAILED = 2

/** What of the ledger is not as it must be. */
type Violation = { invariant: string; workspace_id: string; subject_id: string; details: string }

const COUNTS = `
  select (select count(*) from commissions)::int as commissions, (select count(*) from payouts)::int as payouts`

/** The database to look at: the one that is named, or that of the system which runs on this machine. */
const findDatabase = (): string => {
  if (process.env.DATABASE_URL) return process.env.DATABASE_URL
  const demo = readIfThere(join(resolve(process.env.DATA_DIR || join(ROOT, '.data')), 'demo.json'))
  if (demo) return (JSON.parse(demo) as Demo).databaseUrl
  throw new Error('Say which database: DATABASE_URL=postgres://... npm run ledger:verify')
}

try {
  await withClient(findDatabase(), async (client) => {
    const { rows: violations } = await client.query<Violation>('select * from verify_ledger()')
    const { rows } = await client.query<{ commissions: number; payouts: number }>(COUNTS)
    const [{ commissions, payouts } = { commissions: 0, payouts: 0 }] = rows
    const size = `${counted(commissions, 'commission')} and ${counted(payouts, 'payout')}`
    if (violations.length === 0) {
      console.log(`The ledger adds up: ${size}.`)
      return
    }
    for (const { invariant, workspace_id, subject_id, details } of violations) {
      console.log(`Not so: ${invariant}.\n  ${subject_id} of workspace ${workspace_id}: ${details}`)
    }
    console.log(`\nThe ledger does not add up in ${counted(violations.length, 'place')}, of ${size}.`)
    process.exitCode = WRONG
  })
} catch (error) {
  console.error(`The ledger was not verified. ${(error as Error).message}`)
  process.exitCode = FAILED
}
