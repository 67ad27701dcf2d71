/** One address and nothing else: what could be read as two, or as a name and an address, is not sent to. */
const ONE_ADDRESS = /^[^\s,;:<>()@"\\]+@([^\s,;:<>()@"\\]+)$/u

/**
 * The address as the mail system takes it, with the domain's other alphabets in their ASCII form, or null when it
 * isn't an address.
 */
export const deliverableAddress = (address: string): string | null => {
  const [, domain] = ONE_ADDRESS.exec(address) ?? []
  if (!domain) return null
  if (/^[\x21-\x7e]+$/.test(domain)) return address
  const host = URL.parse(`http://${domain}`)?.hostname
  return host ? address.slice(0, -domain.length) + host : null
}
