/**
 * `npm run db:addresses`: normalizes the email addresses of an older database as `normalizeEmail`
 * does, and lists people who would become one. Their money is never merged: conflicting rows are
 * unchanged. May be repeated.
 */
import { pathToFileURL } from 'node:url'
import type pg from 'pg'
import { normalizeEmail } from '../lib/values/emails.ts'
import { withClient } from './database.ts'

/** Columns that may contain an address several times. */
const ANYWHERE = [
  ['customers', 'email'],
  ['processor_events', 'email'],
  ['platform_commissions', 'customer_email'],
  ['platform_commissions', 'partner_email'],
  ['brands', 'support_email'],
] as const

/** Tables with one row per person, and the owner of these rows. */
const ONCE = [
  ['members', 'workspace_id'],
  ['applications', 'program_id'],
  ['former_partner_addresses', 'program_id'],
] as const

/** Rows of a partner as a person of its workspace, which move with it. */
const OF_PERSON = [
  'payout_accounts',
  'payment_details',
  'payees',
  'unreachable_people',
  'mail_optouts',
] as const
const MONEY = ['payout_accounts', 'payment_details', 'payees'] as const

const COLUMNS = [
  ...ANYWHERE,
  ...[...ONCE.map(([table]) => table), ...OF_PERSON, 'partners', 'sign_in.users'].map(
    (table) => [table, 'email'] as const,
  ),
  ['customer_identities', 'value'],
] as const

/** Addresses that may not be normalized. All others are in lower case and ASCII. */
const FIND = COLUMNS.map(
  ([table, column]) =>
    `select ${column} as address from ${table}
     where ${column} like '%@%' and (${column} ~ '[^!-~]|\\.$' or ${column} like '%xn--%')
       ${table === 'customer_identities' ? "and kind in ('email', 'guest')" : ''}`,
).join(' union ')

/** People of a workspace who would become one, and whose rows would conflict. */
const COLLISIONS = `
  select distinct w.slug as workspace, f.old, f.new, w.id as workspace_id
  from forms f join partners p on p.email = f.old join workspaces w on w.id = p.workspace_id
  where exists (select from partners o join forms g on o.email = g.old or o.email = g.new
                where g.new = f.new and o.program_id = p.program_id and o.id <> p.id
                  and (o.email = f.new or o.id < p.id))
     or (select count(distinct d.email)
         from (${MONEY.map((table) => `select workspace_id, email from ${table}`).join(' union ')}) d
         where d.workspace_id = p.workspace_id
           and (d.email = f.new or d.email in (select g.old from forms g where g.new = f.new))) > 1
  order by 1, 3, 2`

/** Whether no other row of the owner has the new address. Of two rows, the first one gets it. */
const isFree = (table: string, owner: string) => `not exists (
  select from ${table} o left join forms g on g.old = o.email
  where o.${owner} = t.${owner} and coalesce(g.new, o.email) = f.new
    and (o.email = f.new or o.email < t.email))`

const STATEMENTS = [
  `create temp table apart on commit drop as ${COLLISIONS}`,
  `insert into audit_entries (id, workspace_id, actor, action, subject_id, details, created_at)
   select uuidv7(), t.workspace_id, 'operator', 'partner.address_changed', t.id,
          jsonb_build_object('from', f.old, 'to', f.new), now()
   from partners t join forms f on f.old = t.email
   where (t.workspace_id, f.old) not in (select workspace_id, old from apart)`,
  ...['unreachable_people', 'mail_optouts'].map(
    (table) => `
      delete from ${table} t using forms f where t.email = f.old and not ${isFree(table, 'workspace_id')}
        and (t.workspace_id, f.old) not in (select workspace_id, old from apart)`,
  ),
  ...['partners', ...OF_PERSON].map(
    (table) => `
      update ${table} t set email = f.new from forms f
      where t.email = f.old and (t.workspace_id, f.old) not in (select workspace_id, old from apart)`,
  ),
  `update mails t set recipient = f.new from forms f where t.recipient = f.old and t.sent_at is null
     and (t.workspace_id is null or (t.workspace_id, f.old) not in (select workspace_id, old from apart))`,
  ...ONCE.map(
    ([table, owner]) =>
      `update ${table} t set email = f.new from forms f where t.email = f.old and ${isFree(table, owner)}`,
  ),
  // People sign in again.
  'delete from sign_in.users t using forms f where t.email = f.old',
  ...ANYWHERE.map(
    ([table, column]) =>
      `update ${table} t set ${column} = f.new from forms f where t.${column} = f.old`,
  ),
  `update processor_events t set facts = replace(t.facts::text, to_jsonb(f.old)::text, to_jsonb(f.new)::text)::jsonb
   from forms f where t.email = f.new and strpos(t.facts::text, to_jsonb(f.old)::text) > 0`,
  // Addresses that only match may be of several customers. A guest's address is of one.
  `create temp table matching on commit drop as
   select distinct t.workspace_id, t.customer_id, f.new as value
   from customer_identities t join forms f on f.old = t.value where t.kind = 'email'`,
  `insert into customer_identities (workspace_id, customer_id, kind, value, is_verified, source, evidence, created_at)
   select distinct on (t.customer_id, f.new) t.workspace_id, t.customer_id, t.kind, f.new, t.is_verified, t.source,
          t.evidence, t.created_at
   from customer_identities t join forms f on f.old = t.value where t.kind = 'email'
   order by t.customer_id, f.new, t.created_at
   on conflict do nothing`,
  `delete from customer_identities t using forms f where t.value = f.old and t.kind = 'email'`,
  `update customer_identities t set value = f.new from forms f
   where t.value = f.old and t.kind = 'guest'
     and not exists (select from customer_identities o left join forms g on g.old = o.value
                     where o.workspace_id = t.workspace_id and o.kind = 'guest' and coalesce(g.new, o.value) = f.new
                       and (o.value = f.new or o.value < t.value))`,
  // Missed payments: the cron of the Worker stripe-webhook recomputes them.
  `update customers c set addressed_from = least(c.addressed_from, s.since)
   from (select m.customer_id, min(p.occurred_at) as since
         from matching m join processor_events p on p.workspace_id = m.workspace_id and p.email = m.value
         group by m.customer_id) s
   where c.id = s.customer_id and c.merged_into is null and exists (select from referrals r where r.customer_id = c.id)`,
]

type Forms = { changed: number; apart: { workspace: string; old: string; new: string }[] }

/** Normalizes all addresses, in one transaction. */
export const bringOverAddresses = async (client: pg.Client): Promise<Forms> => {
  const { rows } = await client.query<{ address: string }>(FIND)
  const forms = rows.flatMap(({ address }) => {
    const form = normalizeEmail(address)
    return form && form !== address ? [{ old: address, new: form }] : []
  })
  await client.query('begin')
  await client.query(
    'create temp table forms (old text primary key, new text not null) on commit drop',
  )
  await client.query(
    'insert into forms select old, new from jsonb_to_recordset($1) as f (old text, new text)',
    [JSON.stringify(forms)],
  )
  await client.query('analyze forms')
  for (const statement of STATEMENTS) await client.query(statement)
  const apart = await client.query<Forms['apart'][number]>(
    'select workspace, old, new from apart order by 1, 3, 2',
  )
  await client.query('commit')
  return { changed: forms.length, apart: apart.rows }
}

const run = async (): Promise<void> => {
  const { DATABASE_URL } = process.env
  if (!DATABASE_URL)
    throw new Error('Set the database: DATABASE_URL=postgres://... npm run db:addresses')
  const { changed, apart } = await withClient(DATABASE_URL, bringOverAddresses)
  console.log(`Addresses that were not normalized: ${changed}.`)
  for (const { workspace, old, new: form } of apart)
    console.log(
      `Not changed in the workspace ${workspace}: ${old} is the same address as ${form}, and both are partners of one program or are paid. Pay out or adjust the balance of one of them, and ban it.`,
    )
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  await run().catch((error: Error) => {
    console.error(`Nothing was changed. ${error.message}`)
    process.exitCode = 1
  })
