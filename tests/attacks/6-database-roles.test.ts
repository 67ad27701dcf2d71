/**
 * A Worker that an attacker has taken over can do in the database only what its zone may: issue 6
 * of docs/security.md.
 */
import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { roleOf, workerUrl, ZONES, type Zone, zoneUrl } from '../../cli/roles.ts'
import type { Bundles } from '../../dev/runtime/bundles.ts'
import { readWorkerConfigs } from '../../dev/runtime/wrangler-config.ts'
import { usedTables } from '../support/statements.ts'

const owner = inject('database').DATABASE_URL
const zones = Object.keys(ZONES) as Zone[]
const clients = new Map<Zone | 'owner', pg.Client>()

beforeAll(async () => {
  for (const zone of ['owner', ...zones] as const) {
    const client = new pg.Client({
      connectionString: zone === 'owner' ? owner : zoneUrl(owner, zone),
    })
    await client.connect()
    clients.set(zone, client)
  }
})
afterAll(() => Promise.all([...clients.values()].map((client) => client.end())))

const query = async <Row extends object>(
  zone: Zone | 'owner',
  text: string,
  values: unknown[] = [],
) => (await clients.get(zone)?.query<Row>(text, values))?.rows ?? []

const FORBIDDEN = '42501'
/** Resolves to "forbidden", or to what the database answered instead. */
const attempt = (zone: Zone, text: string): Promise<string> =>
  query(zone, text).then(
    () => 'done',
    ({ code, message }) => (code === FORBIDDEN ? 'forbidden' : message),
  )

type Table = { name: string; column: string; isSignIn: boolean; isView: boolean }
const tables = () =>
  query<Table>(
    'owner',
    `select case when n.nspname = 'sign_in' then 'sign_in.' else '' end || c.relname as name, n.nspname = 'sign_in' as "isSignIn",
            c.relkind in ('v', 'm') as "isView",
            (select quote_ident(attname) from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped
               and attgenerated = '' order by attnum limit 1) as column
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname in ('public', 'sign_in') and c.relkind in ('r', 'p', 'v', 'm') order by 1`,
  )

/** Every way to reach a table, without rows, so that nothing happens if it is allowed. */
const reach = ({ name, column, isView }: Table): string[] => {
  const read = `select ${column} from ${name} where false`
  return isView ? [read] : [read, ...change(name, column)]
}
const change = (name: string, column: string): string[] => [
  `insert into ${name} (${column}) select null where false`,
  `update ${name} set ${column} = null where false`,
  `delete from ${name} where false`,
  `truncate ${name}`,
]

const reached = async (zone: Zone, which: Table[]): Promise<string[]> => {
  const done: string[] = []
  for (const table of which)
    for (const text of reach(table))
      if ((await attempt(zone, text)) !== 'forbidden') done.push(text)
  return done
}

test('the public tracking Workers reach no table at all', async () => {
  expect(await reached('track', await tables())).toEqual([])
})

test.each(['pages', 'read', 'pay', 'mail', 'source'] as const)(
  '%s reaches no sign-in link, session or user',
  async (zone) => {
    expect(
      await reached(
        zone,
        (await tables()).filter(({ isSignIn }) => isSignIn),
      ),
    ).toEqual([])
  },
)

test('read changes no table', async () => {
  const changed: string[] = []
  for (const { name, column, isView } of await tables())
    for (const text of isView ? [] : change(name, column))
      if ((await attempt('read', text)) !== 'forbidden') changed.push(text)
  expect(changed).toEqual([])
})

test.each<[Zone, string, string]>([
  [
    'track',
    'writes itself a sign-in link',
    "insert into sign_in.verifications (id, identifier, value) values (uuidv7(), 'x', '{}')",
  ],
  ['track', 'reads the API keys', 'select key_hash from api_keys'],
  ['track', 'removes expired sign-ins', 'select clear_expired_sign_ins(now(), 1)'],
  ['track', 'erases people', "select erase_sign_ins('{}')"],
  ['track', 'runs the parts of its functions', "select event_reported(uuidv7(), 'sale', 'x')"],
  ['pages', 'creates a payout', 'insert into payouts (id) select null where false'],
  ['pages', 'creates a payout run', 'insert into payout_runs (id) select null where false'],
  ['pages', 'reports a sale', 'insert into events (id) select null where false'],
  ['pages', 'reports a sale by the function', "select save_report('{}')"],
  ['pages', 'deletes commissions', 'delete from commissions where false'],
  ['pages', 'deletes events', 'delete from events where false'],
  ['pages', 'deletes invoices', 'delete from invoices where false'],
  ['pages', 'rewrites totals', 'update totals set clicks = 0 where false'],
  ['pages', 'rewrites audit entries', "update audit_entries set actor = '' where false"],
  ['pages', 'deletes audit entries', 'delete from audit_entries where false'],
  ['pages', 'deletes workspaces', 'delete from workspaces where false'],
  ['read', 'changes who is paid', 'update partners set email = null where false'],
  ['read', 'reads the merchants’ Stripe keys', 'select ciphertext from stripe_keys'],
  ['read', 'reads the payment details', 'select ciphertext from payment_details'],
  ['read', 'reads the audit log', 'select actor from audit_entries'],
  ['read', 'reads the pages that visitors came to', 'select landing_url from clicks'],
  ['read', 'reads the mails', 'select recipient from mails'],
  ['read', 'reads the members', 'select email from members'],
  ['pay', 'reads the API keys', 'select key_hash from api_keys'],
  ['pay', 'makes itself a manager', 'insert into members (id) select null where false'],
  ['pay', 'changes who is paid', 'update partners set email = null where false'],
  ['pay', 'changes payment details', 'update payment_details set ciphertext = null where false'],
  ['pay', 'deletes payouts', 'delete from payouts where false'],
  ['pay', 'deletes audit entries', 'delete from audit_entries where false'],
  ['auth', 'reads the partners', 'select email from partners'],
  ['auth', 'makes itself a manager', 'insert into members (id) select null where false'],
  ['auth', 'reads the payment details', 'select ciphertext from payment_details'],
  ['mail', 'reads the payment details', 'select ciphertext from payment_details'],
  ['mail', 'reads the merchants’ Stripe keys', 'select ciphertext from stripe_keys'],
  ['mail', 'credits a partner', 'update events set partner_id = null where false'],
  ['mail', 'changes a purchase', "update processor_events set outcome = '{}' where false"],
  ['pages', 'reads the tokens of other platforms', 'select ciphertext from import_sources'],
  [
    'pages',
    'adds what was read',
    'insert into import_source_rows (source_id) select null where false',
  ],
  ['source', 'reads the partners', 'select email from partners'],
  ['source', 'reads the merchants’ Stripe keys', 'select ciphertext from stripe_keys'],
  ['source', 'makes itself a manager', 'insert into members (id) select null where false'],
  ['source', 'reads where a program’s site is', 'select site_url from programs'],
  ['mail', 'pays a commission', 'update commissions set payout_id = null where false'],
])('%s is refused what an attacker would try: it %s', async (zone, _, text) => {
  expect(await attempt(zone, text)).toBe('forbidden')
})

test.each(zones)('%s makes nothing of its own, and becomes nobody else', async (zone) => {
  const other = zones.find((name) => name !== zone) ?? 'track'
  for (const text of [
    'create temporary table workspaces (id uuid)',
    'create table public.partners_2 (id uuid)',
    'create function public.now() returns int language sql return 1',
    'create schema attacker',
    'create role attacker',
    `set role "${roleOf(owner, other)}"`,
    `set role "${new URL(owner).username}"`,
    `alter role "${roleOf(owner, other)}" password 'x'`,
    'select rolpassword from pg_authid',
    'update schema_migrations set checksum = null where false',
    "copy (select 1) to program 'true'",
    "select pg_read_file('postgresql.conf')",
  ])
    expect({ text, answer: await attempt(zone, text) }).toEqual({ text, answer: 'forbidden' })
})

test('a new table and a new function are forbidden to all zones until roles.sql names them', async () => {
  await query('owner', 'begin')
  await query('owner', 'create table later_things (id uuid)')
  await query('owner', 'create function later_work() returns int language sql return 1')
  await query('owner', 'create table sign_in.later_things (id uuid)')
  const allowed: string[] = []
  for (const zone of zones) {
    for (const text of ['from later_things', 'later_work()', 'from sign_in.later_things']) {
      await query('owner', `savepoint before; set local role "${roleOf(owner, zone)}"`)
      const answer = await query('owner', `select ${text}`).then(
        () => 'done',
        ({ code }) => code,
      )
      if (answer !== FORBIDDEN) allowed.push(`${zone}: ${text}: ${answer}`)
      await query('owner', 'rollback to before')
    }
  }
  await query('owner', 'rollback')
  expect(allowed).toEqual([])
})

test('functions with the owner’s rights say themselves which tables they mean, and each is only for some zones', async () => {
  const found = await query<{ name: string; isPinned: boolean; callers: string[] }>(
    'owner',
    `select p.proname as name, coalesce('search_path=public, pg_temp' = any (p.proconfig), false) as "isPinned",
            array(select z from unnest($1::text[], $2::text[]) as r (z, role)
                  where has_function_privilege(role, p.oid, 'execute') order by 1) as callers
     from pg_proc p where p.prosecdef and p.pronamespace in ('public'::regnamespace, 'sign_in'::regnamespace)`,
    [zones, zones.map((zone) => roleOf(owner, zone))],
  )
  expect(found.filter(({ isPinned }) => !isPinned)).toEqual([])
  const callers = Object.fromEntries(found.map(({ name, callers }) => [name, callers.join(', ')]))
  expect(callers).toMatchObject({
    may_pass_on: 'track',
    save_click: 'track',
    load_report: 'track',
    save_report: 'track',
    load_refund: 'track',
    note_mail_report: 'track',
    note_sign_in_request: 'auth',
    save_refund: 'pay, track',
    note_key_use: 'pages, read, track',
    erase_sign_ins: 'pages',
    erase_from_audit: 'pages',
    has_signed_in: 'pages',
    waiting_passkeys: 'pages',
    cancel_passkey: 'pages',
    mail_manual_earnings: 'pages, pay',
    erase_workspaces: 'mail',
    clear_expired_sign_ins: 'mail',
    sign_ins_have_expired: 'mail',
    upkeep_is_due: 'mail',
    fold_totals: 'mail',
    end_clicks: 'mail',
  })
})

test('a caller’s search_path does not lead such a function to other tables', async () => {
  const load = `select load_report('${'0'.repeat(64)}', 'sale', 'x', 'external', 'x', null, 'x', true, now(), null, null, null) as answer`
  await query('track', 'set search_path = auth, information_schema, pg_catalog')
  expect(await query('track', load.replace('load_report', 'public.load_report'))).toEqual([
    { answer: 'unknown_key' },
  ])
  await query('track', 'reset search_path')
})

test('every Worker with a database has one zone, and none connects as the owner', () => {
  const connected = [...readWorkerConfigs()].filter(([, { secrets }]) =>
    secrets.required.includes('DATABASE_URL'),
  )
  expect(connected.map(([env]) => env).sort()).toEqual(Object.values(ZONES).flat().sort())
  const logins = connected.map(([env]) => new URL(workerUrl(owner, env)))
  expect(logins.filter(({ username }) => username === new URL(owner).username)).toEqual([])
  expect(new Set(logins.map(({ username, password }) => `${username}:${password}`)).size).toBe(
    zones.length,
  )
})

test('roles.sql grants what the statements of each Worker need', async () => {
  const bundles: Bundles = JSON.parse(await readFile(inject('bundles'), 'utf8'))
  const names = (await tables()).map(({ name }) => name)
  const missing: string[] = []
  for (const zone of zones) {
    for (const env of ZONES[zone]) {
      for (const [table, verbs] of usedTables(bundles[env] ?? '', names)) {
        for (const verb of verbs) {
          const [row] = await query<{ may: boolean }>(
            'owner',
            `select coalesce(${verb === 'delete' ? 'has_table_privilege' : 'has_any_column_privilege'}($1, $2, $3), false) as may`,
            [roleOf(owner, zone), table, verb],
          )
          if (!row?.may)
            missing.push(`${env} runs ${verb} on ${table}: in roles.sql, grant it to ${zone}`)
        }
      }
    }
  }
  expect(missing).toEqual([])
})
