/** Import of customer-to-partner mappings: one read and one write. */
import { type CompiledQuery, sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import { newId } from '../db/ids.ts'
import { memberWorkspace } from '../workspace/workspaces.queries.ts'
import type {
  CustomerImportFacts,
  CustomerMapping,
  CustomerRow,
  MappedCustomer,
  MappedPartner,
} from './customer-import.ts'

/** Distinct values as a table, in one parameter. */
const texts = (values: string[]) =>
  sql`jsonb_array_elements_text(${JSON.stringify([...new Set(values)])}::jsonb)`

/**
 * Reads the workspace and the existing programs, partners and customers of the rows, in one database round trip.
 * Returns nothing to a person who is not a member of the workspace.
 *
 * `offset 0` forces an index lookup per row. During an import the table outgrows its statistics, and the planner could
 * choose a sequential scan for a plain join.
 *
 * @param programId the default program of the request
 */
export const loadCustomerImport = async (
  db: Db,
  { address, email, programId }: { address: string; email: string; programId: string | null },
  rows: CustomerRow[],
) => {
  const workspace = memberWorkspace(db, address, email)
  const workspaceId = workspace.clearSelect().select('w.id')
  const programIds = [programId, ...rows.map((row) => row.programId)].filter((id) => id !== null)

  const selectPrograms = sql<{ id: string }>`
    select id from programs where workspace_id = (${workspaceId}) and id in (select value::uuid from ${texts(programIds)})`
  const selectPartners = sql<MappedPartner>`
    select p.id, p.email, p.program_id as "programId"
    from ${texts(rows.map((row) => row.partnerEmail))} as wanted,
      lateral (select * from partners where email = wanted.value offset 0) as p
    where p.workspace_id = (${workspaceId})`
  const selectCustomers = sql<CustomerMapping & { externalId: string }>`
    select c.external_id as "externalId", c.partner_id as "partnerId", c.email, c.started_at as "startedAt",
           c.started_program_id as "startedProgramId"
    from ${texts(rows.map((row) => row.customerExternalId))} as wanted,
      lateral (select * from customers
               where workspace_id = (${workspaceId}) and external_id = wanted.value offset 0) as c`

  const [workspaces, programs, partners, customers] = await db.batch([
    workspace.compile(),
    selectPrograms.compile(db),
    selectPartners.compile(db),
    selectCustomers.compile(db),
  ])
  const facts: CustomerImportFacts = {
    programIds: new Set(programs.map(({ id }) => id)),
    partners,
    customers: new Map(customers.map(({ externalId, ...customer }) => [externalId, customer])),
  }
  return { workspace: workspaces[0], facts }
}

type CustomerImport = {
  workspaceId: string
  customers: MappedCustomer[]
  /** The audit entry, written in the same transaction. */
  audit: CompiledQuery
  now: Date
}

/**
 * Upserts customers in one transaction. A null field of a mapping keeps the stored value, and a customer that would
 * not change is not updated.
 *
 * Rows are sorted, so that concurrent imports and reports lock them in the same order and cannot deadlock.
 *
 * @returns `created` or `updated` for each customer that was written, by external id. A customer that did not exist
 *   when the request read it may have been created by a concurrent report.
 */
export const saveCustomerImport = async (
  db: Db,
  { workspaceId, customers, audit, now }: CustomerImport,
): Promise<Map<string, 'created' | 'updated'>> => {
  const ids = new Map(customers.map(({ externalId }) => [externalId, newId()]))
  const json = JSON.stringify(
    customers.map((customer) => ({ id: ids.get(customer.externalId), ...customer })),
  )
  const upsert = sql<{ id: string; externalId: string }>`
    with saved as (insert into customers (id, workspace_id, external_id, email, partner_id, created_at, imported_at, started_at,
                           started_program_id)
    select id, ${workspaceId}::uuid, "externalId", email, "partnerId", ${now}::timestamptz, ${now}::timestamptz,
           "startedAt", "startedProgramId"
    from jsonb_to_recordset(${json}::jsonb)
      as m (id uuid, "externalId" text, email text, "partnerId" uuid, "startedAt" timestamptz, "startedProgramId" uuid)
    order by "externalId"
    on conflict (workspace_id, external_id) do update
      set partner_id = excluded.partner_id,
          email = coalesce(excluded.email, customers.email),
          imported_at = excluded.imported_at,
          started_at = coalesce(excluded.started_at, customers.started_at),
          started_program_id = coalesce(excluded.started_program_id, customers.started_program_id)
      where (customers.partner_id, customers.email, customers.started_at, customers.started_program_id)
            is distinct from
            (excluded.partner_id, coalesce(excluded.email, customers.email),
             coalesce(excluded.started_at, customers.started_at),
             coalesce(excluded.started_program_id, customers.started_program_id))
         or customers.imported_at = excluded.imported_at -- written by an earlier attempt of this request
    returning id, external_id, partner_id, old.partner_id is distinct from partner_id as is_new
    ), referral as (
      insert into referrals (workspace_id, customer_id, partner_id, referred_at)
      select ${workspaceId}::uuid, id, partner_id, ${now}::timestamptz from saved where is_new
      on conflict do nothing
    )
    select id, external_id as "externalId" from saved`
  const [saved] = await db.batch([upsert.compile(db), audit])
  return new Map(
    saved.map(({ id, externalId }) => [externalId, ids.get(externalId) === id ? 'created' : 'updated']),
  )
}
