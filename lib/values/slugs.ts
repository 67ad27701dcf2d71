/** Slugs: a partner's value of `?via=`, and workspaces' names in URLs. */

/** Normalizes a slug for comparison: white space, case and Unicode form are ignored. */
export const slugKey = (slug: string): string => slug.trim().normalize('NFC').toLowerCase()

/** A partner's link: the program's site with `via` added to its query. */
export const partnerLink = (siteUrl: string, slug: string): string =>
  linkWith(new URL(siteUrl), slug)

/**
 * A page's URL with a slug as its only `via`, and a new `sub` if one is given. The rest of the
 * query is unchanged, because some sites read it literally.
 */
export const linkWith = (page: URL, slug: string, sub = ''): string => {
  const url = new URL(page)
  const added = { via: slug, ...(sub && { sub }) }
  const others = url.search
    .slice(1)
    .split('&')
    .filter(
      (part) => part && !Object.keys(added).some((name) => new URLSearchParams(part).has(name)),
    )
  url.search = [...others, new URLSearchParams(added)].join('&')
  return url.href
}

/** In UTF-16 code units. */
export const MAX_SLUG_LENGTH = 255

/** In characters. */
export const MAX_SUB_LENGTH = 64

/**
 * The `sub` of a link as it is counted: without control characters, and cut to its maximum length.
 * @returns null for none, and for an email address, because totals are kept forever
 */
export const readSub = (given: string): string | null => {
  const printable = given.replace(/\p{Cc}/gu, '').trim()
  const sub = [...printable].slice(0, MAX_SUB_LENGTH).join('').trim()
  return sub === '' || /\S@\S/.test(sub) ? null : sub
}

/** Long enough for nearly every name, short enough to read a link aloud. */
const MAX_GENERATED_LENGTH = 40

/**
 * Slugs that people could take for the merchant, or scripts for nothing. None is generated, and no
 * partner may choose one that looks like it.
 */
export const RESERVED_SLUGS = [
  'admin administrator api app billing help home login moderator null official owner partner partners',
  'portal root security sign-in sign-up staff support system team undefined via webmaster www',
].flatMap((line) => line.split(' '))

/** Letters that NFKD does not decompose into an ASCII letter and a mark. */
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

/** Transliterates a text to lower-case ASCII letters, digits and single hyphens. May be blank. */
export const toAscii = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[ßæœøđðþłı]/g, (letter) => FOLDED[letter] ?? '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_GENERATED_LENGTH)
    .replace(/^-|-$/g, '')

/**
 * Generates a partner's slug from the name or the email address. Never a reserved one.
 *
 * @example
 * makeSlug('Zoë Lindqvist', 'z@example.com') // 'zoe-lindqvist'
 */
export const makeSlug = (name: string | null, email: string): string =>
  [name ?? '', email.slice(0, email.lastIndexOf('@'))]
    .map(toAscii)
    .find((slug) => slug && !RESERVED_SLUGS.includes(slug)) ?? 'partner'

/** Appends a suffix to a taken slug: `maya-x7k2`. Truncates the slug if needed. */
export const suffixedSlug = (slug: string, suffix: string): string => {
  const base = slug.slice(0, MAX_SLUG_LENGTH - suffix.length - 1)
  // The truncation may have split a surrogate pair.
  return `${base.replace(/[\ud800-\udbff]$/, '')}-${suffix}`
}

/** Excludes UUIDs, because URLs accept a slug or an id. The schema has the same check. */
export const isWorkspaceSlug = (text: string): boolean =>
  /^[a-z0-9](-?[a-z0-9])+$/.test(text) &&
  text.length <= 63 &&
  !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
