/** Customers as merchants and managers read them. Reports and imports make them. */
import type { Db } from '../db/connection.ts'
import type { PageRequest } from '../db/page-request.ts'

export type CustomerFilter = PageRequest & {
  externalId?: string | undefined
  /** Normalized. */
  email?: string | undefined
  partnerId?: string | undefined
}

export type CustomerRow = Awaited<ReturnType<typeof listCustomers>>[number]

/** The customers of a workspace, newest first. */
export const listCustomers = (db: Db, workspaceId: string, filter: CustomerFilter) =>
  customersQuery(db, workspaceId, filter).execute()

/** The same as a query, for a batch. */
export const customersQuery = (db: Db, workspaceId: string, filter: CustomerFilter) =>
  db
    .selectFrom('customers as cu')
    .where('cu.workspace_id', '=', workspaceId)
    .innerJoin('partners as p', 'p.id', 'cu.partner_id')
    .where((eb) =>
      eb.and([
        ...(filter.externalId ? [eb('cu.external_id', '=', filter.externalId)] : []),
        ...(filter.email ? [eb('cu.email', '=', filter.email)] : []),
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
      'cu.partner_id as partnerId',
      'cu.imported_at as importedAt',
      'cu.started_at as startedAt',
      'cu.created_at as createdAt',
      'p.slug as partnerSlug',
      'p.name as partnerName',
    ])
