/** The cookie of a click recorded through a proxy on the merchant's domain. docs/snippet.md. */

/** A host that may end in a public suffix of two labels: "shop.co.uk", but also "www.abc.de". */
const MAYBE_PUBLIC_SUFFIX = /\.[^.]{1,3}\.[a-z]{2}$/
const IP_ADDRESS = /^[\d.]+$|^\[/

/**
 * The `Domain` attributes with which the cookie is set: the widest domain of the page's, which the
 * snippet finds by trying. Where that may be a public suffix, which browsers reject, the next one
 * too. None for a host without a domain above it.
 */
const domainsOf = (host: string): (string | null)[] => {
  const labels = host.split('.')
  if (labels.length < 2 || IP_ADDRESS.test(host)) return [null]
  const widest = [labels.slice(-2).join('.')]
  return MAYBE_PUBLIC_SUFFIX.test(host) && labels.length > 2
    ? [...widest, labels.slice(-3).join('.')]
    : widest
}

/**
 * The `Set-Cookie` headers with which a service under the page's own origin stores a click: the
 * same cookie as the snippet's, but one that Safari keeps until the click expires, since no script
 * has set it. The snippet then finds it stored, and sets none. If the browser rejects it, as below
 * a private suffix such as github.io, the snippet does.
 *
 * @param request `Origin`, and `Sec-Fetch-Site`, which browsers send to https, newer Safaris too.
 *   Without it the page may be of another origin than the service, and its browser then ignores the
 *   cookies
 * @returns none if the page is known to be of another origin
 */
export const clickCookies = (
  { site, origin }: { site: string | undefined; origin: string | undefined },
  clickId: string,
  keptUntil: Date,
): string[] => {
  const page = origin && (site ?? 'same-origin') === 'same-origin' ? URL.parse(origin) : null
  if (!page) return []
  const secure = page.protocol === 'https:' ? ';Secure' : ''
  const cookie = `tributary_click=${clickId};Path=/;SameSite=Lax;Expires=${keptUntil.toUTCString()}${secure}`
  return domainsOf(page.hostname).map((domain) => (domain ? `${cookie};Domain=${domain}` : cookie))
}
