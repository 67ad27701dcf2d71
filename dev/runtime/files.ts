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

/** A file's text; undefined when it isn't there or can't be read. */
export const readIfThere = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

/** A secret of this machine, made when it is first asked for. */
export const readSecret = (file: string): string => {
  const known = readIfThere(file)
  if (known) return known
  const secret = randomBytes(32).toString('base64url')
  writeFileSync(file, secret, { mode: 0o600 })
  return secret
}

/** Folder by folder: Node's own recursive way never ends where a file system refuses, as /proc does. */
const makeFolders = (folder: string): void => {
  if (existsSync(folder)) return
  makeFolders(dirname(folder))
  mkdirSync(folder)
}

/** Makes the data folder if it isn't there. @returns its real path @throws when it can't be written to */
export const makeDataDir = (dataDir: string): string => {
  try {
    makeFolders(dataDir)
    accessSync(dataDir, constants.W_OK | constants.X_OK)
    return realpathSync(dataDir)
  } catch (error) {
    throw cannotWrite(dataDir, error)
  }
}

/** Whether an error says that we may not do something. */
export const isDenied = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM')

/** The error for a data folder that can't be written to. */
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
