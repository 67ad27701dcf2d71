/** A made-up product and its releases, applied to databases of a real Postgres. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { applySchema, SchemaMismatch } from '../../cli/schema.ts'
import { withDatabase } from '../support/databases.ts'

type Release = { schema: string; migrations?: Record<string, string> }

let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'tributary-releases-'))
})
afterAll(() => rm(root, { recursive: true }))

/** Writes a release's files to a folder of its own. */
const folderOf = async ({ schema, migrations = {} }: Release): Promise<string> => {
  const folder = await mkdtemp(join(root, 'release-'))
  await mkdir(join(folder, 'migrations'))
  await writeFile(join(folder, 'schema.sql'), schema)
  for (const [name, sql] of Object.entries(migrations))
    await writeFile(join(folder, 'migrations', name), sql)
  return folder
}

const apply = async (url: string, release: Release) => applySchema(url, await folderOf(release))

const schemaOf = (columns: string): string => `
  create table schema_migrations (name text primary key, checksum text not null, applied_at timestamptz not null default now());
  create table notes (${columns});`

const FIRST = { schema: schemaOf('id int') }
const ADD_TITLE = 'alter table notes add title text;'
const ADD_STARS = 'alter table notes add stars int not null default 0;'
const SECOND = {
  schema: schemaOf('id int, title text, stars int not null default 0'),
  migrations: { '0001-add-title.sql': ADD_TITLE, '0002-add-stars.sql': ADD_STARS },
}
const FUNCTIONS = 'functions of schema.sql'
const SECOND_APPLIED = ['0001-add-title.sql', '0002-add-stars.sql', FUNCTIONS, 'schema.sql']

const columnsOf = async (client: pg.Client): Promise<string[]> => {
  const { rows } = await client.query<{ name: string }>(
    "select column_name as name from information_schema.columns where table_name = 'notes' order by ordinal_position",
  )
  return rows.map(({ name }) => name)
}

const recordsOf = async (client: pg.Client): Promise<string[]> => {
  const { rows } = await client.query<{ name: string }>(
    'select name from schema_migrations order by name',
  )
  return rows.map(({ name }) => name)
}

test('an empty database gets schema.sql alone, and all migrations are recorded as applied', () =>
  withDatabase('migrations_empty', async (url, client) => {
    expect(await apply(url, SECOND)).toEqual(['schema.sql'])
    expect(await columnsOf(client)).toEqual(['id', 'title', 'stars'])
    expect(await recordsOf(client)).toEqual(SECOND_APPLIED)
    expect(await apply(url, SECOND)).toEqual([])
  }))

test('a database of the first release gets the migrations of the second in order, once, and keeps its rows', () =>
  withDatabase('migrations_upgrade', async (url, client) => {
    await apply(url, FIRST)
    await client.query('insert into notes (id) values (1)')
    expect(await apply(url, SECOND)).toEqual(['0001-add-title.sql', '0002-add-stars.sql'])
    expect(await apply(url, SECOND)).toEqual([])
    expect((await client.query('select * from notes')).rows).toEqual([
      { id: 1, title: null, stars: 0 },
    ])
    expect(await recordsOf(client)).toEqual(SECOND_APPLIED)
  }))

test('eight concurrent runs apply each file once', () =>
  withDatabase('migrations_concurrent', async (url, client) => {
    const eight = async (release: Release) => {
      const folder = await folderOf(release)
      return (await Promise.all(Array.from({ length: 8 }, () => applySchema(url, folder)))).flat()
    }
    expect(await eight(FIRST)).toEqual(['schema.sql'])
    const migrations = {
      ...SECOND.migrations,
      '0002-add-stars.sql': `select pg_sleep(0.3); ${ADD_STARS}`,
    }
    expect(await eight({ ...SECOND, migrations })).toEqual([
      '0001-add-title.sql',
      '0002-add-stars.sql',
    ])
    expect(await columnsOf(client)).toEqual(['id', 'title', 'stars'])
  }))

test('a failing migration is rolled back and named; those before it stay applied; a corrected one goes on from there', () =>
  withDatabase('migrations_failing', async (url, client) => {
    await apply(url, FIRST)
    const migrations = {
      '0001-add-title.sql': ADD_TITLE,
      '0002-add-stars.sql': `${ADD_STARS} insert into nowhere values (1);`,
      '0003-add-author.sql': 'alter table notes add author text;',
    }
    await expect(apply(url, { ...SECOND, migrations })).rejects.toThrow(
      /^0002-add-stars\.sql failed, .*relation "nowhere" does not exist/,
    )
    expect(await columnsOf(client)).toEqual(['id', 'title'])
    expect(await recordsOf(client)).toEqual(['0001-add-title.sql', FUNCTIONS, 'schema.sql'])

    expect(await apply(url, SECOND)).toEqual(['0002-add-stars.sql'])
    expect(await recordsOf(client)).toEqual(SECOND_APPLIED)
  }))

test('a schema.sql that fails leaves the database empty', () =>
  withDatabase('migrations_broken_schema', async (url) => {
    await expect(apply(url, { schema: `${FIRST.schema} select nonsense;` })).rejects.toThrow(
      /^schema\.sql failed, .*column "nonsense" does not exist/,
    )
    expect(await apply(url, FIRST)).toEqual(['schema.sql'])
  }))

const refusals: { case: string; migrations: Record<string, string>; says: string }[] = [
  {
    case: 'an applied file that is missing',
    migrations: { '0002-add-stars.sql': ADD_STARS },
    says: '0001-add-title.sql is applied to this database, but the file is missing',
  },
  {
    case: 'an applied file that was edited',
    migrations: {
      ...SECOND.migrations,
      '0001-add-title.sql': 'alter table notes add title varchar;',
    },
    says: '0001-add-title.sql has changed since it was applied',
  },
  {
    case: 'a pending file with a number below an applied one',
    migrations: {
      '0000-add-author.sql': 'alter table notes add author text;',
      ...SECOND.migrations,
    },
    says: '0000-add-author.sql is out of order: 0002-add-stars.sql is already applied',
  },
  {
    case: 'two files with the same number',
    migrations: {
      ...SECOND.migrations,
      '0002-add-author.sql': 'alter table notes add author text;',
    },
    says: '0002-add-author.sql and 0002-add-stars.sql have the same number',
  },
  {
    case: 'a file whose name has no number',
    migrations: { ...SECOND.migrations, 'add-author.sql': 'alter table notes add author text;' },
    says: 'Rename add-author.sql to a name such as 0001-add-index.sql',
  },
]

test.each(refusals)('refuses $case, and changes nothing', ({ migrations, says }) =>
  withDatabase('migrations_refused', async (url, client) => {
    await apply(url, SECOND)
    const last = { ...migrations, '0003-add-link.sql': 'alter table notes add link text;' }
    await expect(apply(url, { ...SECOND, migrations: last })).rejects.toThrow(says)
    expect(await columnsOf(client)).toEqual(['id', 'title', 'stars'])
    expect(await recordsOf(client)).toEqual(SECOND_APPLIED)
  }),
)

test('other comments, line ends and indentation are not a change', () =>
  withDatabase('migrations_comments', async (url) => {
    await apply(url, SECOND)
    const reworded = (sql: string) =>
      `-- Reworded.\r\n  ${sql.replaceAll('\n', '\r\n')}  -- why\r\n`
    const migrations = { ...SECOND.migrations, '0001-add-title.sql': reworded(ADD_TITLE) }
    expect(await apply(url, { schema: reworded(SECOND.schema), migrations })).toEqual([])
  }))

test('`-- no transaction` runs what a transaction refuses, also when runs are concurrent', () =>
  withDatabase('migrations_no_transaction', async (url, client) => {
    await apply(url, FIRST)
    const index = 'create index concurrently notes_id_idx on notes (id);'
    const schema = `${FIRST.schema} create index notes_id_idx on notes (id);`
    await expect(apply(url, { schema, migrations: { '0001-index.sql': index } })).rejects.toThrow(
      'CREATE INDEX CONCURRENTLY cannot run inside a transaction block',
    )
    const folder = await folderOf({
      schema,
      migrations: { '0001-index.sql': `-- no transaction\n${index}` },
    })
    const runs = await Promise.all(Array.from({ length: 4 }, () => applySchema(url, folder)))
    expect(runs.flat()).toEqual(['0001-index.sql'])
    const { rows } = await client.query(
      "select indisvalid from pg_index where indexrelid = 'notes_id_idx'::regclass",
    )
    expect(rows).toEqual([{ indisvalid: true }])
  }))

describe('functions, triggers and views', () => {
  const title = (value: string) => `
    -- What a note is called; it's ${value}.
    create or replace function title() returns text language sql as $$ select '${value}; or so' $$;
    create or replace view titles as select title() as title;`
  const release = (value: string, columns = 'id int') => ({
    schema: schemaOf(columns) + title(value),
  })
  const titles = async (client: pg.Client) =>
    (await client.query<{ title: string }>('select title from titles')).rows.map((row) => row.title)

  test('are applied anew where one has changed, and their comments are not a change', () =>
    withDatabase('functions_changed', async (url, client) => {
      expect(await apply(url, release('first'))).toEqual(['schema.sql'])
      expect(await apply(url, release('second'))).toEqual([FUNCTIONS])
      expect(await titles(client)).toEqual(['second; or so'])
      const reworded = { schema: release('second').schema.replace('called', 'named') }
      expect(await apply(url, reworded)).toEqual([])
    }))

  test('are applied after the migrations that they need', () =>
    withDatabase('functions_after', async (url, client) => {
      await apply(url, release('first'))
      const next = release('second', 'id int, title text')
      await expect(apply(url, next)).rejects.toThrow(SchemaMismatch)
      expect(await titles(client)).toEqual(['first; or so'])
      const migrations = { '0001-add-title.sql': ADD_TITLE }
      expect(await apply(url, { ...next, migrations })).toEqual(['0001-add-title.sql', FUNCTIONS])
      expect(await titles(client)).toEqual(['second; or so'])
      expect(await apply(url, { ...next, migrations })).toEqual([])
    }))

  test('are there again after a migration that dropped them', () =>
    withDatabase('functions_dropped', async (url, client) => {
      await apply(url, release('first'))
      const migrations = {
        '0001-retitle.sql': 'drop view titles; alter table notes add title text;',
      }
      const next = { ...release('first', 'id int, title text'), migrations }
      expect(await apply(url, next)).toEqual(['0001-retitle.sql', FUNCTIONS])
      expect(await titles(client)).toEqual(['first; or so'])
      expect(await apply(url, next)).toEqual([])
    }))

  test('stay as they were if one of them fails', () =>
    withDatabase('functions_fail', async (url, client) => {
      await apply(url, release('first'))
      const schema = `${release('second').schema} create or replace view notes_view as select nonsense from notes;`
      await expect(apply(url, { schema })).rejects.toThrow(
        /^functions of schema\.sql failed, .*"nonsense"/,
      )
      expect(await titles(client)).toEqual(['first; or so'])
    }))
})

test('schema.sql may include files, which include others', () =>
  withDatabase('schema_includes', async (url, client) => {
    const folder = await folderOf({ schema: `${schemaOf('id int')}\n\\ir schema/first.sql\n` })
    await mkdir(join(folder, 'schema'))
    await writeFile(
      join(folder, 'schema/first.sql'),
      'alter table notes add title text;\n\\ir second.sql',
    )
    await writeFile(join(folder, 'schema/second.sql'), 'alter table notes add stars int;')
    expect(await applySchema(url, folder)).toEqual(['schema.sql'])
    expect(await columnsOf(client)).toEqual(['id', 'title', 'stars'])
  }))

test('refuses a database of another schema.sql to which no migration leads', () =>
  withDatabase('migrations_other_schema', async (url, client) => {
    await apply(url, FIRST)
    const edited = { schema: schemaOf('id int, title text') }
    await expect(apply(url, edited)).rejects.toThrow(SchemaMismatch)
    await expect(apply(url, edited)).rejects.toThrow(
      'created by another version of schema.sql, and no migration leads to this one',
    )
    expect(await columnsOf(client)).toEqual(['id'])
  }))

test('refuses a database with tables and no record of what made them', () =>
  withDatabase('migrations_no_record', async (url, client) => {
    await client.query('create table notes (id int)')
    await expect(apply(url, SECOND)).rejects.toThrow(SchemaMismatch)
    expect(await columnsOf(client)).toEqual(['id'])
  }))
