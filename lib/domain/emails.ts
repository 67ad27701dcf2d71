/** An e-mail address as it is stored and compared: trimmed and lower-cased; blank is none. */
export const normalizeEmail = (email: string | null | undefined): string | null =>
  email?.trim().toLowerCase() || null
