/** How a program looks to partners: on its application page, in the portal and in its mails. */
import { urlRefusal } from '../platform/url.ts'

export type Brand = {
  /** An image's https URL. */
  logoUrl: string | null
  /** `#rrggbb`, in lower case. */
  accentColor: string | null
  supportEmail: string | null
}

/** The brand before the first change. */
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

/** Longer than any image's URL, and short enough for each mail. */
export const MAX_LOGO_URL_LENGTH = 2_000

/**
 * A domain. Other characters of a URL's host, such as ; and *, have a meaning in a content security
 * policy.
 */
const DOMAIN = /^([a-z0-9-]+\.)+[a-z0-9-]*[a-z][a-z0-9-]*$/

/** Why pages do not show the image of a URL, as a sentence; null if they do. */
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
 * Origins of logos per page. A partner may have any number of programs, but a header has a limit.
 */
const MAX_LOGO_ORIGINS = 20

/**
 * The origins of these brands' logos. Beyond the limit, a page shows the name instead of the logo.
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
