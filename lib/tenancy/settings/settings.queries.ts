/** The settings of a workspace. */
import { sql } from 'kysely'
import { type Act, auditEntry } from '../../audit/audit.queries.ts'
import { diff, type Patch } from '../../audit/diff.ts'
import { asColumns, asFields } from '../../db/columns.ts'
import type { Db } from '../../db/connection.ts'
import { isConflict } from '../../db/neon.ts'
import type { SalesFrom } from '../../rules/purchases/processors.ts'
import { limitRequestQuery, setApprovalLimit } from './approval-limit.queries.ts'
import type { LimitRequest } from './approval-limit.ts'
import type { SettingsResponse } from './settings.responses.ts'

/** What a manager chooses for the whole workspace. docs/api.md describes each setting. */
export type Settings = Omit<SettingsResponse, 'limitRequest'>

/** The columns of the settings that a manager changes alone. */
const COLUMNS = {
  manualPayouts: 'manual_payouts',
  payoutOrder: 'payout_order',
  paypalPayouts: 'paypal_payouts',
  wisePayouts: 'wise_payouts',
  ibanPayouts: 'iban_payouts',
  requireDocuments: 'require_documents',
  payoutsRequirePasskey: 'payouts_require_passkey',
  selfBilling: 'self_billing',
  salesFrom: 'sales_from',
  backendCreatesCheckouts: 'backend_creates_checkouts',
  mode: 'mode',
} as const

type OwnSettings = Omit<Settings, 'approvalAboveCents'>

/** The settings of a workspace, which must exist. */
export const readSettings = (db: Db, workspaceId: string): Promise<Settings> =>
  settingsQuery(db, workspaceId).executeTakeFirstOrThrow()

/** The same as a query, for a batch. */
export const settingsQuery = (db: Db, workspaceId: string) =>
  db
    .selectFrom('workspaces')
    .where('id', '=', workspaceId)
    .select(asFields('workspaces', COLUMNS))
    .select(sql<number | null>`approval_above_cents::float8`.as('approvalAboveCents'))

/** Keeps the former setting: it decides sales that were paid before the change. */
const keepSalesFrom = ({ workspaceId, now }: Act, next: SalesFrom) => sql`
  insert into former_sales_from (workspace_id, until, sales_from)
  select id, ${now}::timestamptz, sales_from from workspaces where id = ${workspaceId} and sales_from <> ${next}
  for update
  on conflict do nothing`

/** Fails if events of the current mode have counted, or a key of it is stored. */
const assertUnusedMode = (workspaceId: string) => sql`
  select assert_unchanged(
    not exists (select from stripe_keys k where k.workspace_id = w.id)
    and not exists (select from processor_events e
                    where e.workspace_id = w.id and e.livemode = (w.mode = 'live') and e.facts <> '[]'))
  from workspaces w where w.id = ${workspaceId} for update`

export const MODE_IN_USE =
  'The mode can no longer be changed: events of Stripe’s current mode have counted, or a key of it is stored. Create another workspace for the other mode.'

/**
 * Updates the settings that differ. A higher approval limit, or none, is only requested. Concurrent
 * updates: the last write of each setting wins.
 *
 * @param url the page of the settings
 * @returns the new settings, with the limit that is requested; null if the mode is in use and
 *   can't be changed
 */
export const changeSettings = async (
  db: Db,
  act: Act,
  { approvalAboveCents, ...patch }: Patch<Settings>,
  url: string,
): Promise<(Settings & { limitRequest: LimitRequest | null }) | null> => {
  const { workspaceId } = act
  const { approvalAboveCents: _, ...before } = await readSettings(db, workspaceId)
  const changes = diff<OwnSettings>(before, patch)
  const { salesFrom, mode } = changes?.changed ?? {}
  const batch = [
    ...(mode ? [assertUnusedMode(workspaceId).compile(db)] : []),
    ...(salesFrom ? [keepSalesFrom(act, salesFrom).compile(db)] : []),
    ...(changes
      ? [
          db
            .updateTable('workspaces')
            .set(asColumns(COLUMNS, changes.changed))
            .where('id', '=', workspaceId)
            .compile(),
          auditEntry(db, {
            ...act,
            action: 'workspace.changed',
            subjectId: workspaceId,
            details: changes.log,
          }).compile(),
        ]
      : []),
    ...(approvalAboveCents === undefined
      ? []
      : [setApprovalLimit(act, approvalAboveCents, url).compile(db)]),
  ]
  try {
    const results = await db.batch([
      ...batch,
      settingsQuery(db, workspaceId).compile(),
      limitRequestQuery(db, workspaceId).compile(),
    ])
    const [[settings], [limitRequest = null]] = results.slice(-2) as [[Settings], LimitRequest[]]
    return { ...settings, limitRequest }
  } catch (error) {
    if (isConflict(error)) return null
    throw error
  }
}
