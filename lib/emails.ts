/** An e-mail address as it is stored and compared: trimmed, lower-cased, its accents in one form; blank is none. */
export const normalizeEmail = (email: string | null | undefined): string | null =>
  email?.trim().toLowerCase().normalize('NFC') || null

/** The part before the @ has 64 characters at most, the domain 255. */
export const MAX_EMAIL_LENGTH = 320

/**
 * Before the @ no space, no characters that can't be seen, and none that mean something in a mail's header: with them,
 * one address could be taken for another, or for several. After it letters, digits and dashes of any alphabet.
 */
const ADDRESS = /^[^\s\p{Cc}\p{Cf}@<>()[\]\\,;:"]+@([\p{L}\p{N}\p{M}-]+(?:\.[\p{L}\p{N}\p{M}-]+)*)$/u

/**
 * Whether a normalized text looks like an e-mail address. Whether somebody reads it, only a mail can tell.
 * A domain in look-alike letters, such as full-width ones, leads to the same mailbox as its plain spelling: it is
 * refused, or one mailbox would be many people.
 */
export const isEmail = (text: string | null): text is string => {
  if (text === null || text.length > MAX_EMAIL_LENGTH) return false
  const domain = ADDRESS.exec(text)?.[1]
  return domain !== undefined && domain === domain.normalize('NFKC')
}

/** The e-mail address that a text is, as it is stored, or null when it is none. */
export const readEmail = (text: string | undefined): string | null => {
  const address = normalizeEmail(text)
  return isEmail(address) ? address : null
}
