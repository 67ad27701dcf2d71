/** Customers as merchants and managers read them. Reports and imports make them. */
import type { Db } from '../db/connection.ts'
import type { PageRequest } from '../db/page-request.ts'
import { hasEmail, isKnownBy } from './identities.queries.ts'

export type CustomerFilter = PageRequest & {
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

/** The same as a query, for a batch. */
export const customersQuery = (db: Db, workspaceId: string, filter: CustomerFilter) =>
  db
    .selectFrom('customers as cu')
    .where('cu.workspace_id', '=', workspaceId)
    .where('cu.partner_id', 'is not', null)
    .innerJoin('partners as p', 'p.id', 'cu.partner_id')
    .where((eb) =>
      eb.and([
        ...(filter.externalId ? [isKnownBy(workspaceId, filter.externalId)] : []),
        ...(filter.email ? [hasEmail(workspaceId, filter.email)] : []),
        ...(filter.partnerId ? [eb('cu.partner_id', '=', filter.partnerId)] : []),
        ...(filter.cursor ? [eb('cu.id', '<', filter.cursor)] : []),
      ]),
    )
    .orderBy('cu.id', 'desc')
    .limit(filter.limit)
    .select([
      'cu.id',
      'cu.external_id as externalId',
      'cu.email',
      'cu.name',
      'p.id as partnerId',
      'cu.imported_at as importedAt',
      'cu.started_at as startedAt',
      'cu.created_at as createdAt',
      'p.slug as partnerSlug',
      'p.name as partnerName',
    ])
