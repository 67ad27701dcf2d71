/** Addresses, as mails are sent to them. */
import { isEmail } from '../emails.ts'

/**
 * The address as the mail system takes it, with the domain's other alphabets in their ASCII form, or null when it
 * isn't one address and nothing else: what could be read as two, or as a name and an address, is not sent to.
 */
export const deliverableAddress = (address: string): string | null => {
  if (!isEmail(address)) return null
  const domain = address.slice(address.lastIndexOf('@') + 1)
  if (/^[\x21-\x7e]+$/.test(domain)) return address
  const host = URL.parse(`http://${domain}`)?.hostname
  return host ? address.slice(0, -domain.length) + host : null
}
