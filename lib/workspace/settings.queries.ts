/** The settings of a workspace. */
import { sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import type { SalesFrom } from '../purchases/processors.ts'
import { type Act, auditEntry } from './audit.queries.ts'
import { diff, type Patch } from './diff.ts'

/** What a manager chooses for the whole workspace. */
export type Settings = {
  /** Whether partners may be paid by bank transfer, in manual payout runs. */
  manualPayouts: boolean
  /** Who reports the sales that earn. */
  salesFrom: SalesFrom
}

/** The columns of the settings. */
const COLUMNS = { manualPayouts: 'manual_payouts', salesFrom: 'sales_from' } as const

type Columns<T> = { [K in keyof T & keyof typeof COLUMNS as (typeof COLUMNS)[K]]: T[K] }

const columnsOf = <T extends Partial<Settings>>(settings: T) =>
  Object.fromEntries(
    Object.entries(settings).map(([field, value]) => [COLUMNS[field as keyof Settings], value]),
  ) as Columns<T>

/** The settings of a workspace, which must exist. */
export const readSettings = (db: Db, workspaceId: string): Promise<Settings> =>
  settingsQuery(db, workspaceId).executeTakeFirstOrThrow()

/** The same as a query, for a batch. */
export const settingsQuery = (db: Db, workspaceId: string) =>
  db
    .selectFrom('workspaces')
    .where('id', '=', workspaceId)
    .select(['manual_payouts as manualPayouts', 'sales_from as salesFrom'])

/** Keeps who reported sales until now: a sale that was paid before is decided by it. */
const keepSalesFrom = ({ workspaceId, now }: Act, next: SalesFrom) => sql`
  insert into former_sales_from (workspace_id, until, sales_from)
  select id, ${now}::timestamptz, sales_from from workspaces where id = ${workspaceId} and sales_from <> ${next}
  for update
  on conflict do nothing`

/** Updates the settings that differ. Concurrent updates: the last write of each setting wins. */
export const changeSettings = async (db: Db, act: Act, patch: Patch<Settings>): Promise<Settings> => {
  const before = await readSettings(db, act.workspaceId)
  const changes = diff<Settings>(before, patch)
  if (!changes) return before
  const { salesFrom } = changes.changed
  await db.batch([
    ...(salesFrom ? [keepSalesFrom(act, salesFrom).compile(db)] : []),
    db.updateTable('workspaces').set(columnsOf(changes.changed)).where('id', '=', act.workspaceId).compile(),
    auditEntry(db, {
      ...act,
      action: 'workspace.changed',
      subjectId: act.workspaceId,
      details: changes.log,
    }).compile(),
  ])
  return { ...before, ...changes.changed }
}
