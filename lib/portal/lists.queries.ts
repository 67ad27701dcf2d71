/** The commissions and payouts of an email address, in all its programs or in one. */
import { sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import type { PageRequest } from '../db/page-request.ts'
import { ownPayoutsQuery } from '../payouts/own-payouts.queries.ts'
import { NEVER } from '../rules/steps/commissions.ts'
import { isHoldOfCommission, isOpenHold } from '../tracking/holds/holds.queries.ts'

export type PortalFilter = PageRequest & { programId?: string | undefined }

type CommissionFilter = PortalFilter & { payoutId?: string | undefined }

/** The programs of an email address by name, for filters. */
export const ownProgramsQuery = (db: Db, email: string) =>
  db
    .selectFrom('partners as p')
    .innerJoin('programs as pr', 'pr.id', 'p.program_id')
    .where('p.email', '=', email)
    .select(['pr.id', 'pr.name'])
    .orderBy('pr.name')
    .orderBy('pr.id')

export type OwnCommission = Awaited<ReturnType<typeof readOwnCommissions>>['rows'][number]

/**
 * The commissions of an email address with the sums of reversals, newest first, in one database
 * round trip.
 */
export const readOwnCommissions = async (db: Db, email: string, filter: CommissionFilter) => {
  const [programs, rows] = await db.batch([
    ownProgramsQuery(db, email).compile(),
    ownCommissionsQuery(db, email, filter).compile(),
  ])
  return { programs, rows }
}

/** A payout is of one partner, so the index of its commissions needs no condition on partners. */
const isOf = (payoutId: string | undefined) =>
  payoutId ? sql<boolean>`newest.payout_id = ${payoutId}` : sql<boolean>`newest.partner_id = own.id`

const ownCommissionsQuery = (
  db: Db,
  email: string,
  { programId, payoutId, cursor, limit }: CommissionFilter,
) =>
  db
    .selectFrom('commissions as c')
    .innerJoin('programs as pr', 'pr.id', 'c.program_id')
    .leftJoin('customers as buyer', 'buyer.id', 'c.customer_id')
    .leftJoin('customers as cu', (join) =>
      join.on((eb) => eb('cu.id', '=', eb.fn.coalesce('buyer.merged_into', 'buyer.id'))),
    )
    .leftJoin('payouts as po', 'po.id', 'c.payout_id')
    .leftJoin('commission_holds as h', (join) => join.on(isHoldOfCommission))
    .leftJoin('adjustments as a', 'a.commission_id', 'c.id')
    .leftJoin('partner_bonuses as b', 'b.commission_id', 'c.id')
    .where('c.id', 'in', (eb) =>
      eb
        .selectFrom('partners as own')
        .innerJoinLateral(
          // The newest of each partner, because a query over all commissions would sort millions as
          // a whole.
          (each) =>
            each
              .selectFrom('commissions as newest')
              .where(isOf(payoutId))
              .where('newest.kind', '<>', 'reversal')
              // Tributary does not promise what another platform pays.
              .where('newest.payable_at', '<', NEVER)
              .where((one) => one.and(cursor ? [one('newest.id', '<', cursor)] : []))
              .select('newest.id')
              .orderBy('newest.id', 'desc')
              .limit(limit)
              .as('newest'),
          (join) => join.onTrue(),
        )
        .where('own.email', '=', email)
        .where((one) =>
          one.and([
            ...(programId ? [one('own.program_id', '=', programId)] : []),
            ...(payoutId
              ? [sql<boolean>`own.id = (select partner_id from payouts where id = ${payoutId})`]
              : []),
          ]),
        )
        .select('newest.id')
        .orderBy('newest.id', 'desc')
        .limit(limit),
    )
    .orderBy('c.id', 'desc')
    .select((eb) => [
      'c.id',
      'c.kind',
      'c.amount_cents as amountCents',
      'c.currency',
      'c.created_at as createdAt',
      'c.payable_at as payableAt',
      'c.payout_id as payoutId',
      'c.event_id as eventId',
      'po.paid_at as paidAt',
      'h.reason as holdReason',
      'h.note as holdNote',
      'a.reason as adjustmentReason',
      'b.name as bonusName',
      isOpenHold.as('isHeld'),
      'pr.name as program',
      eb.fn.coalesce('cu.email', 'cu.external_id').as('customer'),
      eb
        .selectFrom('commissions as r')
        .whereRef('r.reverses_id', '=', 'c.id')
        .select(sql<bigint>`coalesce(-sum(r.amount_cents), 0)::bigint`.as('cents'))
        .as('reversedCents'),
    ])

/** The payouts of an email address, newest first, in one database round trip. */
export const readOwnPayouts = async (db: Db, email: string, filter: PortalFilter) => {
  const [programs, rows] = await db.batch([
    ownProgramsQuery(db, email).compile(),
    ownPayoutsQuery(db, email, filter).compile(),
  ])
  return { programs, rows }
}
