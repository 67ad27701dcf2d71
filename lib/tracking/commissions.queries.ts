/** Commissions as merchants and managers read them. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { isOfCustomer } from '../customers/identities.queries.ts'
import type { Db } from '../db/connection.ts'
import type { PageRequest } from '../db/page-request.ts'
import type { CommissionKind, CommissionStatus } from './commissions.ts'
import { isHeldOrReverses, isHoldOfCommission, isOpenHold } from './holds.queries.ts'

export type CommissionFilter = PageRequest & {
  partnerId?: string | undefined
  customerExternalId?: string | undefined
  eventId?: string | undefined
  payoutId?: string | undefined
  status?: CommissionStatus | undefined
  kind?: CommissionKind | undefined
}

export type CommissionRow = Awaited<ReturnType<typeof listCommissions>>[number]

/** The commissions of a workspace, newest first. */
export const listCommissions = (db: Db, workspaceId: string, filter: CommissionFilter, now: Date) =>
  commissionsQuery(db, workspaceId, filter, now).execute()

/** One commission of a workspace, or undefined. `id` must be a UUID. @param now the status depends on it */
export const findCommission = (db: Db, workspaceId: string, id: string, now: Date) =>
  commissionsQuery(db, workspaceId, { limit: 1 }, now).where('c.id', '=', id).executeTakeFirst()

/** The same as a query, for a batch. @param now the status depends on it */
export const commissionsQuery = (db: Db, workspaceId: string, filter: CommissionFilter, now: Date) =>
  db
    .selectFrom('commissions as c')
    .where('c.workspace_id', '=', workspaceId)
    .innerJoin('partners as p', 'p.id', 'c.partner_id')
    .leftJoin('customers as buyer', 'buyer.id', 'c.customer_id')
    .leftJoin('customers as cu', (join) =>
      join.on((eb) => eb('cu.id', '=', eb.fn.coalesce('buyer.merged_into', 'buyer.id'))),
    )
    .leftJoin('payouts as po', 'po.id', 'c.payout_id')
    .leftJoin('commission_holds as h', (join) => join.on(isHoldOfCommission))
    .leftJoin('adjustments as a', 'a.commission_id', 'c.id')
    .where((eb) =>
      eb.and([
        ...(filter.partnerId ? [eb('c.partner_id', '=', filter.partnerId)] : []),
        ...(filter.customerExternalId ? [isOfCustomer(workspaceId, filter.customerExternalId)] : []),
        ...(filter.eventId ? [isAboutEvent(filter.eventId)] : []),
        ...(filter.payoutId ? [eb('c.payout_id', '=', filter.payoutId)] : []),
        ...(filter.status
          ? [
              hasStatus(filter.status, now),
              ...(filter.status === 'held' ? [isHeldOrReverses(workspaceId)] : []),
            ]
          : []),
        ...(filter.kind ? [eb('c.kind', '=', filter.kind)] : []),
        ...(filter.cursor ? [eb('c.id', '<', filter.cursor)] : []),
      ]),
    )
    .orderBy('c.id', 'desc')
    .limit(filter.limit)
    .select([
      'c.id',
      'c.kind',
      'c.amount_cents as amountCents',
      'c.currency',
      'c.payable_at as payableAt',
      'c.created_at as createdAt',
      'c.event_id as eventId',
      'c.reverses_id as reversesId',
      'c.payout_id as payoutId',
      'po.paid_at as paidAt',
      'c.partner_id as partnerId',
      'p.slug as partnerSlug',
      'p.name as partnerName',
      'cu.external_id as customerExternalId',
      isOpenHold.as('isHeld'),
      'h.reason as holdReason',
      'h.note as holdNote',
      'h.held_by as heldBy',
      'h.evidence_event_id as evidenceEventId',
      'h.created_at as heldAt',
      'h.resolution',
      'h.resolved_at as resolvedAt',
      'h.resolved_by as resolvedBy',
      'a.external_id as adjustmentExternalId',
      'a.reason as adjustmentReason',
      'a.created_by as adjustedBy',
      'a.event_id as adjustedEventId',
      'a.corrects_id as correctsId',
    ])

/** Whether the commission `c` is of an event, or an adjustment about it. */
const isAboutEvent = (eventId: string) => sql<SqlBool>`c.id in (
  select id from commissions where event_id = ${eventId}
  union all select commission_id from adjustments where event_id = ${eventId})`

/** A commission's status follows from its row: see lib/tracking/commissions.ts. */
const hasStatus = (status: CommissionStatus, now: Date): RawBuilder<SqlBool> =>
  ({
    held: sql<SqlBool>`c.payout_id is null and ${isOpenHold}`,
    pending: sql<SqlBool>`c.payout_id is null and c.payable_at > ${now} and not ${isOpenHold}`,
    payable: sql<SqlBool>`c.payout_id is null and c.payable_at <= ${now} and not ${isOpenHold}`,
    processing: sql<SqlBool>`c.payout_id is not null and po.paid_at is null`,
    paid: sql<SqlBool>`po.paid_at is not null`,
  })[status]

/**
 * The net earnings of a workspace's partners, or of one, by currency and status, as a query. The payable sum is negative
 * when more was reversed after its payout than was earned since.
 *
 * @param now the status depends on it
 */
export const earnedQuery = (db: Db, workspaceId: string, now: Date, partnerId?: string) =>
  db
    .selectFrom('commissions as c')
    .leftJoin('payouts as po', 'po.id', 'c.payout_id')
    .leftJoin('commission_holds as h', (join) => join.on(isHoldOfCommission))
    .where('c.workspace_id', '=', workspaceId)
    .where((eb) => eb.and(partnerId ? [eb('c.partner_id', '=', partnerId)] : []))
    .select([
      'c.currency',
      sumWith('held', now).as('heldCents'),
      sumWith('pending', now).as('pendingCents'),
      sumWith('payable', now).as('payableCents'),
      sumWith('processing', now).as('processingCents'),
      sumWith('paid', now).as('paidCents'),
    ])
    .groupBy('c.currency')
    .orderBy('c.currency')

/** The sum of the commissions that have a status. Expects payouts as `po` and holds as `h`. */
export const sumWith = (status: CommissionStatus, now: Date) =>
  sql<bigint>`coalesce(sum(c.amount_cents) filter (where ${hasStatus(status, now)}), 0)::bigint`
