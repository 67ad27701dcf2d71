// @module-tag thorough
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, expect, inject, test } from 'vitest'
import { type Postgres, startPostgres } from '../../../dev/runtime/postgres.ts'
import { copyCluster } from '../../support/clusters.ts'

const asRoot = process.getuid?.() === 0
const started: Postgres[] = []
const folders: string[] = []
const children: { child: ChildProcess; dataDir: string }[] = []

afterEach(async () => {
  for (const { child } of children) child.kill('SIGKILL')
  for (const postgres of started.splice(0)) {
    await postgres.stop()
    folders.push(postgres.clusterDir)
  }
  for (const { dataDir } of children.splice(0)) await untilEnded(dataDir)
  for (const folder of folders.splice(0)) fs.rmSync(folder, { recursive: true, force: true })
})

/** A folder that a root user's Postgres can enter, so that the cluster is inside it. */
const openFolder = (): string => {
  const folder = privateFolder()
  fs.chmodSync(folder, 0o755)
  return folder
}

/** The same after a first start, without its initdb. */
const usedFolder = (): string => {
  const folder = openFolder()
  copyCluster(folder)
  return folder
}

const privateFolder = (): string => {
  const folder = fs.mkdtempSync(join(inject('folder'), 'postgres-'))
  folders.push(folder)
  return folder
}

const start = async (
  dataDir: string,
  { onLog = () => {}, durable = false }: { onLog?: (line: string) => void; durable?: boolean } = {},
): Promise<Postgres> => {
  const postgres = await startPostgres({ dataDir, durable, onLog })
  started.push(postgres)
  return postgres
}

const query = async (
  { databaseUrl }: { databaseUrl: string },
  text: string,
): Promise<unknown[]> => {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

/** Starts Postgres from another Node process, as `npm start` does, and waits until it is ready. */
const startInChild = async (
  dataDir: string,
  andThen = '',
): Promise<{ child: ChildProcess; databaseUrl: string }> => {
  const module = new URL('../../../dev/runtime/postgres.ts', import.meta.url).href
  const script = `
    const { startPostgres } = await import(${JSON.stringify(module)})
    const postgres = await startPostgres({ dataDir: ${JSON.stringify(dataDir)}, durable: true })
    console.log(postgres.databaseUrl)
    ${andThen}`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push({ child, dataDir })
  const [url] = await once(child.stdout, 'data')
  return { child, databaseUrl: `${url}`.trim() }
}

/** Waits until a server of another process has ended. */
const untilEnded = (dataDir: string) =>
  expect
    .poll(() => fs.existsSync(join(dataDir, 'postgres', 'postmaster.pid')), { timeout: 60_000 })
    .toBe(false)

const pidOf = (clusterDir: string): number =>
  Number.parseInt(fs.readFileSync(join(clusterDir, 'postmaster.pid'), 'utf8'), 10)

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('the first start creates a database in UTF-8 and UTC that only this machine can reach', async () => {
  const dataDir = openFolder()
  const postgres = await start(dataDir)

  expect(postgres.clusterDir).toBe(join(dataDir, 'postgres'))
  expect(fs.statSync(join(dataDir, 'postgres.password')).mode & 0o777).toBe(0o600)
  const settings = `select current_user, current_database(), datlocale, datlocprovider,
      pg_encoding_to_char(encoding) encoding, current_setting('timezone') timezone,
      current_setting('listen_addresses') addresses, current_setting('unix_socket_directories') sockets,
      current_setting('fsync') fsync, current_setting('server_version_num')::int / 10000 version
    from pg_database where datname = current_database()`
  expect(await query(postgres, settings)).toEqual([
    {
      current_user: 'tributary',
      current_database: 'tributary',
      datlocale: 'C.UTF-8',
      datlocprovider: 'b',
      encoding: 'UTF8',
      timezone: 'UTC',
      addresses: '127.0.0.1',
      sockets: '',
      fsync: 'off',
      version: 18,
    },
  ])
})

test('data is kept across a restart, and nothing runs in between', async () => {
  const dataDir = usedFolder()
  const first = await start(dataDir)
  await query(first, 'create table kept as select 42 as answer')
  const pid = pidOf(first.clusterDir)
  await Promise.all([first.stop(), first.stop()])
  expect(isAlive(pid)).toBe(false)

  const second = await start(dataDir)
  expect(await query(second, 'select answer from kept')).toEqual([{ answer: 42 }])
})

test('while one process runs it, a second one fails with the pid of the first', async () => {
  const dataDir = usedFolder()
  const { child, databaseUrl } = await startInChild(dataDir)

  await expect(start(dataDir)).rejects.toThrow(`is in use by process ${child.pid}.`)
  expect(await query({ databaseUrl }, 'select 1 as one')).toEqual([{ one: 1 }])
})

test('when its process is killed, the server ends too, and the next start finds all data', async () => {
  const dataDir = usedFolder()
  const { child, databaseUrl } = await startInChild(dataDir)
  await query({ databaseUrl }, 'create table kept as select 42 as answer')
  child.kill('SIGKILL')
  await once(child, 'exit')

  // Immediately, while the server may still be ending.
  const postgres = await start(dataDir)
  expect(await query(postgres, 'select answer from kept')).toEqual([{ answer: 42 }])
})

test('a process that ends without stopping its server leaves no server running', async () => {
  const dataDir = usedFolder()
  const { child } = await startInChild(dataDir, 'process.exit(3)')
  if (child.exitCode === null) await once(child, 'exit')
  await untilEnded(dataDir)
})

test('an orphaned server is stopped and started again', async () => {
  const dataDir = usedFolder()
  const first = await start(dataDir, { durable: true })
  await query(first, 'create table kept as select 42 as answer')
  // As if its Node process and its watchdog had ended.
  fs.rmSync(join(dataDir, 'owner.pid'))

  const lines: string[] = []
  const second = await start(dataDir, { onLog: (line) => lines.push(line) })
  expect(lines).toEqual(['Stopping a Postgres server left running by an earlier run.'])
  expect(await query(second, 'select answer from kept')).toEqual([{ answer: 42 }])
})

test('pid files whose pid was reused by another program are ignored', async () => {
  const dataDir = usedFolder()
  const first = await start(dataDir)
  const pidFile = join(first.clusterDir, 'postmaster.pid')
  const [, ...rest] = fs.readFileSync(pidFile, 'utf8').split('\n')
  await first.stop()

  // Running processes that are neither an earlier run nor a Postgres.
  fs.writeFileSync(pidFile, [process.ppid, ...rest].join('\n'))
  fs.writeFileSync(join(dataDir, 'owner.pid'), `${process.pid} long ago`)
  const second = await start(dataDir)
  expect(await query(second, 'select 1 as one')).toEqual([{ one: 1 }])
})

test('an interrupted initdb does not affect the next start', async () => {
  const dataDir = openFolder()
  fs.mkdirSync(join(dataDir, 'postgres.unfinished-abc', 'cluster'), { recursive: true })
  const postgres = await start(dataDir)

  expect(await query(postgres, 'select 1 as one')).toEqual([{ one: 1 }])
  expect(fs.readdirSync(dataDir).filter((name) => name.includes('unfinished'))).toEqual([])
})

test('a killed server recovers at the next start, and its end is logged', async () => {
  const dataDir = usedFolder()
  const lines: string[] = []
  const first = await start(dataDir, { durable: true, onLog: (line) => lines.push(line) })
  await query(first, 'create table kept as select 42 as answer')
  process.kill(pidOf(first.clusterDir), 'SIGKILL')
  await expect
    .poll(() => lines)
    .toEqual([`Postgres stopped unexpectedly. See ${dataDir}/postgres.log.`])
  await first.stop()

  const second = await start(dataDir)
  expect(await query(second, 'select answer from kept')).toEqual([{ answer: 42 }])
})

test('a server that cannot start again is given up with the reason in its log, and stops', async () => {
  const dataDir = usedFolder()
  let giveUp: (error: Error) => void = () => {}
  const given = new Promise<Error>((resolve) => {
    giveUp = resolve
  })
  const postgres = await startPostgres({
    dataDir,
    durable: false,
    onGiveUp: (error) => giveUp(error),
  })
  started.push(postgres)
  const pid = pidOf(postgres.clusterDir)
  fs.appendFileSync(join(postgres.clusterDir, 'postgresql.conf'), 'no_such_setting = on\n')
  process.kill(pid, 'SIGKILL')
  const { message } = await given
  expect(message).toMatch(
    /^Postgres ended 6 times within a minute, the last time with an error: Postgres did not start/,
  )
  expect(message).toContain('no_such_setting')
  await postgres.stop()
})

test('a server whose pid was reused by another program is started again after a crash', async () => {
  const dataDir = usedFolder()
  const lines: string[] = []
  const postgres = await startPostgres({
    dataDir,
    durable: false,
    onLog: (line) => lines.push(line),
    onGiveUp: (error) => lines.push(error.message),
  })
  started.push(postgres)
  const pidFile = join(postgres.clusterDir, 'postmaster.pid')
  const [pid, ...rest] = fs.readFileSync(pidFile, 'utf8').split('\n')
  fs.writeFileSync(pidFile, [process.ppid, ...rest].join('\n'))
  process.kill(Number(pid), 'SIGKILL')
  await expect
    .poll(() => lines, { timeout: 60_000 })
    .toEqual([
      expect.stringMatching(/^Postgres ended with SIGKILL\. It runs again after [\d.]+ s\./),
    ])
  expect(await query(postgres, 'select 1 as one')).toEqual([{ one: 1 }])
})

test('when the server does not start, the error ends with its log, and the folder is unlocked', async () => {
  const dataDir = usedFolder()
  const first = await start(dataDir)
  await first.stop()
  fs.appendFileSync(join(first.clusterDir, 'postgresql.conf'), 'no_such_setting = on\n')

  for (const _ of ['first', 'again']) {
    await expect(start(dataDir)).rejects.toThrow(/postgres\.log ends with:\n.*no_such_setting/s)
  }
})

test('a data folder that is not writable is an error that says what to do', async () => {
  const folder = openFolder()
  // Root can write to any folder, but not below a file.
  const dataDir = join(folder, 'file', 'data')
  if (asRoot) fs.writeFileSync(join(folder, 'file'), '')
  else fs.mkdirSync(join(folder, 'file'), { mode: 0o555 })

  const reason = asRoot ? '.*' : 'permission denied'
  await expect(start(dataDir)).rejects.toThrow(
    new RegExp(
      `^Cannot write to DATA_DIR ${dataDir}: ${reason}. Choose another folder with DATA_DIR=`,
    ),
  )
})

test('a folder private to its owner works, as root too, and deleting it deletes its data', async () => {
  const dataDir = privateFolder()
  const lines: string[] = []
  const first = await start(dataDir, { onLog: (line) => lines.push(line) })
  await query(first, 'create table kept as select 42 as answer')
  const outside = asRoot ? first.clusterDir : undefined
  expect(first.clusterDir).toMatch(asRoot ? /^\/var\/lib\/tributary\/\w+$/ : /postgres$/)
  expect(lines).toHaveLength(outside ? 1 : 0)
  if (outside) expect(lines[0]).toContain(outside)
  await first.stop()

  const second = await start(dataDir)
  expect(await query(second, 'select answer from kept')).toEqual([{ answer: 42 }])
  await second.stop()

  fs.rmSync(dataDir, { recursive: true })
  const third = await start(dataDir)
  expect(await query(third, "select to_regclass('kept') as kept")).toEqual([{ kept: null }])
})
