/** Saves a customer import in one transaction. */
import { type CompiledQuery, sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import { newId } from '../../db/ids.ts'
import { lockCustomersEach, lockIdentities } from '../../db/locks.queries.ts'
import { identityOf } from '../../rules/identities/identities.ts'
import type { ImportCall } from '../import-calls.queries.ts'
import { unlessTakenOrDeleted } from '../partners/partner-import.queries.ts'
import { partnersStay } from '../undone.queries.ts'
import type { CustomerResult, MappedCustomer } from './customer-import.ts'
import { type CustomerAnswer, isImported } from './load-customers.queries.ts'

type CustomerImport = {
  workspaceId: string
  customers: MappedCustomer[]
  /** Decided from what was read. */
  results: CustomerResult[]
  keepOwners: boolean
  call: ImportCall
  /** The call's audit entry, written in the same transaction. */
  audit: CompiledQuery
  now: Date
}

/**
 * Upserts customers. Null fields keep the stored values, and unchanged rows are not written. All
 * writers lock rows in one order, so that imports and reports cannot deadlock.
 *
 * @returns the results, corrected for concurrently created customers, and the ids of customers
 *   whose payments since the second of the import are to be recomputed. Null if the call was
 *   answered meanwhile, or two of the customers were merged.
 */
export const saveCustomerImport = async (
  db: Db,
  { workspaceId, customers, results, keepOwners, call, audit, now }: CustomerImport,
): Promise<{ results: CustomerResult[]; lateIds: string[] } | null> => {
  const rows = customers.map((customer) => ({
    id: newId(),
    ...customer,
    ...identityOf(customer.externalId),
  }))
  const json = JSON.stringify(rows)
  const partnerIds = rows.flatMap(({ referrals }) => referrals.map((one) => one.partnerId))
  const ids = rows.map(({ kind, value }) => ({ kind, value }))
  const emails = rows.flatMap((row) => row.emails.map((value) => ({ kind: 'email', value })))
  const mapping = sql`jsonb_to_recordset(${json}::jsonb)
      as m (id uuid, "externalId" text, kind text, value text, emails jsonb, email text, "partnerId" uuid,
            "startedAt" timestamptz, "startedProgramId" uuid, prior jsonb, referrals jsonb)`
  // Customers have no partner until the next statement, which also sees those that were created
  // concurrently.
  const create = sql<unknown>`
    with created as (
      insert into customer_identities (workspace_id, customer_id, kind, value, source, created_at)
      select ${workspaceId}::uuid, m.id, m.kind, m.value, 'import', ${now}::timestamptz
      from ${mapping}
      where not exists (select from customer_identities i
                        where i.workspace_id = ${workspaceId} and i.value = m.value and i.kind = m.kind and i.kind <> 'email')
      order by m.value
      on conflict (workspace_id, value, kind) where kind <> 'email' do nothing
      returning customer_id, value
    ), adopted as (
      update events s set customer_id = (select customer_id from created where value = s.customer_external_id limit 1)
      where s.id = any(array(
        select o.id from created,
          lateral (select id from events where workspace_id = ${workspaceId} and customer_external_id = created.value
                     and customer_id is null and kind = 'sale' offset 0) as o))
    )
    insert into customers (id, workspace_id, external_id, created_at)
    select customer_id, ${workspaceId}::uuid, value, ${now}::timestamptz from created`
  const update = sql<unknown>`
    with target as (
      select m.*, c.id as customer_id
      from ${mapping}
      join customer_identities i on i.workspace_id = ${workspaceId} and i.value = m.value and i.kind = m.kind
                                and i.kind <> 'email'
      join customers c on c.id = i.customer_id
      where (not ${keepOwners} or c.partner_id is null or c.partner_id = m."partnerId")
        and ((c.email, c.started_at, c.started_program_id, c.prior)
            is distinct from
            (coalesce(m.email, c.email), coalesce(m."startedAt", c.started_at),
             coalesce(m."startedProgramId", c.started_program_id), coalesce(m.prior, c.prior))
         or not ${isImported(sql`m."partnerId"`)}
         or c.imported_at = ${now}) -- written by an earlier attempt of this request
      order by c.id
      for update of c
    ), saved as (
      update customers c
      set partner_id = t."partnerId",
          email = coalesce(t.email, c.email),
          imported_at = ${now}::timestamptz,
          started_at = coalesce(t."startedAt", c.started_at),
          started_program_id = coalesce(t."startedProgramId", c.started_program_id),
          prior = coalesce(t.prior, c.prior),
          revision = c.revision + 1
      from target t where c.id = t.customer_id
      returning c.id, t."externalId", t.emails, t."partnerId", t.referrals, old.partner_id as former_id,
                c.id = t.id as is_new, c.id = t.id or old.partner_id is null as is_created,
                jsonb_build_object('id', c.id, 'email', old.email, 'importedAt', old.imported_at, 'startedAt', old.started_at,
                                   'startedProgramId', old.started_program_id, 'prior', old.prior) as former
    ), referral as (
      insert into referrals (workspace_id, customer_id, origin, partner_id, source, attribution, referred_at, started_at)
      select ${workspaceId}::uuid, id, ${`import ${call.id} `} || lpad(r.place::text, 4, '0'), r."partnerId", 'import', 'last',
             ${now}::timestamptz, r."startedAt"
      from saved, jsonb_to_recordset(saved.referrals) as r (place integer, "partnerId" uuid, "startedAt" timestamptz)
      on conflict (customer_id, origin) do nothing
    ), address as (
      insert into customer_identities (workspace_id, customer_id, kind, value, source, created_at)
      select ${workspaceId}::uuid, id, 'email', e.value, 'import', ${now}::timestamptz
      from saved, jsonb_array_elements_text(saved.emails) e
      on conflict (customer_id, kind, value) do nothing
    )
    insert into import_calls (audit_id, workspace_id, import_id, hash, made, former, answer)
    select ${call.id}::uuid, ${workspaceId}::uuid, ${call.importId}::uuid, ${call.hash},
           array(select id from saved where is_new),
           (select coalesce(jsonb_agg(former), '[]') from saved where not is_new),
           jsonb_build_object('results', coalesce(jsonb_agg(
             case when r.result ->> 'status' <> 'created' or s.is_created then r.result
                  when s.id is null then r.result || '{"status": "unchanged"}'
                  when s.former_id = s."partnerId" then r.result || '{"status": "updated"}'
                  else r.result || jsonb_build_object('status', 'updated', 'ownerEmail',
                                                      (select email from partners where id = s.former_id)) end
             order by r.n), '[]'))
    from jsonb_array_elements(${JSON.stringify(results)}::jsonb) with ordinality as r (result, n)
    left join saved s on s."externalId" = r.result ->> 'customerExternalId'
    on conflict (audit_id) do nothing`
  const selectAnswer = sql<{
    answer: CustomerAnswer
  }>`select answer from import_calls where audit_id = ${call.id}`
  // A payment processor's times are whole seconds: a payment in this second counts as later than
  // the import. The locks are held, so a concurrent payment is either seen here or recomputed,
  // because the revision has changed.
  const second = sql`date_trunc('second', ${now}::timestamptz)`
  const markLate = sql<{ id: string }>`
    update customers c
    set replan_from = least(c.replan_from, late.replan_from), addressed_from = least(c.addressed_from, late.addressed_from)
    from (
      select i.customer_id,
             least(
               case when exists (
                 select from events s
                 where s.workspace_id = ${workspaceId} and s.customer_id = i.customer_id and s.kind = 'sale'
                   and s.occurred_at >= ${second} and s.occurred_at = date_trunc('second', s.occurred_at)) then ${second} end,
               addressed_elsewhere(${workspaceId}, i.customer_id, ${second})) as replan_from,
             addressed_since(${workspaceId}, i.customer_id, ${second}) as addressed_from
      from ${mapping}
      join customer_identities i on i.workspace_id = ${workspaceId} and i.value = m.value and i.kind = m.kind
                                and i.kind <> 'email'
      offset 0) late
    where c.id = late.customer_id and c.imported_at = ${now} and coalesce(late.replan_from, late.addressed_from) is not null
    returning c.id`
  const save = () =>
    db.batch([
      sql`select begin_customer_import(${workspaceId}, ${call.importId})`.compile(db),
      partnersStay(partnerIds, 'key share').compile(db),
      lockIdentities(workspaceId, [...ids, ...emails], 'shared').compile(db),
      create.compile(db),
      lockCustomersEach(workspaceId, ids).compile(db),
      audit,
      update.compile(db),
      markLate.compile(db),
      selectAnswer.compile(db),
    ])
  const saved = await unlessTakenOrDeleted(save)
  if (!saved) return null
  const [, , , , , , , late, [answered]] = saved
  return { results: answered?.answer.results ?? results, lateIds: late.map(({ id }) => id) }
}
