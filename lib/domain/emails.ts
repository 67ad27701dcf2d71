/** An e-mail address as it is stored and compared: trimmed and lower-cased; blank is none. */
export const normalizeEmail = (email: string | null | undefined): string | null =>
  email?.trim().toLowerCase() || null

/** The part before the @ has 64 characters at most, the domain 255. */
export const MAX_EMAIL_LENGTH = 320

/**
 * Space, characters that can't be seen, and those that mean something in a mail's header: with them, one address
 * could be taken for another, or for several.
 */
const ADDRESS = /^[^\s\p{Cc}\p{Cf}@<>()[\]\\,;:"]+@[^\s\p{Cc}\p{Cf}@<>()[\]\\,;:"]+$/u

/** Whether a normalized text looks like an e-mail address. Whether somebody reads it, only a mail can tell. */
export const isEmail = (text: string | null): text is string =>
  text !== null && text.length <= MAX_EMAIL_LENGTH && ADDRESS.test(text)
