/**
 * Whether a statement referred to a row that was deleted since the read: SQLSTATE 23503. Its
 * transaction is rolled back.
 */
export const namesDeletedRow = (error: unknown): boolean =>
  error instanceof Error && (error as { code?: unknown }).code === '23503'
