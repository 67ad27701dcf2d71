/** Partners' links to any page of a merchant's site, from typed or pasted text. */
import { linkWith } from './slugs.ts'

/** In UTF-16 code units. Not all browsers and servers accept longer addresses. */
export const MAX_PAGE_LENGTH = 2_000

export type PageRefusal = 'no_page' | 'other_host' | 'other_protocol' | 'too_long'

/**
 * Reads an address with or without its protocol, or a path such as `/pricing`. @returns null if it
 * is none
 */
const readPage = (typed: string, site: URL): URL | null => {
  const isComplete = /^(https?:|\/)/i.test(typed)
  return URL.parse(isComplete ? typed : `${site.protocol}//${typed}`, site.href)
}

/** The host without `www.`. */
const siteOf = ({ host }: URL): string => host.replace(/^www\./, '')

/**
 * A partner's link to a page of the program's site: the page with `?via=<slug>`, which replaces an existing one.
 *
 * @param typed an untrusted address
 * @param sub   names a channel, such as a newsletter, which is counted separately
 * @example
 * pageLink('https://shop.example', 'shop.example/pricing?plan=pro#top', 'maya')
 * // { link: 'https://shop.example/pricing?plan=pro&via=maya#top' }
 */
export const pageLink = (
  siteUrl: string,
  typed: string,
  slug: string,
  sub?: string,
): { link: string; refusal?: never } | { link?: never; refusal: PageRefusal } => {
  if (typed.length > MAX_PAGE_LENGTH) return { refusal: 'too_long' }
  const site = new URL(siteUrl)
  const page = readPage(typed.trim(), site)
  if (!page) return { refusal: 'no_page' }
  if (siteOf(page) !== siteOf(site)) return { refusal: 'other_host' }
  if (page.protocol !== site.protocol) return { refusal: 'other_protocol' }
  // A password in a link would be public.
  if (page.username || page.password) return { refusal: 'no_page' }
  return { link: linkWith(page, slug, sub) }
}
