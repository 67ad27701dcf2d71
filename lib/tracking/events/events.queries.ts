/** Events as merchants and managers read them: the report, the decision, the commission. */
import { sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import { afterCursor, type OrderedPageRequest } from '../../db/page-request.ts'
import type { EventKind } from '../../rules/steps/event-kinds.ts'
import { isLikelyCredit } from '../checks/likely-credits.queries.ts'
import { isHoldOfCommission, isOpenHold } from '../holds/holds.queries.ts'
import { isExpectedBefore } from './expected-sales.queries.ts'

export type EventFilter = OrderedPageRequest & {
  kind?: EventKind | undefined
  externalId?: string | undefined
  partnerId?: string | undefined
  attributed?: boolean | undefined
  /** Sales that a payment processor should have reported before this time. */
  expectedBefore?: Date | undefined
  /** Sales since this time that a partner probably referred: see likely-credits.queries.ts. */
  likelySince?: Date | undefined
}

export type EventRow = Awaited<ReturnType<typeof listEvents>>[number]

/** One event of a workspace, or undefined. `id` must be a UUID. */
export const findEvent = (db: Db, workspaceId: string, id: string): Promise<EventRow | undefined> =>
  eventQuery(db, workspaceId, id).executeTakeFirst()

/** The same as a query, for a batch. */
export const eventQuery = (db: Db, workspaceId: string, id: string) =>
  selectEvents(db, workspaceId).where('e.id', '=', id)

/** The events of a workspace, newest first by default. */
export const listEvents = (db: Db, workspaceId: string, filter: EventFilter) =>
  eventsQuery(db, workspaceId, filter).execute()

/** The same as a query, for a batch. */
export const eventsQuery = (db: Db, workspaceId: string, filter: EventFilter) =>
  selectEvents(db, workspaceId)
    .where((eb) =>
      eb.and([
        ...(filter.kind ? [eb('e.kind', '=', filter.kind)] : []),
        ...(filter.externalId ? [eb('e.external_id', '=', filter.externalId)] : []),
        ...(filter.partnerId ? [eb('e.partner_id', '=', filter.partnerId)] : []),
        ...(filter.attributed === undefined
          ? []
          : [eb('e.partner_id', filter.attributed ? 'is not' : 'is', null)]),
        ...(filter.expectedBefore ? [isExpectedBefore(workspaceId, filter.expectedBefore)] : []),
        ...(filter.likelySince ? [isLikelyCredit(workspaceId, filter.likelySince)] : []),
        ...(filter.cursor ? [eb('e.id', afterCursor(filter), filter.cursor)] : []),
      ]),
    )
    .orderBy('e.id', filter.order ?? 'desc')
    .limit(filter.limit)

/** Each event with its current commission. */
const selectEvents = (db: Db, workspaceId: string) =>
  db
    .selectFrom('events as e')
    .where('e.workspace_id', '=', workspaceId)
    .leftJoin('partners as p', 'p.id', 'e.partner_id')
    .leftJoin('customers as cu', (join) =>
      // The event's own customer; else the one who is known by the reported id by now.
      join.on((eb) =>
        eb(
          'cu.id',
          '=',
          eb.fn.coalesce(
            'e.customer_id',
            eb
              .selectFrom('customer_identities as i')
              .whereRef('i.workspace_id', '=', 'e.workspace_id')
              .whereRef('i.value', '=', 'e.customer_external_id')
              .where('i.kind', 'not in', ['email', 'guest'])
              // The predicate of the index.
              .where('i.kind', '<>', 'email')
              .select('i.customer_id')
              .limit(1),
          ),
        ),
      ),
    )
    .leftJoin('commissions as c', 'c.id', 'e.commission_id')
    .leftJoin('payouts as po', 'po.id', 'c.payout_id')
    .leftJoin('commission_holds as h', (join) => join.on(isHoldOfCommission))
    .select((eb) => [
      'e.id',
      'e.kind',
      'e.external_id as externalId',
      'e.event_name as eventName',
      'e.customer_external_id as customerExternalId',
      'e.amount_cents as amountCents',
      'e.currency',
      'e.lines',
      'e.country',
      'e.metadata',
      'e.attributed_by as attributedBy',
      'e.occurred_at as occurredAt',
      'e.steps',
      'e.sale_id as saleId',
      'e.sale_external_id as saleExternalId',
      'p.id as partnerId',
      'p.slug as partnerSlug',
      'p.name as partnerName',
      'p.email as partnerEmail',
      'p.is_test as partnerIsTest',
      'cu.id as customerId',
      'cu.email as customerEmail',
      'cu.name as customerName',
      'c.id as commissionId',
      'c.amount_cents as commissionAmountCents',
      'c.currency as commissionCurrency',
      'c.payable_at as payableAt',
      'c.payout_id as payoutId',
      'po.paid_at as paidAt',
      isOpenHold.as('isHeld'),
      eb
        .selectFrom('commissions as r')
        // The event has an index, the reversed commission has none.
        .whereRef('r.event_id', '=', 'e.id')
        .whereRef('r.reverses_id', '=', 'c.id')
        .select(sql<bigint>`coalesce(-sum(r.amount_cents), 0)::bigint`.as('cents'))
        .as('reversedCents'),
    ])
