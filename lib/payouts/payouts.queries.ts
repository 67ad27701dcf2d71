/** Payouts as managers read them. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import { afterCursor, type OrderedPageRequest } from '../db/page-request.ts'
import { bankStatus } from './details/banks.queries.ts'
import { KEY_LIFE_HOURS, type PayoutStatus } from './payouts.ts'

export type PayoutFilter = OrderedPageRequest & {
  runId?: string | undefined
  partnerId?: string | undefined
  status?: PayoutStatus | undefined
}

/**
 * Whether the payout `p`, an alias, is still to be sent by Stripe. Must be the predicate of
 * payouts_processing_idx, word for word: a condition on `status` would not use that index.
 */
export const isInFlight = (p: string) => sql<SqlBool>`(
  ${sql.ref(`${p}.paid_at`)} is null and ${sql.ref(`${p}.failed_at`)} is null
  and ${sql.ref(`${p}.canceled_at`)} is null and ${sql.ref(`${p}.stripe_account_id`)} is not null)`

const selectPayouts = (db: Db, workspaceId: string) =>
  db
    .selectFrom('payouts as po')
    .where('po.workspace_id', '=', workspaceId)
    .innerJoin('payout_runs as r', 'r.id', 'po.run_id')
    .innerJoin('partners as p', 'p.id', 'po.partner_id')
    .select([
      'po.id',
      'po.reference',
      'po.run_id as runId',
      'po.partner_id as partnerId',
      'p.slug as partnerSlug',
      'p.name as partnerName',
      'po.program_id as programId',
      'po.currency',
      'po.amount_cents as amountCents',
      'po.status',
      'r.method',
      'po.created_at as createdAt',
      'po.paid_at as paidAt',
      'po.failed_at as failedAt',
      'po.cancel_requested_at as cancelRequestedAt',
      'po.canceled_at as canceledAt',
      sql<Date | null>`case when po.status = 'canceling' and po.canceled_at is null
                            then po.key_used_at + make_interval(hours => ${KEY_LIFE_HOURS}) end`.as(
        'lookedUpUntil',
      ),
      'po.last_error as lastError',
      'po.transfer_id as transferId',
      'po.reversed_cents as reversedCents',
      'po.reversed_at as reversedAt',
      'po.released_at as releasedAt',
      'po.unreachable_since as unreachableSince',
      'po.failed_look_ups as failedLookUps',
      'po.resolved_at as resolvedAt',
      'po.resolution_reason as resolutionReason',
      'po.found_transfer_id as foundTransferId',
      'po.returned_at as returnedAt',
      'po.return_reason as returnReason',
      'r.confirmed_at as confirmedAt',
      bankStatus.as('bankStatus'),
    ])

export type PayoutRow = Awaited<ReturnType<ReturnType<typeof selectPayouts>['execute']>>[number]

/** One payout of a workspace, as a query. `id` must be a UUID. */
export const payoutQuery = (db: Db, workspaceId: string, id: string) =>
  selectPayouts(db, workspaceId).where('po.id', '=', id)

/** Payouts of a workspace, oldest first, as a query. @param ids a query of their ids */
export const payoutsIn = (db: Db, workspaceId: string, ids: RawBuilder<unknown>) =>
  selectPayouts(db, workspaceId).where('po.id', 'in', sql<string>`(${ids})`).orderBy('po.id')

/** One payout of a workspace, or undefined. `id` must be a UUID. */
export const findPayout = (
  db: Db,
  workspaceId: string,
  id: string,
): Promise<PayoutRow | undefined> => payoutQuery(db, workspaceId, id).executeTakeFirst()

/**
 * The payouts of a workspace, newest first, as a query. The ids are a query of their own, which an
 * index answers alone: Postgres would expect a run's payouts, or those of a status, anywhere among
 * the workspace's, and walk past all newer ones.
 */
export const payoutsQuery = (db: Db, workspaceId: string, filter: PayoutFilter) =>
  selectPayouts(db, workspaceId)
    .where('po.id', 'in', (eb) =>
      eb
        .selectFrom('payouts')
        .where('workspace_id', '=', workspaceId)
        .where((own) =>
          own.and([
            ...(filter.runId ? [own('run_id', '=', filter.runId)] : []),
            ...(filter.partnerId ? [own('partner_id', '=', filter.partnerId)] : []),
            ...(filter.status ? [own('status', '=', filter.status)] : []),
            ...(filter.cursor ? [own('id', afterCursor(filter), filter.cursor)] : []),
          ]),
        )
        .select('id')
        .orderBy('id', filter.order ?? 'desc')
        .limit(filter.limit),
    )
    .orderBy('po.id', filter.order ?? 'desc')

/** The payouts of a run, as the response to the request that began it lists them, as a query. */
export const runPayoutsQuery = (db: Db, workspaceId: string, runId: string) =>
  db
    .selectFrom('payouts as po')
    .where('po.workspace_id', '=', workspaceId)
    .where('po.run_id', '=', runId)
    .select([
      'po.id',
      'po.partner_id as partnerId',
      'po.currency',
      'po.amount_cents as amountCents',
      'po.status',
    ])
    .orderBy('po.partner_id')
    .orderBy('po.currency')
