/** Customers as merchants and managers read them. Reports and imports make them. */
import { sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import { afterCursor, type OrderedPageRequest } from '../db/page-request.ts'
import type { CustomerIdentity } from './explain-identity.ts'
import { hasEmail, isKnownBy, isListed } from './identities.queries.ts'

export type CustomerFilter = OrderedPageRequest & {
  /** Any id of the customer. */
  externalId?: string | undefined
  /** Normalized. */
  email?: string | undefined
  partnerId?: string | undefined
}

export type CustomerRow = Awaited<ReturnType<typeof listCustomers>>[number]

/** The customers of a workspace who belong to a partner, newest first. */
export const listCustomers = (db: Db, workspaceId: string, filter: CustomerFilter) =>
  customersQuery(db, workspaceId, filter).execute()

/**
 * A customer, also one without a partner. The id of a merged customer finds the other one.
 *
 * @param id a UUID
 */
export const findCustomer = (
  db: Db,
  workspaceId: string,
  id: string,
): Promise<CustomerRow | undefined> =>
  selectCustomers(db, workspaceId)
    .where('cu.id', '=', (eb) =>
      eb
        .selectFrom('customers as named')
        .where('named.workspace_id', '=', workspaceId)
        .where('named.id', '=', id)
        .select((named) => named.fn.coalesce('named.merged_into', 'named.id').as('id')),
    )
    .executeTakeFirst()

/** The same as a query, for a batch. */
export const customersQuery = (db: Db, workspaceId: string, filter: CustomerFilter) =>
  selectCustomers(db, workspaceId)
    .where('cu.partner_id', 'is not', null)
    .where((eb) =>
      eb.and([
        ...(filter.externalId ? [isKnownBy(workspaceId, filter.externalId)] : []),
        ...(filter.email ? [hasEmail(workspaceId, filter.email)] : []),
        ...(filter.partnerId ? [eb('cu.partner_id', '=', filter.partnerId)] : []),
        ...(filter.cursor ? [eb('cu.id', afterCursor(filter), filter.cursor)] : []),
      ]),
    )
    .orderBy('cu.id', filter.order ?? 'desc')
    .limit(filter.limit)

/** More than a person has. A merchant may use one id for everybody who has no account. */
const IDENTITIES_SHOWN = 100

const selectCustomers = (db: Db, workspaceId: string) =>
  db
    .selectFrom('customers as cu')
    .where('cu.workspace_id', '=', workspaceId)
    .leftJoin('partners as p', 'p.id', 'cu.partner_id')
    .select([
      'cu.id',
      'cu.external_id as externalId',
      'cu.email',
      'cu.name',
      'p.id as partnerId',
      'cu.imported_at as importedAt',
      'cu.started_at as startedAt',
      'cu.prior',
      'cu.created_at as createdAt',
      'p.slug as partnerSlug',
      'p.name as partnerName',
      sql<CustomerIdentity[]>`(
        select coalesce(jsonb_agg(jsonb_build_object(
          'kind', i.kind, 'value', i.value, 'source', i.source, 'evidence', i.evidence)
          order by i.created_at, i.kind = 'email', i.kind, i.value), '[]')
        from (select * from customer_identities i where i.customer_id = cu.id and ${isListed}
              order by created_at, kind = 'email', kind, value limit ${IDENTITIES_SHOWN}) i)`.as(
        'identities',
      ),
    ])
