/** What both imports have in common. */
import { ApiError } from '../http/errors.ts'

/** The most that an import may send, in bytes: 500 partners with 2 KiB each. */
export const IMPORT_MAX_BYTES = 1024 * 1024

/** Refuses a call of too many rows, before any of them is looked at. @throws {ApiError} `too_many_rows` */
export const limitRows =
  (most: number) =>
  (body: unknown): void => {
    const { rows } = Object(body) as { rows?: unknown }
    if (Array.isArray(rows) && rows.length > most) {
      throw new ApiError(
        'too_many_rows',
        `${rows.length} rows are more than the ${most} of one call. Nothing was imported: send the rest in further calls.`,
      )
    }
  }

/** The error for a program that isn't there, or is another workspace's. */
export const programNotFound = () =>
  new ApiError('not_found', 'This workspace has no program with this id. Check `programId`.')
