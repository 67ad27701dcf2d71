/** Slugs: the value of `?via=` that names a partner. */

/** What two slugs are compared by: surrounding space, case and Unicode form don't tell partners apart. */
export const slugKey = (slug: string): string => slug.trim().normalize('NFC').toLowerCase()

/** A partner's link: the program's site with `via` added to whatever its address already asks for. */
export const partnerLink = (siteUrl: string, slug: string): string => {
  const url = new URL(siteUrl)
  url.searchParams.set('via', slug)
  return url.href
}

/** As long as a slug may be, in UTF-16 units, which is how JavaScript counts. */
export const MAX_SLUG_LENGTH = 255

/** Long enough for nearly every name, short enough for a link that is read out. */
const MAX_MADE_LENGTH = 40

/** Letters that are no ASCII letter with a mark on it. */
const FOLDED: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
}

/** A text in the letters, digits and single dashes of an address; blank when it holds none. */
export const toAscii = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[ßæœøđðþłı]/g, (letter) => FOLDED[letter] ?? '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_MADE_LENGTH)
    .replace(/^-|-$/g, '')

/**
 * A slug for a partner who brings none: from the name, else from the e-mail address.
 *
 * @example
 * makeSlug('Zoë Lindqvist', 'z@example.com') // 'zoe-lindqvist'
 */
export const makeSlug = (name: string | null, email: string): string =>
  toAscii(name ?? '') || toAscii(email.slice(0, email.lastIndexOf('@'))) || 'partner'

/** Another slug that tells where it comes from: `maya` and `x7k2` make `maya-x7k2`. What gets too long is cut. */
export const suffixedSlug = (slug: string, suffix: string): string => {
  const base = slug.slice(0, MAX_SLUG_LENGTH - suffix.length - 1)
  // The cut may have gone through a character of two halves.
  return `${base.replace(/[\ud800-\udbff]$/, '')}-${suffix}`
}

/** Whether a workspace may be called so in addresses, where its id may stand as well. schema.sql says the same. */
export const isWorkspaceSlug = (text: string): boolean =>
  /^[a-z0-9](-?[a-z0-9])+$/.test(text) &&
  text.length <= 63 &&
  !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
