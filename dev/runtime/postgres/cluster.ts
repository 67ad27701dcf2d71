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
import { clusterPlaces, type OtherUser } from './host.ts'
import { hasOrphan } from './owner.ts'

/**
 * A cluster: the folder with Postgres' databases, the programs that run it, and the user that they
 * run as.
 */
export type Cluster = {
  dataDir: string
  clusterDir: string
  programs: string
  user: OtherUser | undefined
  durable: boolean
}

/** The name of the only database user, and of its database. */
export const NAME = 'tributary'

/** Creates the cluster on first use. @returns its password */
export const ensureCluster = async (cluster: Cluster): Promise<string> => {
  const { dataDir, clusterDir } = cluster
  const passwordFile = join(dataDir, 'postgres.password')
  if (!existsSync(passwordFile)) {
    // A cluster outside belongs to an earlier data folder at this path, deleted since.
    if (clusterDir === clusterPlaces(dataDir).outside)
      rmSync(clusterDir, { recursive: true, force: true })
    if (existsSync(clusterDir)) {
      throw new Error(
        `${passwordFile} is missing. Restore it, or delete ${clusterDir} to start with an empty database.`,
      )
    }
    writeFileSync(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 })
  }
  const password = readFileSync(passwordFile, 'utf8')
  if (!existsSync(clusterDir)) await initCluster(cluster, password)
  return password
}

/**
 * Runs initdb in a temporary folder and renames the result, so that an interrupted run leaves no
 * partial cluster.
 */
const initCluster = async (cluster: Cluster, password: string) => {
  const { clusterDir, user, durable } = cluster
  const unfinished = `${clusterDir}.unfinished-`
  for (const name of readdirSync(dirname(clusterDir))) {
    if (name.startsWith(basename(unfinished))) {
      rmSync(join(dirname(clusterDir), name), { recursive: true, force: true })
    }
  }

  const temporary = mkdtempSync(unfinished)
  try {
    const passwordFile = join(temporary, 'password')
    writeFileSync(passwordFile, password, { mode: 0o600 })
    if (user) for (const path of [temporary, passwordFile]) chownSync(path, user.uid, user.gid)

    const made = join(temporary, 'cluster')
    const login = [`--username=${NAME}`, `--pwfile=${passwordFile}`, '--auth=scram-sha-256']
    // Postgres' built-in C.UTF-8 sorts and folds case the same on every machine, whatever its libc.
    const text = [
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
    ]
    await runProgram(
      cluster,
      'initdb',
      [`--pgdata=${made}`, ...login, ...text, ...(durable ? [] : ['--no-sync'])],
      temporary,
    )
    renameSync(made, clusterDir)
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

/** Stops a server left running by an earlier run. */
export const stopOrphan = async (cluster: Cluster) => {
  const stop = (mode: string) =>
    runProgram(
      cluster,
      'pg_ctl',
      ['stop', '-D', cluster.clusterDir, '-t', '20', '-m', mode],
      cluster.clusterDir,
    )
  await stop('fast').catch(async (error) => {
    // It may have just ended. If it hangs, an immediate shutdown; it recovers at its next start.
    if (hasOrphan(cluster.clusterDir)) await stop('immediate')
    else if (existsSync(join(cluster.clusterDir, 'postmaster.pid'))) throw error
  })
}

/** Runs one of Postgres' programs to its end. @throws with its output when it fails */
const runProgram = async (cluster: Cluster, name: string, args: string[], cwd: string) => {
  const program = spawn(join(cluster.programs, 'bin', name), args, programOptions(cluster, cwd))
  let output = ''
  for (const stream of [program.stdout, program.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk
    })
  }
  const [code] = await once(program, 'close').catch((error) => {
    throw new Error(
      `Cannot run ${name}${cluster.user ? ` as uid ${cluster.user.uid}` : ''}: ${error.message}`,
    )
  })
  if (code === 0) return
  const advice = output.includes('could not look up effective user ID')
    ? '\nPostgres requires a user with a name. Add an entry for this uid to /etc/passwd.'
    : ''
  throw new Error(`${name} failed:\n${lastLines(output)}${advice}`)
}

/**
 * Options to start one of the programs: as the cluster's user, in a folder that this user can
 * reach. Without the PG* variables, which change what the programs do; LC_ALL=C keeps their
 * messages in English.
 */
export const programOptions = ({ user }: Cluster, cwd: string): SpawnOptions => ({
  cwd,
  env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' },
  ...user,
})

/** The last lines of an output, for an error message. */
export const lastLines = (output: string): string =>
  output.trimEnd().split('\n').slice(-10).join('\n')
