/** The methods by which a workspace can pay. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import type { PayoutMethod } from '../payouts.ts'
import type { PayoutSetup } from '../runs/runs.ts'

/** Whether a workspace has a Stripe key. @param workspaceId a parameter or a column */
export const hasKey = (workspaceId: RawBuilder<unknown>) =>
  sql<boolean>`exists (select from stripe_keys k where k.workspace_id = ${workspaceId})`

/** Whether a workspace pays by bank transfer too. @param workspaceId a parameter or a column */
export const hasManualPayouts = (workspaceId: RawBuilder<unknown>) =>
  sql<boolean>`exists (select from workspaces m where m.id = ${workspaceId} and m.manual_payouts)`

/** The method that a workspace has set up: Stripe, or only bank transfers. */
export const presentMethod = (workspaceId: string) =>
  sql<PayoutMethod>`case when ${hasManualPayouts(sql`${workspaceId}`)} and not ${hasKey(sql`${workspaceId}`)}
                         then 'manual' else 'stripe' end`

/** What the workspace has set up for each method, as columns of a select. */
export const setupColumns = (workspaceId: string) => sql`
  ${hasKey(sql`${workspaceId}`)} as "hasKey", ${hasManualPayouts(sql`${workspaceId}`)} as "manualPayouts"`

export const readPayoutSetup = async (db: Db, workspaceId: string): Promise<PayoutSetup> => {
  const { rows } = await sql<PayoutSetup>`select ${setupColumns(workspaceId)}`.execute(db)
  const [setup] = rows
  if (!setup) throw new Error('A select without a table gives one row.')
  return setup
}
