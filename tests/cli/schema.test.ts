import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { applySchema } from '../../cli/schema.ts'
import { seeder } from '../../dev/demo/seed.ts'

const server = inject('database')
let admin: pg.Client
beforeAll(async () => {
  admin = new pg.Client({ connectionString: server.DATABASE_URL })
  await admin.connect()
})
afterAll(() => admin.end())

/** Runs something against an empty database of its own. */
const withDatabase = async <T>(
  name: string,
  use: (url: string, client: pg.Client) => Promise<T>,
): Promise<T> => {
  await admin.query(`create database ${name}`)
  const url = new URL(server.DATABASE_URL)
  url.pathname = `/${name}`
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  try {
    return await use(url.href, client)
  } finally {
    await client.end()
    await admin.query(`drop database ${name} with (force)`)
  }
}

/** Everything that a schema consists of, as sorted lines; the order of columns doesn't matter. */
const describeSchema = async (client: pg.Client): Promise<string[]> => {
  const { rows } = await client.query<{ line: string }>(`
    select concat_ws(' ', table_schema, table_name, column_name, data_type, is_nullable, column_default) as line
    from information_schema.columns where table_schema in ('public', 'auth')
    union all
    select concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid))
    from pg_constraint where connamespace in (select oid from pg_namespace where nspname in ('public', 'auth'))
    union all
    select indexdef from pg_indexes where schemaname in ('public', 'auth')
    union all
    select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
    order by 1`)
  return rows.map(({ line }) => line)
}

const fresh = () =>
  withDatabase('schema_fresh', async (url, client) => {
    await applySchema(url)
    return describeSchema(client)
  })

test('applied twice, schema.sql changes nothing', async () => {
  const [once, twice] = await withDatabase('schema_twice', async (url, client) => {
    await applySchema(url)
    const before = await describeSchema(client)
    await applySchema(url)
    return [before, await describeSchema(client)]
  })
  expect(twice).toEqual(once)
})

/** A partner with a customer, who has bought something, and whom an import has moved since where there were imports. */
const OLD_ROWS = `
  insert into workspaces (id, slug, name) values (gen_random_uuid(), 'acme', 'Acme');
  insert into rewards (id, workspace_id, kind, basis_points) select gen_random_uuid(), id, 'percent', 2000 from workspaces;
  insert into programs (id, workspace_id, name, site_url, reward_id, reward_interval)
    select gen_random_uuid(), workspace_id, 'A program', 'https://shop.example', id, 'recurring' from rewards;
  insert into partners (id, workspace_id, program_id, email, slug, slug_key)
    select gen_random_uuid(), workspace_id, id, 'maya@partner.example', 'maya', 'maya' from programs;
  insert into customers (id, workspace_id, external_id, partner_id, created_at)
    select gen_random_uuid(), workspace_id, 'user_1', id, '2026-01-01T00:00:00Z' from partners;
  insert into events (id, workspace_id, kind, external_id, event_name, customer_external_id, customer_id,
                      partner_id, attributed_by, amount_cents, currency, body_hash, steps, occurred_at)
    select gen_random_uuid(), workspace_id, 'sale', 'inv_1', 'sale', 'user_1', id, partner_id, 'customer', 100,
           'USD', '', '[]', now() from customers;
  insert into commissions (id, workspace_id, program_id, partner_id, customer_id, event_id, reward_id, kind,
                           amount_cents, currency, one_time, payable_at, created_at)
    select gen_random_uuid(), e.workspace_id, p.id, e.partner_id, e.customer_id, e.id, p.reward_id, 'sale', 20,
           'USD', false, now(), now() from events e, programs p;
`

const upgrades = [
  { from: 'imports', rows: OLD_ROWS, referrals: [['user_1', '2026-01-01T00:00:00.000Z']] },
  {
    from: 'stripe',
    rows: `${OLD_ROWS}
      insert into customers (id, workspace_id, external_id, partner_id, created_at, imported_at)
        select gen_random_uuid(), workspace_id, 'cus_1', id, '2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z' from partners;
      insert into commissions (id, workspace_id, program_id, partner_id, kind, amount_cents, currency, one_time,
                               payable_at, created_at)
        select gen_random_uuid(), workspace_id, program_id, id, 'opening_balance', 500, 'USD', false, now(), now()
        from partners`,
    referrals: [
      ['cus_1', '2026-02-01T00:00:00.000Z'],
      ['user_1', '2026-01-01T00:00:00.000Z'],
    ],
    balance: '500',
  },
  {
    from: 'payouts',
    rows: `${OLD_ROWS}
      insert into referrals (workspace_id, customer_id, partner_id, referred_at)
        select workspace_id, id, partner_id, created_at from customers;
      insert into mails (id, workspace_id, kind, recipient, partner_id, details, created_at, next_attempt_at)
        select gen_random_uuid(), workspace_id, 'moved', email, id, '{}', now(), now() from partners`,
    referrals: [['user_1', '2026-01-01T00:00:00.000Z']],
  },
]

test.each(upgrades)(
  'a database from before $from becomes the same as a new one, and keeps its rows',
  async ({ from, rows, referrals, balance }) => {
    const old = await readFile(new URL(`../fixtures/schema-before-${from}.sql`, import.meta.url), 'utf8')
    const upgraded = await withDatabase(`schema_before_${from}`, async (url, client) => {
      await client.query(old)
      await client.query(rows)
      await applySchema(url)
      const commissions = await client.query(
        `select kind, amount_cents, event_id is not null as event, reverses_id, replaces_id from commissions
         order by kind desc`,
      )
      const kept = { reverses_id: null, replaces_id: null }
      expect(commissions.rows).toEqual([
        { kind: 'sale', amount_cents: '20', event: true, ...kept },
        ...(balance ? [{ kind: 'opening_balance', amount_cents: balance, event: false, ...kept }] : []),
      ])
      // Whose a customer was before is not known: it counts as the present partner's since it was, or was imported.
      const referred = await client.query<{ customer: string; referred_at: Date; same: boolean }>(
        `select c.external_id as customer, r.referred_at, r.partner_id = c.partner_id as same
         from referrals r join customers c on c.id = r.customer_id order by 1`,
      )
      expect(referred.rows).toEqual(
        referrals.map(([customer, at = '']) => ({ customer, referred_at: new Date(at), same: true })),
      )
      return describeSchema(client)
    })
    expect(upgraded).toEqual(await fresh())
  },
)

test('a commission names its event, customer and reward, and an opening balance none of them', async () => {
  const seed = seeder(server)
  const { id: workspaceId } = await seed.addWorkspace()
  const programId = await seed.addProgram(workspaceId)
  const partnerId = await seed.addPartner(workspaceId, programId, { slug: 'maya' })
  const insert = (kind: string, partner = partnerId) =>
    admin.query(
      `insert into commissions (id, workspace_id, program_id, partner_id, kind, amount_cents, currency, one_time, payable_at, created_at)
       values (gen_random_uuid(), $1, $2, $3, $4, 100, 'USD', false, now(), now())`,
      [workspaceId, programId, partner, kind],
    )
  await expect(insert('sale')).rejects.toThrow('commissions_event_check')
  await insert('opening_balance')
  await expect(insert('opening_balance')).rejects.toThrow('commissions_opening_balance_key')
})
