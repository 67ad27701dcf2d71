/** Whether a batch was rolled back because a row that it refers to was deleted since the read. */
export const namesDeletedRow = (error: unknown): boolean =>
  error instanceof Error && (error as { code?: unknown }).code === '23503'
