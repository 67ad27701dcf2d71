/** The methods by which a workspace can pay. */
import { sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import type { PayoutSetup } from './runs.ts'

/** What the workspace has set up for each method, as columns of a select. */
export const setupColumns = (workspaceId: string) => sql`
  exists (select from stripe_keys where workspace_id = ${workspaceId}) as "hasKey",
  exists (select from workspaces where id = ${workspaceId} and manual_payouts) as "manualPayouts"`

/** What the workspace has set up for each method. */
export const readPayoutSetup = async (db: Db, workspaceId: string): Promise<PayoutSetup> => {
  const { rows } = await sql<PayoutSetup>`select ${setupColumns(workspaceId)}`.execute(db)
  const [setup] = rows
  if (!setup) throw new Error('A select without a table gives one row.')
  return setup
}
