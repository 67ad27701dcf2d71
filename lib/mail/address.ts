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
