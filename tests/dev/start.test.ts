import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { ROOT } from '../../dev/root.ts'
import { startPostgres } from '../../dev/runtime/postgres.ts'
import { childrenNamed } from '../../dev/runtime/watchdog.ts'
import { send } from '../support/merchant.ts'
import { sharedSystem } from '../support/shared-system.ts'
import { type System, startSystem } from '../support/system.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(await realpath(tmpdir()), 'tributary-start-'))
  await chmod(folder, 0o755)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Runs `npm start`'s program until it exits. */
const runToEnd = async (env: Record<string, string>, options: { uid?: number } = {}) => {
  const child = spawn(process.execPath, ['dev/start.ts'], {
    cwd: ROOT,
    env: { ...process.env, DATABASE_URL: '', PORT: '0', SHOP_PORT: '0', ...env },
    ...options,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
  const [code] = await once(child, 'exit')
  return { code, output }
}

/** Whether a process runs. Zombies don't count. */
const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
}

describe('npm start', () => {
  /** Each start takes seconds, so the tests share a system, which runs on the data of an earlier run. */
  let system: System
  let before: System['demo']
  let DATA_DIR: string
  beforeAll(async () => {
    DATA_DIR = join(folder, 'kept')
    const first = await startSystem({ DATA_DIR })
    before = first.demo
    const sale = { externalId: 'kept', customerExternalId: 'user', amountCents: 100 }
    const headers = { Authorization: `Bearer ${before.apiKey}` }
    await send(`${before.baseUrl}/api/track/sale`, { body: sale, headers })
    expect(await first.stop()).toBe(0)
    await expect(readFile(join(DATA_DIR, 'demo.json'))).rejects.toThrow('ENOENT')
    system = await startSystem({ DATA_DIR })
  })
  afterAll(() => system?.stop())

  test('keeps its data between runs, and the API key in demo.json stays valid', async () => {
    const { demo } = system
    expect(demo).toMatchObject({
      apiKey: before.apiKey,
      programId: before.programId,
      partnerSlug: 'maya',
    })
    const { body } = await send(`${demo.baseUrl}/api/workspaces/${demo.workspace}/events`, {
      headers: { Authorization: `Bearer ${before.apiKey}` },
    })
    expect(body).toMatchObject({ data: [{ externalId: 'kept' }] })

    const log = await readFile(join(DATA_DIR, 'workers.log'), 'utf8')
    const sales = log.split('\n').filter((line) => line.includes('"route":"/api/track/sale"'))
    expect(JSON.parse(sales[0] ?? '')).toMatchObject({ status: 200 })
  })

  test('uses the Postgres of DATABASE_URL, and starts none of its own', async () => {
    const { demo, pid } = await sharedSystem()
    expect(new URL(demo.databaseUrl).host).toBe(new URL(inject('database').DATABASE_URL).host)
    expect(childrenNamed('workerd', pid)).toHaveLength(1)
    expect(childrenNamed('postgres', pid)).toEqual([])
  })

  test('refuses a second start with the same folder, and keeps demo.json', async () => {
    const { code, output } = await runToEnd({ DATA_DIR })
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining('is in use by process') })
    expect(JSON.parse(await readFile(join(DATA_DIR, 'demo.json'), 'utf8'))).toEqual(system.demo)
  })

  test('refuses a request target that is no path, and keeps running', async () => {
    const { baseUrl } = system.demo
    const { hostname, port } = new URL(baseUrl)
    for (const line of ['OPTIONS * HTTP/1.1', 'GET http://elsewhere.example/ HTTP/1.1']) {
      const socket = connect(Number(port), hostname)
      socket.write(`${line}\r\nHost: ${hostname}\r\nConnection: close\r\n\r\n`)
      const [head] = await once(socket.setEncoding('utf8'), 'data')
      expect(head).toMatch(/^HTTP\/1\.1 400 /)
      socket.destroy()
    }
    expect((await fetch(`${baseUrl}/openapi.json`)).status).toBe(200)
  })

  test('has a database that npm run db:apply finds up to date; db:apply requires DATABASE_URL', () => {
    const { databaseUrl } = system.demo
    const apply = (env: Record<string, string>) =>
      execFileSync(process.execPath, ['cli/db-apply.ts'], {
        cwd: ROOT,
        env: { ...process.env, ...env },
        stdio: 'pipe',
      }).toString()
    expect(apply({ DATABASE_URL: databaseUrl })).toContain('is up to date')
    expect(apply({ DATABASE_URL: databaseUrl })).toContain('is up to date')
    expect(() => apply({ DATABASE_URL: '' })).toThrow(/Set the database/)
    expect(() => apply({ DATABASE_URL: databaseUrl.replace(/:[^:@]+@/, ':wrong@') })).toThrow(
      /The database is not up to date. Cannot connect to the database of DATABASE_URL/,
    )
  })

  test('leaves no process running, even when it is killed', async () => {
    const pids = ['postgres', 'workerd'].flatMap((name) => childrenNamed(name, system.pid))
    expect(pids.length).toBeGreaterThanOrEqual(2)
    process.kill(system.pid, 'SIGKILL')
    // Postgres flushes its memory to disk before it ends, which takes time on a slow disk.
    await vi.waitFor(() => expect(pids.filter(isRunning)).toEqual([]), { timeout: 45_000 })
  })
})

describe('npm start fails with a clear message', () => {
  test.each(['PORT', 'SHOP_PORT'])(
    'when the port of %s is taken, and how to choose another',
    async (variable) => {
      const other = createServer().listen(0, '127.0.0.1')
      await once(other, 'listening')
      const { port } = other.address() as { port: number }
      const { code, output } = await runToEnd({ [variable]: String(port), DATA_DIR: join(folder, 'taken') })
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
      ['postgres://u:p@127.0.0.1:1/x', 'Cannot connect to the database of DATABASE_URL at 127.0.0.1:1'],
    ] as const) {
      const { code, output } = await runToEnd({ DATABASE_URL, DATA_DIR: join(folder, 'no-database') })
      expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining(says) })
    }
  })

  test('when another version of schema.sql made the local database, and how to start again', async () => {
    const DATA_DIR = join(folder, 'older')
    await mkdir(DATA_DIR, { mode: 0o755 })
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
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining('PORT=http is not a port') })
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
