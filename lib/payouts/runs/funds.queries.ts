/** Reads the data from which a cover is computed, and saves the cover of a run. */
import { sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import type { Cover, Due, PayoutOrder } from '../../tenancy/settings/funds.ts'
import { type Balance, balancesQuery, type RunScope } from '../balances/due.queries.ts'
import { isInFlight } from '../payouts.queries.ts'

/**
 * Which balances a run would pay if there were money for all of them, which payouts wait to be
 * sent, and with which key the Stripe balance is read.
 */
export const readDues = async (db: Db, scope: RunScope) => {
  const { workspaceId } = scope
  const setup = sql<{ encryptedKey: string | null; order: PayoutOrder }>`
    select w.payout_order as "order", k.ciphertext as "encryptedKey"
    from workspaces w left join stripe_keys k on k.workspace_id = w.id where w.id = ${workspaceId}`
  const waiting = sql<Due>`
    select p.id, p.currency, p.amount_cents as "amountCents" from payouts p
    where p.workspace_id = ${workspaceId} and ${isInFlight('p')}`
  const [[found], waits, balances] = await db.batch([
    setup.compile(db),
    waiting.compile(db),
    balancesQuery({ ...scope, cover: null }).compile(db),
  ])
  if (!found) throw new Error('There is no such workspace.')
  return { ...found, waiting: waits, due: dueOf(balances) }
}

const dueOf = (balances: Balance[]): Due[] =>
  balances.flatMap(({ partnerId: id, currency, amountCents, code }) =>
    code ? [] : [{ id, currency, amountCents }],
  )

/** What a run would pay without its maximum, and who is paid first. */
export const readCapped = async (db: Db, scope: RunScope) => {
  const [[found], balances] = await db.batch([
    db
      .selectFrom('workspaces')
      .where('id', '=', scope.workspaceId)
      .select('payout_order as order')
      .compile(),
    balancesQuery({ ...scope, maximum: null }).compile(db),
  ])
  if (!found) throw new Error('There is no such workspace.')
  return { ...found, due: dueOf(balances) }
}

/** Saves what the balance covers for a run without claims. The first concurrent call counts. */
export const keepCover = async (db: Db, runId: string, cover: Cover): Promise<Cover> => {
  const { rows } = await sql<{ cover: Cover }>`
    update payout_runs set cover = coalesce(cover, ${JSON.stringify(cover)}::jsonb)
    where id = ${runId} returning cover`.execute(db)
  return rows[0]?.cover ?? cover
}
