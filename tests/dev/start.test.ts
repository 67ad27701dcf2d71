// @module-tag thorough
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { mailsTo } from '../../dev/demo/sign-in.ts'
import { ROOT } from '../../dev/root.ts'
import { childrenNamed } from '../../dev/runtime/watchdog.ts'
import { openPool } from '../support/databases.ts'
import { send } from '../support/merchant.ts'
import { reportSales } from '../support/reporters.ts'
import { sharedSystem } from '../support/shared-system.ts'
import { runToEnd, type System, startSystem } from '../support/system.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(inject('folder'), 'start-'))
  await chmod(folder, 0o755)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Whether a process runs. Zombies don't count. */
const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
}

/** Kills the system's Postgres or workerd, as a crash would. */
const kill = ({ pid }: Pick<System, 'pid'>, name: 'postgres' | 'workerd'): void => {
  for (const child of childrenNamed(name, pid)) process.kill(child, 'SIGKILL')
}

describe('npm start', () => {
  /**
   * Each start takes seconds, so the tests share a system, which runs on the data of an earlier
   * run.
   */
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
    // Ctrl-C while Postgres is starting again.
    kill(first, 'postgres')
    expect(await first.stop()).toBe(0)
    expect(first.output()).not.toMatch(/did not stop|Error/)
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
    expect({ code, output }).toEqual({
      code: 1,
      output: expect.stringContaining('is in use by process'),
    })
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

  test.each([
    {
      name: 'postgres',
      says: /^Postgres ended with SIGKILL\. It runs again after [\d.]+ s\. See .+postgres\.log\.$/m,
    },
    { name: 'workerd', says: /^workerd ended by itself\. It runs again\.$/m },
  ] as const)(
    'starts a killed $name again under load: every answered sale is there',
    async ({ name, says }) => {
      const { demo, output } = system
      const reports = reportSales(demo, name)
      await reports.untilSaved(20)
      kill(system, name)
      await vi.waitFor(() => expect(output()).toMatch(says), { timeout: 60_000 })
      await reports.untilSaved(20)
      const { saved, statuses, slowestMs } = await reports.stop()

      // A Worker may outwait a quick restart.
      expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([])
      // Three attempts in nine seconds, and what a busy machine adds.
      expect(slowestMs).toBeLessThan(20_000)
      const pool = openPool(demo.databaseUrl)
      const rows = await pool.query<{ id: string }>(
        'select external_id as id from events where external_id like $1',
        [`${name}-%`],
      )
      await pool.end()
      const kept = new Set(rows.map(({ id }) => id))
      expect(saved.filter((id) => !kept.has(id))).toEqual([])

      expect(JSON.parse(await readFile(join(DATA_DIR, 'demo.json'), 'utf8'))).toEqual(demo)
      // The scheduled jobs go on: one of them sends the invitation.
      const email = `${name}@pine-notes.example`
      const invited = await send(`${demo.baseUrl}/api/workspaces/${demo.workspace}/members`, {
        body: { email, role: 'member' },
        headers: { Cookie: demo.managerCookie },
      })
      expect(invited.status).toBe(201)
      const inboxUrl = `${demo.baseUrl}/dev/mail`
      await vi.waitFor(async () => expect(await mailsTo(email, inboxUrl)).toHaveLength(1), {
        timeout: 60_000,
      })
    },
  )

  test('leaves no process running, even when it is killed', async () => {
    const pids = ['postgres', 'workerd'].flatMap((name) => childrenNamed(name, system.pid))
    expect(pids.length).toBeGreaterThanOrEqual(2)
    process.kill(system.pid, 'SIGKILL')
    // Postgres flushes its memory to disk before it ends, which takes time on a slow disk.
    await vi.waitFor(() => expect(pids.filter(isRunning)).toEqual([]), { timeout: 60_000 })
  })
})
