/** What partner and customer imports share. */
import { ApiError } from '../http/errors.ts'

/** Maximum body size: 500 partners of 2 KiB each. */
export const IMPORT_MAX_BYTES = 1024 * 1024

/** Checks the number of rows before they are parsed. @throws {ApiError} `too_many_rows` */
export const limitRows =
  (most: number) =>
  (body: unknown): void => {
    const { rows } = Object(body) as { rows?: unknown }
    if (Array.isArray(rows) && rows.length > most) {
      throw new ApiError(
        'too_many_rows',
        `The request has ${rows.length} rows; the limit is ${most}. Nothing was imported. Split the rows into several requests.`,
      )
    }
  }

export const programNotFound = () =>
  new ApiError('not_found', 'This workspace has no program with this id. Check `programId`.')
