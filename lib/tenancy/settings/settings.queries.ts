/** The settings of a workspace. */
import { sql } from 'kysely'
import { type Act, auditEntry } from '../../audit/audit.queries.ts'
import { diff, type Patch } from '../../audit/diff.ts'
import type { Db } from '../../db/connection.ts'
import { isConflict } from '../../db/neon.ts'
import type { Mode, SalesFrom } from '../../rules/purchases/processors.ts'
import { limitRequestQuery, setApprovalLimit } from './approval-limit.queries.ts'
import type { LimitRequest } from './approval-limit.ts'
import type { PayoutOrder } from './funds.ts'

/** What a manager chooses for the whole workspace. */
export type Settings = {
  /** Whether partners may be paid by bank transfer, in manual payout runs. */
  manualPayouts: boolean
  /** Which balances are paid first where the Stripe balance does not cover all of them. */
  payoutOrder: PayoutOrder
  /** Which of them partners may choose, while they may be paid by bank. */
  paypalPayouts: boolean
  wisePayouts: boolean
  ibanPayouts: boolean
  /** Whether runs skip partners without the mark that their documents were received. */
  requireDocuments: boolean
  /** Whether payouts need a recent confirmation with a passkey. Changing it does, too. */
  payoutsRequirePasskey: boolean
  /** Whether invoices are issued in the name of partners who agreed. */
  selfBilling: boolean
  /**
   * Payout runs of more than this, in minor units of any currency, wait for a second manager; null
   * is never.
   */
  approvalAboveCents: number | null
  /** Who reports the sales that earn. */
  salesFrom: SalesFrom
  /** Whether the backend creates all checkouts, so that their references may name customers. */
  backendCreatesCheckouts: boolean
  /** Whether the payment processor's real payments count, or those of its test mode. */
  mode: Mode
}

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
type Columns<T> = { [K in keyof T & keyof typeof COLUMNS as (typeof COLUMNS)[K]]: T[K] }

const columnsOf = <T extends Partial<OwnSettings>>(settings: T) =>
  Object.fromEntries(
    Object.entries(settings).map(([field, value]) => [COLUMNS[field as keyof OwnSettings], value]),
  ) as Columns<T>

/** The settings of a workspace, which must exist. */
export const readSettings = (db: Db, workspaceId: string): Promise<Settings> =>
  settingsQuery(db, workspaceId).executeTakeFirstOrThrow()

/** The same as a query, for a batch. */
export const settingsQuery = (db: Db, workspaceId: string) =>
  db
    .selectFrom('workspaces')
    .where('id', '=', workspaceId)
    .select([
      'manual_payouts as manualPayouts',
      'payout_order as payoutOrder',
      'paypal_payouts as paypalPayouts',
      'wise_payouts as wisePayouts',
      'iban_payouts as ibanPayouts',
      'require_documents as requireDocuments',
      'payouts_require_passkey as payoutsRequirePasskey',
      'self_billing as selfBilling',
      sql<number | null>`approval_above_cents::float8`.as('approvalAboveCents'),
      'sales_from as salesFrom',
      'backend_creates_checkouts as backendCreatesCheckouts',
      'mode',
    ])

/** Keeps who reported sales until now: a sale that was paid before is decided by it. */
const keepSalesFrom = ({ workspaceId, now }: Act, next: SalesFrom) => sql`
  insert into former_sales_from (workspace_id, until, sales_from)
  select id, ${now}::timestamptz, sales_from from workspaces where id = ${workspaceId} and sales_from <> ${next}
  for update
  on conflict do nothing`

/**
 * Fails once events of the present mode have counted, or a key of it is stored: they would stay
 * without their mode.
 */
const assertUnusedMode = (workspaceId: string) => sql`
  select assert_unchanged(
    not exists (select from stripe_keys k where k.workspace_id = w.id)
    and not exists (select from processor_events e
                    where e.workspace_id = w.id and e.livemode = (w.mode = 'live') and e.facts <> '[]'))
  from workspaces w where w.id = ${workspaceId} for update`

export const MODE_IN_USE =
  'The mode can no longer be changed: events of Stripe’s present mode have counted, or a key of it is stored. Create another workspace for the other mode.'

/**
 * Updates the settings that differ. A higher limit of approval, or none, is only requested.
 * Concurrent updates: the last write of each setting wins.
 *
 * @param url the page of the settings
 * @returns the settings after that, with the limit that was asked for; null if the mode is in use,
 *   so that it can't be changed
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
            .set(columnsOf(changes.changed))
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
