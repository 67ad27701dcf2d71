/**
 * In characters, also of names. Longer than the ids of other systems, and short enough for a
 * Postgres index.
 */
export const MAX_ID_LENGTH = 255
