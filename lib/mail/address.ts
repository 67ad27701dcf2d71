/** Addresses in the form that transports accept. */
import { isEmail } from '../emails.ts'

/**
 * The address with its domain in ASCII (Punycode), or null if it is not a single bare address. A string that could be
 * read as two addresses, or as a name and an address, is refused.
 */
export const deliverableAddress = (address: string): string | null => {
  if (!isEmail(address)) return null
  const domain = address.slice(address.lastIndexOf('@') + 1)
  if (/^[\x21-\x7e]+$/.test(domain)) return address
  const host = URL.parse(`http://${domain}`)?.hostname
  return host ? address.slice(0, -domain.length) + host : null
}

/** Domains of one provider with the same mailboxes. */
const SAME_DOMAIN: Record<string, string> = { 'googlemail.com': 'gmail.com' }

/**
 * The mailbox that mails to an address reach, as limits count it: without the tag after "+", and for Gmail without dots.
 * Some providers deliver tags to mailboxes of their own, which then share a limit. For limits only: people are
 * identified by their full addresses.
 */
export const limitedMailbox = (email: string): string => {
  const address = (deliverableAddress(email) ?? email).normalize('NFKC').toLowerCase()
  const at = address.lastIndexOf('@')
  const domain = SAME_DOMAIN[address.slice(at + 1)] ?? address.slice(at + 1)
  const [name = '', ...tag] = address.slice(0, at).split('+')
  // "+ann@example.com" has no name before its tag.
  const local = name || tag.join('+')
  return `${domain === 'gmail.com' ? local.replaceAll('.', '') : local}@${domain}`
}
