import { domainInAscii, domainInLetters } from './domains.ts'

/**
 * Characters that mail providers ignore and nobody sees, such as soft hyphens. Joiners may matter
 * in a domain: see `domainInAscii`.
 */
const IGNORED = /(?![\u200c\u200d])\p{Default_Ignorable_Code_Point}/gu
const JOINERS = /[\u200c\u200d]/g

/** Compatibility characters, such as full-width letters, count as the plain ones. */
const plain = (text: string): string =>
  text.replace(IGNORED, '').trim().normalize('NFKC').toLowerCase().normalize('NFKC')

/**
 * The one form in which addresses are stored, compared and shown, so that each spelling names the
 * same person. Domains are in letters if they are readable. Blank becomes null. An invalid address
 * is only trimmed and lower-cased.
 */
export const normalizeEmail = (email: string | null | undefined): string | null => {
  const text = plain(email ?? '')
  const at = text.lastIndexOf('@') + 1
  const domain = text.slice(at).replaceAll('。', '.').replace(/\.$/, '')
  const ascii = at > 0 ? domainInAscii(domain) : null
  return (
    (ascii === null ? text : text.slice(0, at).replace(JOINERS, '') + domainInLetters(ascii)) ||
    null
  )
}

/** 64 characters before the @ and 255 after it. */
export const MAX_EMAIL_LENGTH = 320

/**
 * Before the @: no white space, invisible characters, or characters with a meaning in mail headers,
 * by which one address could look like another or like several.
 */
const ADDRESS = /^(?!.*\p{Default_Ignorable_Code_Point})[^\s\p{Cc}\p{Cf}@<>()[\]\\,;:"]+@([^@]+)$/u

/** Whether a normalized text is a valid email address. */
export const isEmail = (text: string | null): text is string =>
  text !== null &&
  text.length <= MAX_EMAIL_LENGTH &&
  domainInAscii(ADDRESS.exec(text)?.[1] ?? '') !== null

/** Parses and normalizes an email address. @returns null for an invalid one */
export const readEmail = (text: string | undefined): string | null => {
  const address = normalizeEmail(text)
  return isEmail(address) ? address : null
}

/** The sender that a mail names: a person, and no API key. */
export const senderOf = (actor: string | null): string | null => (isEmail(actor) ? actor : null)
