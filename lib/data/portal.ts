/** What a partner sees of itself: everything here is asked for by the address that was proved by signing in. */
import type { Db } from './connection.ts'

/** The programs in which an address is a partner, with the slug and the coupons it has there, by the program's name. */
export const listPartnerships = (db: Db, email: string) =>
  db
    .selectFrom('partners as p')
    .innerJoin('programs as pr', 'pr.id', 'p.program_id')
    .innerJoin('workspaces as w', 'w.id', 'p.workspace_id')
    .where('p.email', '=', email)
    .select((eb) => [
      'p.id',
      'p.slug',
      'p.status',
      'pr.name as program',
      'pr.site_url',
      'w.name as workspace',
      eb
        .selectFrom('coupon_aliases as ca')
        .whereRef('ca.partner_id', '=', 'p.id')
        .select((coupon) =>
          coupon.fn.agg<string[]>('array_agg', [coupon.fn.coalesce('ca.label', 'ca.coupon_id')]).as('codes'),
        )
        .as('coupons'),
    ])
    .orderBy('pr.name')
    .orderBy('p.id')
    .execute()
