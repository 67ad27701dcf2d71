/**
 * The erasure of a workspace whose deletion is due: everything goes, in batches, and nothing else;
 * what the law wants kept stays.
 */
import type pg from 'pg'
import { expect, test } from 'vitest'
import { startSqlEndpoint } from '../../dev/runtime/sql-endpoint.ts'
import { connect } from '../../lib/db/connection.ts'
import {
  createWorkspace,
  mayCreateWorkspace,
} from '../../lib/tenancy/workspaces/workspaces.queries.ts'
import { TEMPLATE, withDatabase } from '../support/databases.ts'
import { addRows, idOf } from '../support/many-rows.ts'

const ROWS = 40
const WORKSPACE = idOf('workspace', 1)
const BATCH = 25

const inOwnDatabase = (name: string, work: (client: pg.Client, url: string) => Promise<void>) =>
  withDatabase(name, async (url, client) => work(client, url), TEMPLATE)

/** @returns counts how many rows of each table are the workspace's, and how many are not */
const rowCounter = async (client: pg.Client) => {
  const { rows: tables } = await client.query<{ name: string }>(
    `select table_name as name from information_schema.columns
     where table_schema = 'public' and column_name = 'workspace_id' and table_name not in ('kept_documents')
       and table_name in (select relname from pg_class where relkind = 'r')`,
  )
  const counts = tables.map(
    ({ name }) =>
      `select '${name}', count(*) filter (where workspace_id = $1), count(*) filter (where workspace_id <> $1) from ${name}`,
  )
  const text = `select * from (${counts.join(' union all ')}) t (name, own, others)`
  return async (): Promise<Record<string, [own: number, others: number]>> => {
    const { rows } = await client.query<{ name: string; own: string; others: string }>({
      ...{ name: 'counts', text, values: [WORKSPACE] },
    })
    return Object.fromEntries(
      rows.map(({ name, own, others }) => [name, [Number(own), Number(others)]]),
    )
  }
}

const ownOf = (counts: Record<string, [own: number, others: number]>): number =>
  Object.values(counts).reduce((sum, [own]) => sum + own, 0)

const erase = async (client: pg.Client, most: number): Promise<number> =>
  (await client.query<{ erased: number }>('select erase_workspaces(now(), $1) as erased', [most]))
    .rows[0]?.erased ?? 0

const makeDue = (client: pg.Client, set = '') =>
  client.query(
    `update workspaces set deletes_at = now() - interval '1 minute', deletion_by = 'ada@shop.example'${set} where id = $1`,
    [WORKSPACE],
  )

test('every table loses the rows of the workspace, a batch at a time, and no other workspace loses any', async () => {
  await inOwnDatabase('erase_all', async (client, url) => {
    await addRows(url, 1, ROWS)
    // many-rows.ts has some that refer to nothing.
    await client.query(
      'delete from commission_holds where commission_id not in (select id from commissions)',
    )
    await client.query('delete from invoices where payout_id not in (select id from payouts)')
    const countRows = await rowCounter(client)
    const before = await countRows()
    // What many-rows.ts has in progress would call the deletion off.
    await makeDue(client, ', erasing_since = now()')
    const sizes: number[] = []
    const total = ownOf(before)
    let own = total
    for (let left = BATCH; left >= BATCH; ) {
      const was = own
      left = await erase(client, BATCH)
      own = ownOf(await countRows())
      sizes.push(was - own)
      if (sizes.length > total) throw new Error('The erasure does not end.')
    }
    // Holds, one-time rewards and notices go with what they are about, beyond the batch.
    expect(Math.max(...sizes)).toBeLessThanOrEqual(3 * BATCH)
    expect(sizes.length).toBeGreaterThan(10)
    const after = await countRows()
    expect(
      Object.fromEntries(
        Object.entries(after).map(([name, [own, others]]) => [name, [own, others]]),
      ),
    ).toEqual(
      Object.fromEntries(Object.entries(before).map(([name, [, others]]) => [name, [0, others]])),
    )
    const { rows: left } = await client.query('select id from workspaces where id = $1', [
      WORKSPACE,
    ])
    expect(left).toEqual([])
    expect((await client.query('select slug, deleted_by from deleted_workspaces')).rows).toEqual([
      { slug: 'shop-1', deleted_by: 'ada@shop.example' },
    ])
    const { rows: kept } = await client.query<{
      kind: string
      document: Record<string, unknown>
      days: number
    }>(
      `select kind, document, keep_until - issued_at::date as days from kept_documents order by kind desc`,
    )
    expect(kept.length).toBe((before.invoices?.[0] ?? 0) + (before.credit_notes?.[0] ?? 0))
    expect(kept[0]?.document).toMatchObject({
      number: expect.any(Number),
      currency: expect.any(String),
    })
    for (const { days } of kept) expect(days).toBeGreaterThan(3_650)
    expect(await erase(client, BATCH)).toBe(0)
  })
}, 120_000)

test('two runs at once do not disturb each other', async () => {
  await inOwnDatabase('erase_twice', async (client, url) => {
    await addRows(url, 1, 10)
    await makeDue(client, ', erasing_since = now()')
    const second = new (client.constructor as typeof pg.Client)({ connectionString: url })
    await second.connect()
    try {
      for (let calls = 0; calls < 200; calls++) {
        const [a, b] = await Promise.all([erase(client, 20), erase(second, 20)])
        if (a < 20 && b < 20) break
      }
      expect(
        (await client.query('select from workspaces where id = $1', [WORKSPACE])).rowCount,
      ).toBe(0)
    } finally {
      await second.end()
    }
  })
}, 120_000)

test('what is not due stays, whatever time a caller claims', async () => {
  await inOwnDatabase('erase_later', async (client, url) => {
    await addRows(url, 1, 5)
    await client.query(
      `update workspaces set deletes_at = now() + interval '1 day', deletion_by = 'ada@shop.example' where id = $1`,
      [WORKSPACE],
    )
    const { rows } = await client.query(`select erase_workspaces('2999-01-01', 100) as erased`)
    expect(rows).toEqual([{ erased: 0 }])
    await expect(client.query('delete from audit_entries')).rejects.toThrow(
      'never changed or deleted',
    )
  })
})

test('every table with rows of workspaces is erased: a new one has to be added', async () => {
  await inOwnDatabase('erase_names', async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select c.table_name as name from information_schema.columns c
       join pg_proc f on f.proname = 'erase_workspaces' and f.prosrc !~ ('\\m' || c.table_name || '\\M')
       where c.table_schema = 'public' and c.column_name = 'workspace_id'
         and c.table_name in (select relname from pg_class where relkind = 'r')`,
    )
    expect(rows).toEqual([])
  })
})

test('after the only workspace was deleted, sign-up stays closed, and an open one trusts nobody for being the first', async () => {
  await inOwnDatabase('erase_only', async (client, url) => {
    await client.query(
      `insert into workspaces (id, slug, name, deletes_at, deletion_by) values ($1, 'only', 'Only', now(), 'ada@shop.example')`,
      [WORKSPACE],
    )
    expect(await erase(client, 100)).toBe(1)
    const endpoint = await startSqlEndpoint({ databaseUrl: url })
    const db = connect({ DATABASE_URL: url, SQL_ENDPOINT: endpoint.url })
    const wanted = {
      name: 'Next',
      slug: 'next',
      mode: 'live',
      now: new Date(),
    } as const
    const owner = { email: 'ada@shop.example', isOpen: false, isOwner: true }
    const stranger = { email: 'eve@evil.example', isOpen: true, isOwner: false }
    try {
      expect(await mayCreateWorkspace(db, owner)).toBe(false)
      expect(await createWorkspace(db, { ...wanted, signup: owner })).toBe('not_allowed')
      const next = await createWorkspace(db, { ...wanted, signup: stranger })
      expect(next).toMatchObject({ slug: 'next' })
      expect((await client.query('select trusted_at from workspaces')).rows).toEqual([
        { trusted_at: null },
      ])
    } finally {
      await endpoint.stop()
    }
  })
})
