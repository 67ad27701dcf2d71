/** Payouts as partners read them. */
import { sql } from 'kysely'
import { contactIn } from '../brand/brands.queries.ts'
import type { Db } from '../db/connection.ts'
import type { PageRequest } from '../db/page-request.ts'
import { bankStatus } from './details/banks.queries.ts'

type OwnPayoutFilter = PageRequest & { programId?: string | undefined }

export type OwnPayout = Awaited<ReturnType<ReturnType<typeof ownPayoutsQuery>['execute']>>[number]

/**
 * The payouts of an email address, newest first, with their commissions counted, as a query. A
 * failed, canceled, released or returned payout has none.
 */
export const ownPayoutsQuery = (
  db: Db,
  email: string,
  { programId, cursor, limit }: OwnPayoutFilter,
) =>
  db
    .selectFrom('payouts as po')
    .innerJoin('partners as p', 'p.id', 'po.partner_id')
    .innerJoin('programs as pr', 'pr.id', 'po.program_id')
    .leftJoin('brands as b', 'b.program_id', 'po.program_id')
    .where('p.email', '=', email)
    .where((eb) =>
      eb.and([
        ...(programId ? [eb('po.program_id', '=', programId)] : []),
        ...(cursor ? [eb('po.id', '<', cursor)] : []),
      ]),
    )
    .orderBy('po.id', 'desc')
    .limit(limit)
    .select((eb) => [
      'po.id',
      'po.reference',
      'po.amount_cents as amountCents',
      'po.currency',
      'po.stripe_account_id as stripeAccountId',
      'po.created_at as createdAt',
      'po.paid_at as paidAt',
      'po.status',
      'po.reversed_cents as reversedAtStripeCents',
      'po.released_at as releasedAt',
      'po.return_reason as returnReason',
      'po.workspace_id as workspaceId',
      bankStatus.as('bankStatus'),
      'pr.name as program',
      contactIn(sql.ref('po.workspace_id')).as('contact'),
      'po.commissions',
      'po.deducted_cents as reversedCents',
      'po.restored_cents as reversedDeductionsCents',
      // The mail translates Stripe's error for the partner.
      eb
        .selectFrom('mails as m')
        .whereRef('m.payout_id', '=', 'po.id')
        .where('m.kind', '=', 'payout_failed')
        .select(sql<string | null>`m.details ->> 'reason'`.as('reason'))
        .as('reason'),
    ])
