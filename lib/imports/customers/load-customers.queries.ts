/** Loads what the decision about a customer import needs. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import { identityOf } from '../../rules/identities/identities.ts'
import { memberWorkspace } from '../../tenancy/workspaces/workspaces.queries.ts'
import type { ImportCall } from '../import-calls.queries.ts'
import type {
  CustomerImportFacts,
  CustomerResult,
  CustomerRow,
  KnownMapping,
  MappedPartner,
} from './customer-import.ts'

/** Distinct values as rows, in one parameter. */
const texts = (values: string[]) =>
  sql`jsonb_array_elements_text(${JSON.stringify([...new Set(values)])}::jsonb)`

/**
 * Whether the latest referral that can change the partner of the customer `c` is an import to this
 * partner. If not, an import to it is a change, even if the customer has this partner.
 */
export const isImported = (partnerId: RawBuilder<unknown>) => sql`coalesce((
  select r.source = 'import' and r.partner_id = ${partnerId} from referrals r
  where r.customer_id = c.id and (r.source = 'import' or r.attribution = 'last')
  order by r.referred_at desc, r.origin desc limit 1), false)`

/**
 * Reads the workspace, and the programs, partners and customers of the rows, in one round trip. For
 * a person who is not a member, the workspace is missing.
 *
 * `offset 0` forces an index lookup per row. During an import the table outgrows its statistics,
 * and the planner could choose a sequential scan for a join.
 *
 * @param programId the default program of the request
 * @param call null for a dry run, which no earlier call answers
 * @returns `answer` of an earlier attempt; `isUndone` if the import was undone; `lateIds` of
 *   customers whose sales an interrupted request has left to recompute
 */
export const loadCustomerImport = async (
  db: Db,
  { address, email, programId }: { address: string; email: string; programId: string | null },
  rows: CustomerRow[],
  call: ImportCall | null,
) => {
  const workspace = memberWorkspace(db, address, email)
  const workspaceId = workspace.clearSelect().select('w.id')
  const programIds = [programId, ...rows.map((row) => row.programId)].filter((id) => id !== null)

  const selectPrograms = sql<{ id: string }>`
    select id from programs where workspace_id = (${workspaceId}) and id in (select value::uuid from ${texts(programIds)})`
  const selectPartners = sql<MappedPartner>`
    select p.id, wanted.value as email, p.program_id as "programId", p.status = 'banned' as "isBanned"
    from ${texts(rows.map((row) => row.partnerEmail))} as wanted,
      lateral (
        select * from partners where email = wanted.value and workspace_id = (${workspaceId})
        union all
        select former.*
        from former_partner_addresses f
        join partners former on former.program_id = f.program_id and former.id = f.partner_id
        where f.email = wanted.value and former.workspace_id = (${workspaceId})
          and not exists (select from partners n where n.program_id = f.program_id and n.email = wanted.value)
        offset 0) as p`
  const ids = [...new Set(rows.map((row) => row.customerExternalId))].map(identityOf)
  const selectCustomers = sql<
    Omit<KnownMapping, 'owner'> & {
      externalId: string
      id: string
      ownerId: string | null
      ownerEmail: string | null
      isLate: boolean
    }
  >`
    select wanted.value as "externalId", c.id, c.partner_id as "ownerId",
           (select email from partners where id = c.partner_id) as "ownerEmail",
           coalesce(c.replan_from, c.addressed_from) is not null as "isLate", c.email,
           case when ${isImported(sql`c.partner_id`)} then c.partner_id end as "partnerId",
           c.started_at as "startedAt", c.started_program_id as "startedProgramId", c.prior
    from jsonb_to_recordset(${JSON.stringify(ids)}::jsonb) as wanted (kind text, value text),
      lateral (select c.* from customer_identities i join customers c on c.id = i.customer_id
               where i.workspace_id = (${workspaceId}) and i.value = wanted.value and i.kind = wanted.kind
                 and i.kind <> 'email' offset 0) as c`

  const selectAnswer = sql<{ answer: CustomerAnswer | null; isUndone: boolean }>`
    select (select c.answer from import_calls c
            where c.workspace_id = w.id and c.import_id = ${call?.importId ?? null} and c.hash = ${call?.hash ?? null}) as answer,
           import_is_undone(w.id, ${call?.importId ?? null}) as "isUndone"
    from (${workspaceId}) w`

  const [workspaces, programs, partners, customers, [answered]] = await db.batch([
    workspace.compile(),
    selectPrograms.compile(db),
    selectPartners.compile(db),
    selectCustomers.compile(db),
    selectAnswer.compile(db),
  ])
  const facts: CustomerImportFacts = {
    programIds: new Set(programs.map(({ id }) => id)),
    partners,
    customers: new Map(
      customers.flatMap(
        ({ externalId, id: _id, ownerId, ownerEmail, isLate: _isLate, ...mapping }) =>
          ownerId === null || ownerEmail === null
            ? []
            : [[externalId, { ...mapping, owner: { id: ownerId, email: ownerEmail } }]],
      ),
    ),
    customerIds: new Map(customers.map(({ externalId, id }) => [externalId, id])),
  }
  const lateIds = customers.filter(({ isLate }) => isLate).map(({ id }) => id)
  return {
    workspace: workspaces[0],
    facts,
    lateIds,
    answer: answered?.answer,
    isUndone: answered?.isUndone ?? false,
  }
}

/** The stored answer. The summary follows from the results. */
export type CustomerAnswer = { results: CustomerResult[] }
