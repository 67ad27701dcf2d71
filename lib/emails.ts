/** Normalizes an email address for storage and comparison. Blank becomes null. */
export const normalizeEmail = (email: string | null | undefined): string | null =>
  email?.trim().toLowerCase().normalize('NFC') || null

/** 64 characters before the @ and 255 after it. */
export const MAX_EMAIL_LENGTH = 320

/**
 * Before the @: no white space, invisible characters, or characters with a meaning in mail headers, which could make
 * one address look like another, or like several. After it: letters, digits and hyphens of any alphabet. Characters that
 * mail providers ignore are refused everywhere: with them, one mailbox would be many addresses.
 */
const ADDRESS =
  /^(?!.*\p{Default_Ignorable_Code_Point})[^\s\p{Cc}\p{Cf}@<>()[\]\\,;:"]+@([\p{L}\p{N}\p{M}-]+(?:\.[\p{L}\p{N}\p{M}-]+)*)$/u

/**
 * Whether a normalized text is a valid email address. Rejects domains in compatibility characters, such as full-width
 * letters: they lead to the same mailbox as the plain spelling, so that one mailbox would be several people.
 */
export const isEmail = (text: string | null): text is string => {
  if (text === null || text.length > MAX_EMAIL_LENGTH) return false
  const domain = ADDRESS.exec(text)?.[1]
  return domain !== undefined && domain === domain.normalize('NFKC')
}

/** Parses and normalizes an email address. @returns null for an invalid one */
export const readEmail = (text: string | undefined): string | null => {
  const address = normalizeEmail(text)
  return isEmail(address) ? address : null
}

/** Whom a mail names as its sender: a person who acts, and no API key. */
export const senderOf = (actor: string | null): string | null => (isEmail(actor) ? actor : null)
