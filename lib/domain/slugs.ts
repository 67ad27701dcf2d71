/** Slugs: the value of `?via=` that names a partner. */

/** What two slugs are compared by: surrounding space, case and Unicode form don't tell partners apart. */
export const slugKey = (slug: string): string => slug.trim().normalize('NFC').toLowerCase()

/** A partner's link: the program's site with `via` added to whatever its address already asks for. */
export const partnerLink = (siteUrl: string, slug: string): string => {
  const url = new URL(siteUrl)
  url.searchParams.set('via', slug)
  return url.href
}
