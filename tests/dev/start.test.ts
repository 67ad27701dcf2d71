import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { childrenNamed } from '../../dev/watchdog.ts'
import { ROOT } from '../../dev/workers.ts'
import { send } from '../support/merchant.ts'
import { startSystem } from '../support/system.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(await realpath(tmpdir()), 'tributary-start-'))
  await chmod(folder, 0o755)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Runs `npm start`'s program until it ends by itself. */
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

/** Whether a process runs; one that is dead and not yet buried doesn't. */
const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
}

describe('npm start', () => {
  test('keeps its data between runs, and the key in demo.json stays good', async () => {
    const DATA_DIR = join(folder, 'kept')
    const first = await startSystem({ DATA_DIR })
    const headers = { Authorization: `Bearer ${first.demo.apiKey}` }
    const sale = { externalId: 'kept', customerExternalId: 'user', amountCents: 100 }
    await send(`${first.demo.baseUrl}/api/track/sale`, { body: sale, headers })
    expect(await first.stop()).toBe(0)

    const second = await startSystem({ DATA_DIR })
    expect(second.demo).toMatchObject({
      apiKey: first.demo.apiKey,
      programId: first.demo.programId,
      partnerSlug: 'maya',
    })
    const { body } = await send(`${second.demo.baseUrl}/api/workspaces/${second.demo.workspace}/events`, {
      headers,
    })
    expect(body).toMatchObject({ data: [{ externalId: 'kept' }] })
    expect(await second.stop()).toBe(0)

    const log = await readFile(join(DATA_DIR, 'workers.log'), 'utf8')
    const sales = log.split('\n').filter((line) => line.includes('"route":"/api/track/sale"'))
    expect(JSON.parse(sales[0] ?? '')).toMatchObject({ status: 200 })
  })

  test('uses another Postgres when DATABASE_URL names one, and starts none of its own', async () => {
    const owner = await startSystem()
    const guest = await startSystem({ DATABASE_URL: owner.demo.databaseUrl, DATA_DIR: join(folder, 'guest') })
    expect(guest.demo.databaseUrl).toBe(owner.demo.databaseUrl)
    expect(guest.demo.programId).toBe(owner.demo.programId)
    expect(await guest.stop()).toBe(0)
    expect(await owner.stop()).toBe(0)
  })

  test.each(['PORT', 'SHOP_PORT'])(
    'says so when the port of %s is taken, and how to choose another',
    async (variable) => {
      const other = createServer().listen(0, '127.0.0.1')
      await once(other, 'listening')
      const { port } = other.address() as { port: number }
      const { code, output } = await runToEnd({ [variable]: String(port), DATA_DIR: join(folder, 'taken') })
      other.close()
      expect(code).toBe(1)
      expect(output).toContain(`Port ${port} is taken`)
      expect(output).toContain(`${variable}=`)
      expect(output).not.toMatch(/^ +at /m) // no stack: it is the user's business, not a bug
    },
  )

  test('leaves nothing running behind, even when it is killed', async () => {
    const system = await startSystem()
    const pids = ['postgres', 'workerd'].flatMap((name) => childrenNamed(name, system.pid))
    expect(pids.length).toBeGreaterThanOrEqual(2)
    process.kill(system.pid, 'SIGKILL')
    await system.stop()
    await vi.waitFor(() => expect(pids.filter(isRunning)).toEqual([]), { timeout: 15_000 })
  })

  test('says so when DATABASE_URL is no address of a Postgres, or nobody answers there', async () => {
    for (const [DATABASE_URL, says] of [
      ['nonsense', 'DATABASE_URL is not the address of a Postgres'],
      ['postgres://u:p@127.0.0.1:1/x', 'Cannot connect to the database of DATABASE_URL at 127.0.0.1:1'],
    ] as const) {
      const { code, output } = await runToEnd({ DATABASE_URL, DATA_DIR: join(folder, 'no-database') })
      expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining(says) })
    }
  })

  test('has demo.json there only while it runs, and a second start over the same folder leaves it alone', async () => {
    const DATA_DIR = join(folder, 'one-at-a-time')
    const { demo, stop } = await startSystem({ DATA_DIR })
    const { code, output } = await runToEnd({ DATA_DIR })
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining('is in use by process') })
    expect(JSON.parse(await readFile(join(DATA_DIR, 'demo.json'), 'utf8'))).toEqual(demo)
    expect(await stop()).toBe(0)
    await expect(readFile(join(DATA_DIR, 'demo.json'))).rejects.toThrow('ENOENT')
  })

  test('says so when a port is no port', async () => {
    const { code, output } = await runToEnd({ PORT: 'http' })
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining('PORT=http is not a port') })
  })

  test('says so when the data folder can’t be written to, and how to choose another', async () => {
    await writeFile(join(folder, 'a-file'), '')
    const cases = [{ DATA_DIR: join(folder, 'a-file', 'data') }]
    const locked = join(folder, 'locked')
    await mkdir(locked, { mode: 0o555 })
    // Root may write anywhere, so for root it is only the file in the way.
    if (process.getuid?.() !== 0) cases.push({ DATA_DIR: join(locked, 'data') })
    for (const env of cases) {
      const { code, output } = await runToEnd(env)
      expect(code).toBe(1)
      expect(output).toContain(`Cannot write to DATA_DIR ${env.DATA_DIR}`)
      expect(output).toContain('DATA_DIR=')
    }
  })
})

test('a request line that names no page is refused, and hurts nothing', async () => {
  const { demo, stop } = await startSystem()
  const { hostname, port } = new URL(demo.baseUrl)
  for (const line of ['OPTIONS * HTTP/1.1', 'GET http://elsewhere.example/ HTTP/1.1']) {
    const socket = connect(Number(port), hostname)
    socket.write(`${line}\r\nHost: ${hostname}\r\nConnection: close\r\n\r\n`)
    const [head] = await once(socket.setEncoding('utf8'), 'data')
    expect(head).toMatch(/^HTTP\/1\.1 400 /)
    socket.destroy()
  }
  expect((await fetch(`${demo.baseUrl}/openapi.json`)).status).toBe(200)
  expect(await stop()).toBe(0)
})

describe('npm run db:apply', () => {
  test('applies schema.sql to any database, twice without harm, and refuses to guess which', async () => {
    const { demo, stop } = await startSystem()
    const apply = (env: Record<string, string>) =>
      execFileSync(process.execPath, ['dev/db-apply.ts'], {
        cwd: ROOT,
        env: { ...process.env, ...env },
        stdio: 'pipe',
      }).toString()
    expect(apply({ DATABASE_URL: demo.databaseUrl })).toContain('is applied')
    expect(apply({ DATABASE_URL: demo.databaseUrl })).toContain('is applied')
    expect(() => apply({ DATABASE_URL: '' })).toThrow(/Say which database/)
    expect(() => apply({ DATABASE_URL: demo.databaseUrl.replace(/:[^:@]+@/, ':wrong@') })).toThrow(
      /nothing was changed. Cannot connect to the database of DATABASE_URL/,
    )
    await stop()
  })
})
