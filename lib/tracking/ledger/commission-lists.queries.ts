/** Which commissions a list shows. Each filter walks along an index, whatever their number. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { isOfCustomer } from '../../customers/identities.queries.ts'
import { afterCursor, type OrderedPageRequest } from '../../db/page-request.ts'
import { type CommissionKind, type CommissionStatus, NEVER } from '../../rules/steps/commissions.ts'
import { isUnpaid } from '../../totals/balances.queries.ts'
import { isHeld, isHeldOrReverses } from '../holds/holds.queries.ts'

export type CommissionFilter = OrderedPageRequest & {
  partnerId?: string | undefined
  customerExternalId?: string | undefined
  eventId?: string | undefined
  payoutId?: string | undefined
  status?: CommissionStatus | undefined
  kind?: CommissionKind | undefined
}

/**
 * What a list is sorted by before the id, both newest first or both oldest first. Unpaid
 * commissions are sorted by when they become payable, and those of payouts by payout: in the order
 * of ids, those of a status may be anywhere among millions.
 */
export const orderOf = (
  status: CommissionStatus | undefined,
): 'id' | 'payable_at' | 'payout_id' => {
  if (status === 'pending' || status === 'payable' || status === 'shadow') return 'payable_at'
  return status === 'processing' || status === 'paid' ? 'payout_id' : 'id'
}

/** The ids of the next commissions of a list, as a subquery. */
export const idsOf = (
  workspaceId: string,
  filter: CommissionFilter,
  now: Date,
): RawBuilder<unknown> => {
  const { status, kind } = filter
  // Few rows match these, which an index finds.
  const isNarrow =
    filter.customerExternalId || filter.eventId || filter.payoutId || (kind && kind !== 'sale')
  if ((status === 'processing' || status === 'paid') && !isNarrow)
    return byPayout(workspaceId, { ...filter, status })
  const order = orderOf(status)
  const direction = directionOf(filter)
  return sql`
    select c.id from commissions c
    where ${matches(workspaceId, filter)} ${status ? sql`and ${hasStatus(status, workspaceId, now)}` : sql``}
    order by ${order === 'id' ? sql`` : sql`${sql.ref(`c.${order}`)} ${direction},`} c.id ${direction} limit ${filter.limit}`
}

const directionOf = (filter: OrderedPageRequest) => (filter.order === 'asc' ? sql`asc` : sql`desc`)

/** Payouts one after the other, with the first commissions of each. */
const byPayout = (
  workspaceId: string,
  { status, ...filter }: CommissionFilter & { status: 'processing' | 'paid' },
) => {
  const direction = directionOf(filter)
  return sql`
    select own.id from (
      select po.id from payouts po
      where po.workspace_id = ${workspaceId} and ${status === 'paid' ? sql`po.paid_at is not null` : isUnpaid('po')}
        ${filter.partnerId ? sql`and po.partner_id = ${filter.partnerId}` : sql``}
        ${filter.cursor ? sql`and po.id ${sql.raw(`${afterCursor(filter)}=`)} (select payout_id from commissions where id = ${filter.cursor})` : sql``}
      order by po.id ${direction} offset 0) po
    cross join lateral (
      select c.id from commissions c where c.payout_id = po.id and ${matches(workspaceId, { ...filter, status })}
      order by c.id ${direction} limit ${filter.limit}) own
    order by po.id ${direction}, own.id ${direction} limit ${filter.limit}`
}

/** Whether a commission, `c`, matches all filters but the status, and comes after the cursor. */
const matches = (workspaceId: string, filter: CommissionFilter): RawBuilder<SqlBool> => {
  const { partnerId, customerExternalId, eventId, payoutId, kind, cursor } = filter
  const conditions = [
    sql<SqlBool>`c.workspace_id = ${workspaceId}`,
    ...(partnerId ? [sql<SqlBool>`c.partner_id = ${partnerId}`] : []),
    ...(customerExternalId ? [isOfCustomer(workspaceId, customerExternalId)] : []),
    ...(eventId ? [isAboutEvent(eventId)] : []),
    ...(payoutId ? [sql<SqlBool>`c.payout_id = ${payoutId}`] : []),
    // The second condition is the predicate of commissions_kind_idx.
    ...(kind
      ? [sql<SqlBool>`c.kind = ${kind}${kind === 'sale' ? sql`` : sql` and c.kind <> 'sale'`}`]
      : []),
    ...(cursor ? [isAfter(filter, cursor)] : []),
  ]
  return sql.join(conditions, sql` and `)
}

const isAfter = (filter: CommissionFilter, cursor: string) => {
  const order = orderOf(filter.status)
  const after = sql.raw(afterCursor(filter))
  if (order === 'id') return sql<SqlBool>`c.id ${after} ${cursor}`
  const by = sql.ref(order)
  return sql<SqlBool>`(c.${by}, c.id) ${after} (select ${by}, id from commissions where id = ${cursor})`
}

/** Whether the commission `c` is of an event, or an adjustment about it. */
const isAboutEvent = (eventId: string) => sql<SqlBool>`c.id in (
  select id from commissions where event_id = ${eventId}
  union all select commission_id from adjustments where event_id = ${eventId})`

/** A commission's status follows from its row: see commissions.ts. */
const hasStatus = (status: CommissionStatus, workspaceId: string, now: Date): RawBuilder<SqlBool> =>
  ({
    shadow: sql<SqlBool>`c.payout_id is null and c.payable_at = ${NEVER}`,
    held: sql<SqlBool>`c.payout_id is null and c.payable_at < ${NEVER} and ${isHeldOrReverses(workspaceId)}`,
    pending: sql<SqlBool>`c.payout_id is null and c.payable_at > ${now} and c.payable_at < ${NEVER} and not ${isHeld}`,
    payable: sql<SqlBool>`c.payout_id is null and c.payable_at <= ${now} and not ${isHeld}`,
    processing: sql<SqlBool>`exists (select from payouts po where po.id = c.payout_id and po.paid_at is null)`,
    paid: sql<SqlBool>`exists (select from payouts po where po.id = c.payout_id and po.paid_at is not null)`,
  })[status]
