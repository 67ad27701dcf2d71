/**
 * `npm run ledger:verify`: checks the ledger with the function verify_ledger of schema/verify.sql,
 * and compares each purchase with the money received and returned. It changes nothing, unless `--
 * --repair` is given, which first recounts all totals. Exit code 1: violations or differences. Exit
 * code 2: the check could not run.
 */
import type pg from 'pg'
import { checkPurchases } from '../lib/ledger-check/check-purchases.service.ts'
import { allWorkspaces, type Query } from '../lib/ledger-check/purchases.queries.ts'
import { counted } from '../lib/values/plural.ts'
import { ledgerOf, withClient } from './database.ts'

const VIOLATED = 1
const FAILED = 2

/** A row of verify_ledger. */
type Violation = { invariant: string; workspace_id: string; subject_id: string; details: string }

/** Purchases per line of progress. */
const PROGRESS_EVERY = 10_000

const COUNTS = `
  select (select count(*) from commissions)::int as commissions, (select count(*) from payouts)::int as payouts`

/** DATABASE_URL, or the database of the local `npm start`. */
const findDatabase = (): string => {
  const ledger = ledgerOf(process.env)
  if (ledger) return ledger.DATABASE_URL
  throw new Error('Set DATABASE_URL: DATABASE_URL=postgres://... npm run ledger:verify')
}

/**
 * Recounts all totals in one snapshot, while others write. Only folding waits for it, by the lock
 * of the session.
 */
const repair = async (client: pg.Client): Promise<void> => {
  await client.query("select pg_advisory_lock(hashtextextended('fold_totals', 0))")
  await client.query('begin isolation level repeatable read')
  await client.query('select rebuild_totals()')
  await client.query('commit')
  await client.query("select pg_advisory_unlock(hashtextextended('fold_totals', 0))")
  console.log('All totals were recounted.')
}

/**
 * Compares all purchases with the money received and returned, in one snapshot, and prints each
 * difference. Progress goes to stderr.
 *
 * @returns the number of differences
 */
const comparePurchases = async (client: pg.Client): Promise<number> => {
  const query: Query = async (text, values) => (await client.query(text, values)).rows
  let [differences, compared, pending, shown] = [0, 0, 0, 0]
  await client.query('begin isolation level repeatable read read only')
  for (const { id, slug } of await allWorkspaces(query)) {
    for await (const page of checkPurchases(query, id, new Date())) {
      for (const difference of page.differences)
        console.log(`Differs, in the workspace ${slug}: ${difference}`)
      differences += page.differences.length
      compared += page.compared
      pending += page.pending
      if (compared - shown < PROGRESS_EVERY) continue
      shown = compared
      console.error(`  ${counted(compared, 'purchase')} compared`)
    }
  }
  await client.query('commit')
  console.log(
    differences
      ? `\n${counted(differences, 'difference')} from what was received and returned, in ${counted(compared, 'purchase')}.`
      : `It agrees with what was received and returned of ${counted(compared, 'purchase')}.`,
  )
  if (pending)
    console.log(`Not compared, because they are being processed: ${counted(pending, 'purchase')}.`)
  return differences
}

try {
  await withClient(findDatabase(), async (client) => {
    if (process.argv.includes('--repair')) await repair(client)
    const { rows: violations } = await client.query<Violation>('select * from verify_ledger()')
    const { rows } = await client.query<{ commissions: number; payouts: number }>(COUNTS)
    const [{ commissions, payouts } = { commissions: 0, payouts: 0 }] = rows
    const size = `${counted(commissions, 'commission')} and ${counted(payouts, 'payout')}`
    for (const { invariant, workspace_id, subject_id, details } of violations) {
      console.log(
        `Violated: ${invariant}.\n  ${subject_id} of workspace ${workspace_id}: ${details}`,
      )
    }
    console.log(
      violations.length
        ? `\n${counted(violations.length, 'violation')} in ${size}.`
        : `The ledger is consistent: ${size}.`,
    )
    const differences = await comparePurchases(client)
    if (violations.length || differences) process.exitCode = VIOLATED
  })
} catch (error) {
  console.error(`The ledger could not be verified. ${(error as Error).message}`)
  process.exitCode = FAILED
}
