/** Rows that were deleted between the read and the write of a request. */

/**
 * Whether a statement failed because it names a deleted row: SQLSTATE 23503. All of its transaction
 * is rolled back.
 */
export const namesDeletedRow = (error: unknown): boolean =>
  error instanceof Error && (error as { code?: unknown }).code === '23503'
