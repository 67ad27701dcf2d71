import { type SpawnOptions, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { clusterPlaces, type OtherUser } from './postgres-host.ts'
import { hasOrphan } from './postgres-owner.ts'

/** A cluster: the folder that Postgres keeps its databases in, and who works on it with which programs. */
export type Cluster = {
  dataDir: string
  clusterDir: string
  programs: string
  user: OtherUser | undefined
  durable: boolean
}

/** The only user, and the name of its database. */
export const NAME = 'tributary'

/** Makes the cluster on first use, and returns its password. */
export const ensureCluster = async (cluster: Cluster): Promise<string> => {
  const { dataDir, clusterDir } = cluster
  const passwordFile = join(dataDir, 'postgres.password')
  if (!existsSync(passwordFile)) {
    // A cluster outside the data folder is of an earlier one, which was deleted since.
    if (clusterDir === clusterPlaces(dataDir).outside) rmSync(clusterDir, { recursive: true, force: true })
    if (existsSync(clusterDir)) {
      throw new Error(`${passwordFile} is missing. Restore it, or delete ${clusterDir} to start afresh.`)
    }
    writeFileSync(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 })
  }
  const password = readFileSync(passwordFile, 'utf8')
  if (!existsSync(clusterDir)) await initCluster(cluster, password)
  return password
}

/** Runs initdb beside the cluster's place, and moves the result there whole: an interrupted run leaves nothing in it. */
const initCluster = async (cluster: Cluster, password: string) => {
  const { clusterDir, user, durable } = cluster
  const unfinished = `${clusterDir}.unfinished-`
  for (const name of readdirSync(dirname(clusterDir))) {
    if (name.startsWith(basename(unfinished))) {
      rmSync(join(dirname(clusterDir), name), { recursive: true, force: true })
    }
  }

  const workshop = mkdtempSync(unfinished)
  try {
    const passwordFile = join(workshop, 'password')
    writeFileSync(passwordFile, password, { mode: 0o600 })
    if (user) for (const path of [workshop, passwordFile]) chownSync(path, user.uid, user.gid)

    const made = join(workshop, 'cluster')
    const login = [`--username=${NAME}`, `--pwfile=${passwordFile}`, '--auth=scram-sha-256']
    // Postgres' own C.UTF-8 sorts and folds case the same on every machine, whatever its libc.
    const text = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
    await runProgram(
      cluster,
      'initdb',
      [`--pgdata=${made}`, ...login, ...text, ...(durable ? [] : ['--no-sync'])],
      workshop,
    )
    renameSync(made, clusterDir)
  } finally {
    rmSync(workshop, { recursive: true, force: true })
  }
}

/** Stops the server that an earlier run left behind. */
export const stopOrphan = async (cluster: Cluster) => {
  const stop = (mode: string) =>
    runProgram(
      cluster,
      'pg_ctl',
      ['stop', '-D', cluster.clusterDir, '-t', '20', '-m', mode],
      cluster.clusterDir,
    )
  await stop('fast').catch(async (error) => {
    // It may have ended in the same moment. One that is stuck is cut off, and recovers at its next start.
    if (hasOrphan(cluster.clusterDir)) await stop('immediate')
    else if (existsSync(join(cluster.clusterDir, 'postmaster.pid'))) throw error
  })
}

/** Runs one of Postgres' programs to its end; throws what it said when it failed. */
const runProgram = async (cluster: Cluster, name: string, args: string[], cwd: string) => {
  const program = spawn(join(cluster.programs, 'bin', name), args, programOptions(cluster, cwd))
  let said = ''
  for (const stream of [program.stdout, program.stderr]) {
    stream?.on('data', (chunk) => {
      said += chunk
    })
  }
  const [code] = await once(program, 'close').catch((error) => {
    throw new Error(
      `Cannot run ${name}${cluster.user ? ` as uid ${cluster.user.uid}` : ''}: ${error.message}`,
    )
  })
  if (code === 0) return
  const hint = said.includes('could not look up effective user ID')
    ? '\nPostgres only runs for a user who has a name: give this one an entry in /etc/passwd.'
    : ''
  throw new Error(`${name} failed:\n${lastLines(said)}${hint}`)
}

/**
 * How to start one of the programs: as the cluster's user, and in a folder which that user can reach. The
 * environment has none of the PG* variables, which change what the programs do, and C keeps their messages English.
 */
export const programOptions = ({ user }: Cluster, cwd: string): SpawnOptions => ({
  cwd,
  env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' },
  ...user,
})

/** The end of an output, short enough for an error message. */
export const lastLines = (output: string): string => output.trimEnd().split('\n').slice(-10).join('\n')
