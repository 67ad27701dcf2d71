// @module-tag thorough
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { startPostgres } from '../../dev/runtime/postgres.ts'
import { copyCluster } from '../support/clusters.ts'
import { runToEnd } from '../support/system.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(inject('folder'), 'start-'))
  await chmod(folder, 0o755)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('npm start fails with a clear message', () => {
  test.each(['PORT', 'SHOP_PORT'])(
    'when the port of %s is taken, and how to choose another',
    async (variable) => {
      const other = createServer().listen(0, '127.0.0.1')
      await once(other, 'listening')
      const { port } = other.address() as { port: number }
      const { code, output } = await runToEnd({
        [variable]: String(port),
        DATA_DIR: join(folder, 'taken'),
      })
      other.close()
      expect(code).toBe(1)
      expect(output).toContain(`Port ${port} is in use`)
      expect(output).toContain(`${variable}=`)
      expect(output).not.toMatch(/^ +at /m) // no stack: a user's error, not a bug
    },
  )

  test('when DATABASE_URL is no Postgres URL, or the server is unreachable', async () => {
    for (const [DATABASE_URL, says] of [
      ['nonsense', 'DATABASE_URL is not a Postgres address'],
      [
        'postgres://u:p@127.0.0.1:1/x',
        'Cannot connect to the database of DATABASE_URL at 127.0.0.1:1',
      ],
    ] as const) {
      const { code, output } = await runToEnd({
        DATABASE_URL,
        DATA_DIR: join(folder, 'no-database'),
      })
      expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining(says) })
    }
  })

  test('when DATABASE_URL is on another machine and nobody confirms it, before anything is read there', async () => {
    const DATABASE_URL = 'postgres://u:p@db.example:5432/x'
    const { code, output } = await runToEnd({ DATABASE_URL, DATA_DIR: join(folder, 'remote') })
    expect(code).toBe(1)
    expect(output).toContain('Mails that wait there would go to the dev inbox instead of people')
    expect(output).toContain(
      'Set REMOTE_DATABASE=db.example to use this database, or unset DATABASE_URL.',
    )

    const confirmed = await runToEnd({
      DATABASE_URL,
      REMOTE_DATABASE: 'db.example',
      DATA_DIR: join(folder, 'remote'),
    })
    expect(confirmed.output).toContain(
      'Cannot connect to the database of DATABASE_URL at db.example:5432',
    )
  })

  test('when another version of schema.sql made the local database, and how to start again', async () => {
    const DATA_DIR = join(folder, 'older')
    await mkdir(DATA_DIR, { mode: 0o755 })
    copyCluster(DATA_DIR)
    const postgres = await startPostgres({ dataDir: DATA_DIR, durable: false })
    const client = new pg.Client({ connectionString: postgres.databaseUrl })
    await client.connect()
    await client.query('create table workspaces (id uuid primary key)')
    await client.end()
    await postgres.stop()

    const { code, output } = await runToEnd({ DATA_DIR })
    expect(code).toBe(1)
    expect(output).toContain(
      `The local database was made by another version of schema.sql. Delete it with \`rm -rf ${DATA_DIR}\` and start again.`,
    )
    expect(output).not.toMatch(/^ +at /m)
  })

  test('when a port is invalid', async () => {
    const { code, output } = await runToEnd({ PORT: 'http' })
    expect({ code, output }).toEqual({
      code: 1,
      output: expect.stringContaining('PORT=http is not a port'),
    })
  })

  test('when the data folder can’t be written to, and how to choose another', async () => {
    await writeFile(join(folder, 'a-file'), '')
    const cases = [{ DATA_DIR: join(folder, 'a-file', 'data') }]
    const locked = join(folder, 'locked')
    await mkdir(locked, { mode: 0o555 })
    // Root can write to any folder, so for root the obstacle is a file.
    if (process.getuid?.() !== 0) cases.push({ DATA_DIR: join(locked, 'data') })
    for (const env of cases) {
      const { code, output } = await runToEnd(env)
      expect(code).toBe(1)
      expect(output).toContain(`Cannot write to DATA_DIR ${env.DATA_DIR}`)
      expect(output).toContain('DATA_DIR=')
    }
  })
})
