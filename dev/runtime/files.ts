import { randomBytes } from 'node:crypto'
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'

/** A file's text; undefined if the file is missing or unreadable. */
export const readIfThere = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

/** Reads a secret of this machine. Generates it on first use. */
export const readSecret = (file: string): string => {
  const known = readIfThere(file)
  if (known) return known
  const secret = randomBytes(32).toString('base64url')
  writeFileSync(file, secret, { mode: 0o600 })
  return secret
}

/**
 * Not Node's `recursive: true`: that never returns where a file system refuses new folders, as
 * /proc does.
 */
const makeFolders = (folder: string): void => {
  if (existsSync(folder)) return
  makeFolders(dirname(folder))
  mkdirSync(folder)
}

/**
 * Creates the data folder if it is missing.
 * @returns its real path @throws when it isn't writable
 */
export const makeDataDir = (dataDir: string): string => {
  try {
    makeFolders(dataDir)
    accessSync(dataDir, constants.W_OK | constants.X_OK)
    return realpathSync(dataDir)
  } catch (error) {
    throw cannotWrite(dataDir, error)
  }
}

/** Whether an error is a denied permission. */
export const isDenied = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM')

/** The error for a data folder that isn't writable. */
export const cannotWrite = (dataDir: string, error: unknown): Error => {
  const reason = isDenied(error)
    ? 'permission denied'
    : error instanceof Error
      ? error.message
      : String(error)
  return new Error(
    `Cannot write to DATA_DIR ${dataDir}: ${reason}. Choose another folder with DATA_DIR=...`,
    {
      cause: error,
    },
  )
}
