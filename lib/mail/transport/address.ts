/** Addresses in the form that transports accept. */
import { domainInAscii } from '../../values/domains.ts'
import { isEmail } from '../../values/emails.ts'

/**
 * The address with its domain in ASCII (Punycode), or null if it is not a single bare address. A
 * string that could be read as two addresses, or as a name and an address, is refused.
 */
export const deliverableAddress = (address: string): string | null => {
  if (!isEmail(address)) return null
  const at = address.lastIndexOf('@') + 1
  return `${address.slice(0, at)}${domainInAscii(address.slice(at))}`
}

/** Domains of one provider with the same mailboxes. */
const SAME_DOMAIN: Record<string, string> = { 'googlemail.com': 'gmail.com' }

/**
 * The mailbox of an address, as limits count it: without the tag after "+", and for Gmail without
 * dots. Providers that deliver tags to separate mailboxes share a limit. People are identified by
 * their full addresses.
 *
 * @param email normalized, as `normalizeEmail` does
 */
export const limitedMailbox = (email: string): string => {
  const at = email.lastIndexOf('@')
  const domain = SAME_DOMAIN[email.slice(at + 1)] ?? email.slice(at + 1)
  const [name = '', ...tag] = email.slice(0, at).split('+')
  // "+ann@example.com" has no name before its tag.
  const local = name || tag.join('+')
  return `${domain === 'gmail.com' ? local.replaceAll('.', '') : local}@${domain}`
}
