import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { applySchema } from '../../cli/schema.ts'
import { seeder } from '../../dev/demo/seed.ts'
import { withDatabase } from '../support/databases.ts'

const server = inject('database')
let admin: pg.Client
beforeAll(async () => {
  admin = new pg.Client({ connectionString: server.DATABASE_URL })
  await admin.connect()
})
afterAll(() => admin.end())

/** Everything that a schema consists of, as sorted lines; the order of columns doesn't matter. */
const describeSchema = async (client: pg.Client): Promise<string[]> => {
  const { rows } = await client.query<{ line: string }>(`
    select concat_ws(' ', table_schema, table_name, column_name, data_type, is_nullable, column_default) as line
    from information_schema.columns where table_schema in ('public', 'sign_in')
    union all
    select concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid))
    from pg_constraint where connamespace in (select oid from pg_namespace where nspname in ('public', 'sign_in'))
    union all
    select indexdef from pg_indexes where schemaname in ('public', 'sign_in')
    union all
    select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
    order by 1`)
  return rows.map(({ line }) => line)
}

test('applied twice, schema.sql changes nothing', async () => {
  const [once, twice] = await withDatabase('schema_twice', async (url, client) => {
    await applySchema(url)
    const before = await describeSchema(client)
    await applySchema(url)
    return [before, await describeSchema(client)]
  })
  expect(twice).toEqual(once)
})

test('the functions, triggers and views of schema.sql replace those of an existing database', async () => {
  await withDatabase('schema_functions', async (url, client) => {
    await applySchema(url)
    const before = await describeSchema(client)
    await client.query(
      'create or replace function utc_day(at timestamptz) returns date language sql as $$ select null::date $$',
    )
    await client.query(
      `update schema_migrations set checksum = repeat('0', 64) where name like 'functions%'`,
    )
    expect(await applySchema(url)).toEqual(['functions of schema.sql'])
    const { rows } = await client.query(`select utc_day('2026-11-28 12:00+00')::text as day`)
    expect(rows).toEqual([{ day: '2026-11-28' }])
    expect(await describeSchema(client)).toEqual(before)
  })
})

test('schema.sql applies beside the schema that Neon’s extension for JWTs makes', async () => {
  await withDatabase('schema_beside', async (url, client) => {
    await client.query('create schema auth; create table auth.users (id text)')
    await applySchema(url)
    expect((await client.query('select id from auth.users')).rows).toEqual([])
  })
})

test('a commission names its event, customer and reward, and an opening balance none of them', async () => {
  const seed = seeder(server)
  const { id: workspaceId } = await seed.addWorkspace()
  const programId = await seed.addProgram(workspaceId)
  const partnerId = await seed.addPartner(workspaceId, programId, { slug: 'maya' })
  const insert = (kind: string, partner = partnerId) =>
    admin.query(
      `insert into commissions (id, workspace_id, program_id, partner_id, kind, amount_cents, currency, payable_at, created_at)
       values (gen_random_uuid(), $1, $2, $3, $4, 100, 'USD', now(), now())`,
      [workspaceId, programId, partner, kind],
    )
  await expect(insert('sale')).rejects.toThrow('commissions_kind_check')
  await insert('opening_balance')
  await expect(insert('opening_balance')).rejects.toThrow('commissions_opening_balance_key')
})
