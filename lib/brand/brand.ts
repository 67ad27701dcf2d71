/**
 * How a program looks to partners: on the page on which they apply, in the portal and in its mails.
 */
import { urlRefusal } from '../platform/url.ts'

export type Brand = {
  /** An image, by https. */
  logoUrl: string | null
  /** `#rrggbb`, in lower case. */
  accentColor: string | null
  supportEmail: string | null
}

/** Before a manager has saved anything. */
export const NO_BRAND = {
  logoUrl: null,
  accentColor: null,
  supportEmail: null,
  supportEmailVerified: false,
  version: 0,
} as const

/** Whether a program has any part of a brand. */
export const isBranded = ({ logoUrl, accentColor, supportEmail }: Brand): boolean =>
  Boolean(logoUrl ?? accentColor ?? supportEmail)

/** Longer than the URL of any image, and short enough for each mail. */
export const MAX_LOGO_URL_LENGTH = 2_000

/**
 * A domain. Other characters that a URL may have in its host, such as ; and *, mean something in a
 * content security policy.
 */
const DOMAIN = /^([a-z0-9-]+\.)+[a-z0-9-]*[a-z][a-z0-9-]*$/

/** Why no page shows the image of a URL, as a sentence; null if they do. */
export const logoRefusal = (text: string): string | null => {
  const url = URL.parse(text)
  if (!url) return 'Must be a URL, such as https://example.com/logo.png.'
  if (url.href.length > MAX_LOGO_URL_LENGTH)
    return `Must have at most ${MAX_LOGO_URL_LENGTH.toLocaleString('en')} characters.`
  const refusal = urlRefusal(url.href, false)
  if (refusal) return refusal
  return DOMAIN.test(url.hostname)
    ? null
    : 'Must have a domain, such as example.com, and no IP address.'
}

/**
 * The most origins that one page loads logos from. A partner may have any number of programs, a
 * header not.
 */
const MAX_LOGO_ORIGINS = 20

/**
 * Where a page that shows these brands loads their logos from. Beyond the limit, a logo's place
 * shows the name.
 */
export const logoOrigins = (brands: readonly Pick<Brand, 'logoUrl'>[]): string[] => {
  const origins = brands.flatMap(({ logoUrl }) => (logoUrl ? new URL(logoUrl).origin : []))
  return [...new Set(origins)].slice(0, MAX_LOGO_ORIGINS)
}

export const BRAND_CHANGED =
  'Another manager has changed the branding since you opened it. Read it again, then change it.'

/** Whom to ask, for a message that names the addresses if there are any. */
export const contactValues = (
  ...addresses: readonly (string | null)[]
): { hasContact: 'yes' | 'no'; contact: string } => {
  const known = addresses.filter((address) => address !== null)
  return { hasContact: known.length > 0 ? 'yes' : 'no', contact: known.join(', ') }
}
