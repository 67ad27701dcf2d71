/** Commissions as merchants and managers read them. */
import { type SqlBool, sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import { ApiError } from '../../http/errors.ts'
import { isHoldOfCommission, isOpenHold } from '../holds/holds.queries.ts'
import { type CommissionFilter, idsOf, orderOf } from './commission-lists.queries.ts'

export type CommissionRow = Awaited<ReturnType<typeof listCommissions>>[number]

/**
 * The commissions of a workspace, in the order of `orderOf`.
 *
 * @throws {ApiError} `invalid_query` if the place of the cursor is not known any more, because its
 *   payout was canceled or returned
 */
export const listCommissions = async (
  db: Db,
  workspaceId: string,
  filter: CommissionFilter,
  now: Date,
) => {
  const rows = await commissionsQuery(db, workspaceId, filter, now).execute()
  if (rows.length === 0 && filter.cursor && orderOf(filter.status) === 'payout_id') {
    const last = await findCommission(db, workspaceId, filter.cursor)
    if (last?.payoutId === null) throw new ApiError('invalid_query', CURSOR_LOST)
  }
  return rows
}

const CURSOR_LOST =
  'The last commission of the previous page is in no payout any more. Start at the first page again.'

/** One commission of a workspace, or undefined. @param id a UUID */
export const findCommission = (db: Db, workspaceId: string, id: string) =>
  commissionQuery(db, workspaceId, id).executeTakeFirst()

/** The same as a query, for a batch. */
export const commissionQuery = (db: Db, workspaceId: string, id: string) =>
  selectCommissions(db, workspaceId).where('c.id', '=', id)

/** A list as a query, for a batch. @param now the status depends on it */
export const commissionsQuery = (
  db: Db,
  workspaceId: string,
  filter: CommissionFilter,
  now: Date,
) => {
  const rows = selectCommissions(db, workspaceId).where(
    sql<SqlBool>`c.id in (${idsOf(workspaceId, filter, now)})`,
  )
  const by = orderOf(filter.status)
  const { order = 'desc' } = filter
  return (by === 'id' ? rows : rows.orderBy(`c.${by}`, order)).orderBy('c.id', order)
}

/** The commissions of a workspace as lists show them. */
export const selectCommissions = (db: Db, workspaceId: string) =>
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
    .leftJoin('partner_bonuses as b', (join) =>
      join.on((eb) => eb('b.commission_id', '=', eb.fn.coalesce('c.reverses_id', 'c.id'))),
    )
    .select([
      'c.id',
      'c.kind',
      'c.amount_cents as amountCents',
      'c.currency',
      'c.payable_at as payableAt',
      'c.created_at as createdAt',
      'c.event_id as eventId',
      'c.reverses_id as reversesId',
      sql<boolean>`coalesce((select o.amount_cents < 0 from commissions o where o.id = c.reverses_id), false)`.as(
        'reversesDeduction',
      ),
      'c.payout_id as payoutId',
      'po.paid_at as paidAt',
      'c.partner_id as partnerId',
      'p.slug as partnerSlug',
      'p.name as partnerName',
      'p.is_test as partnerIsTest',
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
      'b.name as bonusName',
    ])
