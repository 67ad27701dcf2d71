/** Erases a customer. The ledger keeps its numbers. docs/privacy.md. */
import { sql } from 'kysely'
import { type Act, auditEntry } from '../audit/audit.queries.ts'
import { forgetAnswers } from '../auth/idempotency/idempotency.queries.ts'
import type { Db } from '../db/connection.ts'
import { newId } from '../db/ids.ts'
import { isConflict } from '../db/neon.ts'
import { eraseFromImports, eraseFromSources, erasePriors } from '../imports/import-calls.queries.ts'
import { lostRace } from '../platform/unavailable.ts'
import { emailOf, erasedMark } from '../rules/identities/identities.ts'
import { textArray } from '../tracking/events/received.queries.ts'
import { eraseWebhooks } from '../webhooks/erase.queries.ts'
import { BUYER_FIELDS, FACT } from './retention.queries.ts'

/** Attempts. Each fails if the customer is merged meanwhile, or a report ties another id to it. */
const ROUNDS = 8

/** The customer, or the one into whom it was merged. */
const current = async (db: Db, workspaceId: string, id: string) => {
  const { rows } = await sql<{ id: string; revision: number }>`
    select c.id, c.revision from customers named join customers c on c.id = coalesce(named.merged_into, named.id)
    where named.workspace_id = ${workspaceId} and named.id = ${id}::uuid`.execute(db)
  return rows[0]
}

/** The ids and addresses of a customer, and the mark that replaces each address. */
const known = async (db: Db, workspaceId: string, id: string) => {
  const mine = sql`(select c.* from customers c where c.workspace_id = ${workspaceId} and ${id}::uuid in (c.id, c.merged_into))`
  const { rows } = await sql<{ value: string; isStripes: boolean; mark: string | null }>`
    select i.value, i.kind = 'stripe' as "isStripes", null as mark from customer_identities i where i.customer_id = ${id}
    union select external_id, false, null from ${mine} c
    union select email, false, null from ${mine} c where email is not null
    union select s.email, false, (select min(o.email) from processor_events o
                                  where o.event_id = s.event_id and o.email like ${erasedMark('%')})
          from processor_events s
          where s.workspace_id = ${workspaceId} and s.email is not null
            and (s.event_id in (select e.id from events e where e.customer_id = ${id})
                 or s.customer in (select value from customer_identities where customer_id = ${id} and kind = 'stripe'))`.execute(
    db,
  )
  // An id may be an address too, in the spelling in which it was reported.
  const spelled = rows.flatMap(({ value, mark }) =>
    [emailOf(value) && value, emailOf(value)].flatMap((address) =>
      address ? [{ address, mark }] : [],
    ),
  )
  const marks = new Map(spelled.map(({ address }) => [address, erasedMark(newId())]))
  // Later reports of a purchase get the mark of the first erasure, so that they stay tied.
  for (const { address, mark } of spelled) if (mark) marks.set(address, mark)
  return {
    ids: rows.filter(({ isStripes }) => !isStripes).map(({ value }) => value),
    stripeIds: rows.filter(({ isStripes }) => isStripes).map(({ value }) => value),
    addresses: [...marks.keys()],
    marks: [...marks.values()],
  }
}

/**
 * Erases the address, the name, and everything else that names a customer: identities, metadata,
 * landing pages, and the buyer in Stripe's events. The customer keeps the merchant's and Stripe's
 * ids, so that its sales, commissions and renewals still count. An id that is an address is
 * replaced. May be repeated, because later reports are stored again.
 *
 * @param id of the customer, or of one who was merged into it
 */
export const eraseCustomer = async (db: Db, act: Act, id: string): Promise<void> => {
  const entryId = newId()
  for (let round = 0; round < ROUNDS; round++) {
    const customer = await current(db, act.workspaceId, id)
    if (!customer) throw new Error('The customer does not exist.')
    if (await eraseUnlessChanged(db, act, entryId, customer)) return
  }
  throw lostRace('the same customer')
}

/** @returns false if the customer was merged with another one since the read */
const eraseUnlessChanged = async (
  db: Db,
  act: Act,
  entryId: string,
  { id, revision }: { id: string; revision: number },
): Promise<boolean> => {
  const { workspaceId } = act
  const { ids, stripeIds, addresses, marks: byAddress } = await known(db, workspaceId, id)
  const texts = textArray(addresses)
  const marks = textArray(byAddress)
  const mine = sql`(select id from customers where workspace_id = ${workspaceId} and ${id}::uuid in (id, merged_into))`
  const isTheirs = sql`e.workspace_id = ${workspaceId} and (
      e.customer_id in ${mine}
      or e.customer_id is null and e.kind in ('sale', 'lead') and e.external_id = any(${textArray(ids)})
      or e.customer_id is null and e.sale_external_id = any(${textArray(ids)})
      or e.customer_id is null and e.kind = 'sale' and e.customer_external_id = any(${textArray(ids)}))`
  const erased = (column: string) => sql`erase_text(${sql.ref(column)}, ${texts}, ${marks})`
  const erasedJson = (column: string) => sql`erase_texts(${sql.ref(column)}, ${texts}, ${marks})`
  const statements = [
    sql`select from customers where id in ${mine} order by id for update`,
    sql`select assert_unchanged(
          exists (select from customers where id = ${id} and revision = ${revision} and merged_into is null)
          or exists (select from audit_entries where id = ${entryId}))`, // the retry of an unconfirmed commit
    // A rule may have rewarded other customers' sales with the same click by its channel.
    sql`update clicks c
        set landing_url = null, referrer = null,
            sub = case when exists (
              select from events o
              where o.workspace_id = c.workspace_id and o.click_id = c.id and o.customer_id not in ${mine}) then c.sub end
        from events e where ${isTheirs} and c.workspace_id = e.workspace_id and c.id = e.click_id`,
    sql`update processor_events s
        set email = ${erased('s.email')}, outcome = ${erasedJson('s.outcome')},
            keys = array(select erase_text(k, ${texts}, ${marks}) from unnest(s.keys) with ordinality u (k, place) order by place),
            facts = (select coalesce(jsonb_agg(erase_texts((${FACT}) - ${BUYER_FIELDS}, ${texts}, ${marks})), '[]') from jsonb_array_elements(s.facts) f)
        where s.workspace_id = ${workspaceId}
          and (s.email = any(${texts}) or s.customer = any(${textArray(stripeIds)})
               or s.event_id in (select e.id from events e where ${isTheirs})
               or s.facts -> 0 ? 'fingerprint' and s.keys && array(
                 select e.external_id from events e where ${isTheirs} and e.kind = 'sale'))`,
    sql`delete from report_mismatches m
        where m.workspace_id = ${workspaceId}
          and (m.event_id in (select e.id from events e where ${isTheirs})
               or exists (select from jsonb_array_elements(m.differences) d
                          where d ->> 'recorded' = any(${texts}) or d ->> 'reported' = any(${texts})))`,
    sql`update events e
        set metadata = null, is_erased = true, body_hash = case when e.body_hash is not null then 'erased' end, revision = e.revision + 1,
            lines = erase_texts(without_metadata(e.lines), ${texts}, ${marks}),
            steps = ${erasedJson('e.steps')}, customer_external_id = ${erased('e.customer_external_id')},
            addressed_id = ${erased('e.addressed_id')},
            sale_external_id = ${erased('e.sale_external_id')},
            external_id = case when e.external_id = any(${texts}) then 'erased-' || e.id else e.external_id end
        where ${isTheirs}`,
    sql`update referrals r set origin = ${erased('r.origin')} where r.customer_id in ${mine} and r.origin = any(${texts})`,
    // Purchases by an address that other customers have too keep it as a mark.
    sql`insert into customer_identities (workspace_id, customer_id, kind, value, is_verified, source, evidence, created_at)
        select i.workspace_id, i.customer_id, i.kind, ${erased('i.value')}, i.is_verified, i.source,
               ${erased('i.evidence')}, i.created_at
        from customer_identities i
        where i.workspace_id = ${workspaceId} and i.value = any(${texts}) and (i.kind = 'email' or i.kind <> 'email') -- an index for each
          and i.customer_id not in ${mine}
        on conflict do nothing`,
    // An address that was reported after an erasure may have its mark already.
    sql`delete from customer_identities i using customer_identities marked
        where i.customer_id in ${mine} and i.value = any(${texts})
          and marked.customer_id = i.customer_id and marked.kind = i.kind and marked.value = ${erased('i.value')}`,
    sql`update customer_identities i set value = ${erased('i.value')}, evidence = ${erased('i.evidence')}
        where i.customer_id in ${mine}`,
    sql`update customers c
        set email = null, name = null, prior = null, external_id = ${erased('c.external_id')}, revision = c.revision + 1
        where c.id in ${mine}`,
    sql`update platform_commissions c set customer_email = null, customer_ref = ${erased('c.customer_ref')}
        where c.workspace_id = ${workspaceId} and (c.customer_ref = any(${texts}) or c.customer_email = any(${texts}))`,
    forgetAnswers(workspaceId),
    eraseFromImports(workspaceId, texts, marks),
    erasePriors(workspaceId, mine),
    eraseFromSources(workspaceId, texts),
    ...eraseWebhooks(
      workspaceId,
      sql`(w.subject_id in (select e.id from events e where ${isTheirs})
           or w.subject_id in (select c.id from commissions c where c.customer_id in ${mine}))`,
    ),
    sql`select erase_from_audit(${workspaceId}, '{}', ${texts}, ${marks})`,
  ]
  try {
    await db.batch([
      ...statements.map((statement) => statement.compile(db)),
      auditEntry(db, {
        ...act,
        id: entryId,
        action: 'customer.erased',
        subjectId: id,
        details: {},
      }).compile(),
    ])
    return true
  } catch (error) {
    if (isConflict(error)) return false
    throw error
  }
}
