/**
 * Which URLs webhooks are sent to: https, and no address of a private network. docs/security.md
 * says what refuses names that resolve to such an address.
 */

const MAX_URL_LENGTH = 2_048

/** Networks that are not the internet: IANA's special-purpose registry. */
const PRIVATE_V4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  // Multicast, reserved and broadcast.
  ['224.0.0.0', 3],
]

/** Top-level names of private networks, such as those of Kubernetes, Consul and Docker. */
const PRIVATE_NAMES =
  'localhost localdomain local internal intranet lan home corp private arpa svc cluster consul nomad docker alt'
const RESERVED_NAMES = 'test example invalid onion'
const UNRESOLVED = new Set(`${PRIVATE_NAMES} ${RESERVED_NAMES}`.split(' '))

/** Top-level names of the public DNS: letters, or Punycode. */
const TOP_LEVEL_NAME = /^(?:[a-z]{2,63}|xn--[a-z\d-]+)$/

/** 443, and the usual alternative 8443. Services on other ports may not be web servers. */
const PORTS = ['', '8443']

const IPV4 = /^\d+\.\d+\.\d+\.\d+$/

const toNumber = (ip: string): number =>
  ip.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)

const isPrivateV4 = (ip: string): boolean =>
  PRIVATE_V4.some(([network, bits]) => {
    const size = 2 ** (32 - bits)
    return Math.floor(toNumber(ip) / size) === Math.floor(toNumber(network) / size)
  })

/**
 * Everything but global unicast, 2000::/3, without what IANA keeps for protocols (2001::/23, with
 * Teredo and benchmarks), documentation and 6to4.
 */
const isPrivateV6 = (ip: string): boolean => {
  const [head = 0, second = 0] = ip.split(':').map((part) => Number.parseInt(part || '0', 16))
  const isGlobal = head >= 0x2000 && head <= 0x3fff
  const isSpecial =
    head === 0x2002 || head === 0x3fff || (head === 0x2001 && (second < 0x200 || second === 0xdb8))
  return !isGlobal || isSpecial
}

const isLocal = ({ hostname }: URL): boolean => hostname === 'localhost' || hostname === '127.0.0.1'

const isPrivate = (hostname: string): boolean => {
  if (hostname.startsWith('[')) return isPrivateV6(hostname.slice(1, -1))
  if (IPV4.test(hostname)) return isPrivateV4(hostname)
  const labels = hostname.replace(/\.$/, '').split('.')
  const top = labels.at(-1) ?? ''
  return labels.length < 2 || !TOP_LEVEL_NAME.test(top) || UNRESOLVED.has(top)
}

/**
 * Why a URL is refused, as a sentence; null if it is accepted. The URL parser reduces all spellings
 * of an address to one.
 * @param allowLocal for development: this machine, also by http
 */
export const urlRefusal = (text: string, allowLocal: boolean): string | null => {
  const url = URL.parse(text)
  if (!url || text.length > MAX_URL_LENGTH)
    return 'Must be a URL, such as https://example.com/webhooks, of at most 2,048 characters.'
  if (allowLocal && isLocal(url) && ['http:', 'https:'].includes(url.protocol)) return null
  if (url.protocol !== 'https:') return 'Must begin with https://.'
  if (url.username || url.password) return 'Must not contain a user name or password.'
  if (!PORTS.includes(url.port)) return 'Must have the port 443 or 8443, or none.'
  return isPrivate(url.hostname) ? 'Must be a public address, not one of a private network.' : null
}

/** A URL in its one spelling, as it is called and shown. `urlRefusal` validates it. */
export const canonicalUrl = (text: string): string => URL.parse(text)?.href ?? text
