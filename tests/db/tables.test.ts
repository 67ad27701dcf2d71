/**
 * The tables.ts of the rooms are written by hand, for their JSON and union types: this compares
 * them with the database.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { expect, inject, test } from 'vitest'
import { ROOT } from '../../dev/root.ts'

/** As TypeScript reads the types of Postgres: any other name is a union of strings. */
const TYPES: Record<string, string> = {
  uuid: 'string',
  text: 'string',
  character: 'string',
  bigint: 'bigint',
  date: 'string',
  integer: 'number',
  boolean: 'boolean',
  'timestamp with time zone': 'Date',
  jsonb: 'Json',
  json: 'Json',
  _text: 'string[]',
  _uuid: 'string[]',
  _int4: 'number[]',
}

const describeColumn = (type: string, isNullable: boolean, isOptional: boolean): string =>
  [type, ...(isNullable ? ['nullable'] : []), ...(isOptional ? ['optional in inserts'] : [])].join(
    ', ',
  )

/**
 * `table.column: type, nullable, optional in inserts` for each column that the tables.ts of a room
 * declares.
 */
const readDeclared = (file: string): string[] => {
  const source = readFileSync(join(ROOT, file), 'utf8')
  const [, body = ''] = /^type \w+Tables = \{\n(.*?)^\}/ms.exec(source) ?? []
  return [...body.matchAll(/^ {2}(\w+): \{(.*?)\}$/gms)].flatMap(([, table, columns = '']) =>
    columns.split(/[;\n]/).flatMap((line) => {
      const [, column, declared = ''] = /^ *(\w+): (.+?) *$/.exec(line) ?? []
      if (!column) return []
      const [, wrapped] =
        /^(?:Generated|GeneratedAlways|ColumnType)<([^,]+).*>$/.exec(declared) ?? []
      const [, bare = '', orNull] = /^(.+?)( \| null)?$/.exec(wrapped ?? declared) ?? []
      const type = /^Json</.test(bare) ? 'Json' : bare.replace(/^[A-Z]\w+\[\]$/, 'string[]')
      const name = Object.values(TYPES).includes(type) ? type : 'string'
      return `${table}.${column}: ${describeColumn(name, Boolean(orNull), /^Generated|\bundefined\b/.test(declared))}`
    }),
  )
}

/** Runs a query of the catalog. */
const ask = async <Row extends pg.QueryResultRow>(text: string): Promise<Row[]> => {
  const client = new pg.Client({ connectionString: inject('database').DATABASE_URL })
  await client.connect()
  const { rows } = await client.query<Row>(text)
  await client.end()
  return rows
}

const readActual = async (): Promise<string[]> => {
  const rows = await ask<{ path: string; type: string; nullable: boolean; optional: boolean }>(`
    select table_name || '.' || column_name as path, 
           case data_type when 'ARRAY' then udt_name else data_type end as type, is_nullable = 'YES' as nullable,
           column_default is not null or is_generated = 'ALWAYS' or is_identity = 'YES' as optional
    from information_schema.columns
    where table_schema = 'public' and table_name <> 'schema_migrations'
      and table_name not in (select table_name from information_schema.views where table_schema = 'public')
      and table_name not in (select relname from pg_class where relispartition)`)
  return rows.map(({ path, type, nullable, optional }) => {
    return `${path}: ${describeColumn(TYPES[type] ?? type, nullable, optional)}`
  })
}

test('declares every column of the database, with its type, whether it is nullable, and whether inserts may omit it', async () => {
  expect(globSync('lib/**/tables.ts', { cwd: ROOT }).flatMap(readDeclared).sort()).toEqual(
    (await readActual()).sort(),
  )
})

/**
 * The inserts that name the id alone as what concurrent copies of a call share: `on conflict (id)`.
 */
const insertedById = (file: string): { file: string; table: string }[] => {
  const inserts = readFileSync(join(ROOT, file), 'utf8').split(/(?=\binsert ?into\b)/i)
  return inserts
    .filter((insert) => /on conflict \(id\)|column\('id'\)/.test(insert))
    .map((insert) => ({
      file,
      table: /^insert ?into\W*([\w.]+)/i.exec(insert)?.[1] ?? 'unreadable',
    }))
}

/**
 * Why concurrent copies of an insert may share the id alone, though the table has other unique
 * keys.
 */
const OTHERWISE: Record<string, string> = {
  'partners in lib/partners/changes/new-partner.queries.ts': 'wait for each other: lockPartners',
  'coupon_aliases in lib/partners/changes/new-partner.queries.ts':
    'wait for each other: lockPartners',
  'links in lib/partners/links/links.queries.ts': 'wait for each other: lockPartners',
  'workspaces in lib/tenancy/workspaces/workspaces.queries.ts': 'wait for each other: lockSignup',
  'members in lib/tenancy/workspaces/workspaces.queries.ts': 'wait for each other: lockSignup',
  'members in lib/tenancy/members/members.queries.ts':
    'whom another key refuses finds the row that has its id',
  'coupon_aliases in lib/partners/links/coupons.queries.ts':
    'whom another key refuses finds the row that has its id',
  'mails in lib/mail/support-address.queries.ts': 'of a kind that is in no other key',
  'mails in lib/mail/mailings/test-mails.queries.ts':
    'of an occasion that is in no other key without a partner',
  'mails in lib/sign-in/requests/known-browsers.queries.ts': 'of a kind that is in no other key',
}

// Postgres looks at the named key first, and at all others while it inserts: of two copies that
// both found no row, the second is refused by another key, such as one that has the id too, an
// address or a hash.
test('names the id alone in no insert into a table with other unique keys, but for those that wait or find the row', async () => {
  const rows = await ask<{ table: string }>(`
    select c.relname as table from pg_index i join pg_class c on c.oid = i.indrelid
    where i.indisunique and c.relnamespace = 'public'::regnamespace
    group by c.relname having count(*) > 1`)
  const severalKeys = rows.map(({ table }) => table)
  expect(severalKeys).toContain('groups')

  const inserts = globSync('lib/**/*.queries.ts', { cwd: ROOT }).flatMap(insertedById)
  expect(inserts.map(({ table }) => table)).toContain('partner_notes')
  const found = inserts.filter(({ table }) => severalKeys.includes(table))
  const names = new Set(found.map(({ file, table }) => `${table} in ${file}`))
  expect([...names].toSorted()).toEqual(Object.keys(OTHERWISE).toSorted())
})

/**
 * Groups, rewards, programs and versions of an agreement are few: what refers to one of them is
 * read once for each.
 */
const TO_FEW = [
  'agreement_acceptances (program_id, version)',
  'former_group_terms (workspace_id, lead_reward_id)',
  'former_group_terms (workspace_id, sale_reward_id)',
  'former_partner_terms (workspace_id, group_id)',
  'former_program_terms (workspace_id, reward_id)',
  'one_time_rewards (workspace_id, program_id)',
]

// An index by a program finds a partner's rows only by looking at each program of the installation.
test('has an index that begins with a column of each foreign key, or a deletion reads what all workspaces have', async () => {
  const rows = await ask<{ key: string }>(`
    select format('%s (%s)', c.conrelid::regclass, columns) as key
    from pg_constraint c, lateral (
      select string_agg(a.attname, ', ' order by place) as columns
      from unnest(c.conkey) with ordinality k (attnum, place)
      join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.attnum) k
    where c.contype = 'f' and c.connamespace = 'public'::regnamespace and c.confrelid <> 'workspaces'::regclass
      and not exists (select from pg_index i where i.indrelid = c.conrelid and i.indkey[0] = any(c.conkey))`)
  expect(rows.map(({ key }) => key).sort()).toEqual(TO_FEW)
})
