/**
 * Whether links of a former platform still credit their partners. A link's form says where it has
 * the slug: `?ref` in that parameter, `/` in its path, `//go.example?ref` and `//go.example/` on
 * another site. The snippet reads `via`, and the parameters that the merchant's tag names. A visit,
 * or a manager, shows whether a form works.
 */

import { isOnSite } from '../../tracking/checks/tracking-check.ts'
import { slugKey } from '../../values/slugs.ts'

/** In characters. */
export const MAX_FORMER_LINK_LENGTH = 2_000
/** In characters: a host and a parameter. */
export const MAX_FORM_LENGTH = 400
/** More forms in one program would be a mistake. */
export const MAX_FORMS = 50

/** Whether links of each form work. Absent forms are unknown. */
export type LinkForms = ReadonlyMap<string, boolean>

/** The parameter that the snippet reads by default. */
const READ_ALWAYS = '?via'

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The parameters of the query and of the fragment, which the snippet reads too. */
const parametersOf = (url: URL): URLSearchParams =>
  new URLSearchParams(
    `${url.search}${url.hash}`
      .split(/[?#]|&amp;/)
      .slice(1)
      .join('&'),
  )

/** The parameter, other than `via`, that contains a slug; null for none. @param slugs keys */
export const parameterOf = (
  text: string | null | undefined,
  slugs: readonly string[],
): string | null => {
  const url = text ? URL.parse(text) : null
  if (!url) return null
  const names = [...parametersOf(url)].flatMap(([name, value]) =>
    slugs.includes(slugKey(value)) ? name : [],
  )
  const [name = null] = names
  return name !== null && !names.some((one) => /^via$/i.test(one)) && /^[\w.-]{1,100}$/.test(name)
    ? name
    : null
}

/** The form of a link; null if it has none of the partner's slugs, and so credits nobody. */
export const formOf = (link: string, siteUrl: string, slugs: readonly string[]): string | null => {
  const url = URL.parse(link)
  if (!url) return null
  const keys = slugs.map(slugKey)
  const has = (text: string) => keys.includes(slugKey(text))
  const site = isOnSite(link, siteUrl) ? '' : `//${url.host}`
  const named = [...parametersOf(url)].filter(([, value]) => has(value)).map(([name]) => name)
  const parameter = named.includes('via') ? 'via' : named[0]
  if (parameter !== undefined) return `${site}?${parameter}`.slice(0, MAX_FORM_LENGTH)
  return url.pathname.split('/').some((part) => has(decoded(part.replaceAll('+', '%2B'))))
    ? `${site}/`.slice(0, MAX_FORM_LENGTH)
    : null
}

/** Whether a link works; null if that is unknown. @param form null for one that credits nobody */
const worksBy = (form: string | null, forms: LinkForms): boolean | null => {
  if (form === null) return false
  return form === READ_ALWAYS ? true : (forms.get(form) ?? null)
}

/** A partner with its link on the earlier platform. */
export type FormerLinkOwner = {
  formerLink: string | null
  slug: string
  otherSlugs: readonly string[]
}

/** The former link for a mail; undefined without one. An unknown form counts as not working. */
export const formerLinkOf = (
  { formerLink, slug, otherSlugs }: FormerLinkOwner,
  siteUrl: string,
  forms: LinkForms,
): { url: string; works: boolean } | undefined =>
  formerLink === null
    ? undefined
    : {
        url: formerLink,
        works: worksBy(formOf(formerLink, siteUrl, [slug, ...otherSlugs]), forms) === true,
      }

/** The number of links of a form, an example, and whether they work, if that is known. */
export type FormOfLinks = { form: string; links: number; example: string; works: boolean | null }

/** The forms, other than `?via`, of the partners' links, most frequent first. */
export const formsOf = (
  owners: readonly FormerLinkOwner[],
  siteUrl: string,
  forms: LinkForms,
): FormOfLinks[] => {
  const found = new Map<string, FormOfLinks>()
  for (const { formerLink, slug, otherSlugs } of owners) {
    const form = formerLink === null ? null : formOf(formerLink, siteUrl, [slug, ...otherSlugs])
    if (formerLink === null || form === null || form === READ_ALWAYS) continue
    const known = found.get(form) ?? {
      form,
      links: 0,
      example: formerLink,
      works: worksBy(form, forms),
    }
    found.set(form, { ...known, links: known.links + 1 })
  }
  return [...found.values()].sort((a, b) => b.links - a.links)
}

/** What a manager has to do so that links of a form work. */
export const worksIf = (form: string): string => {
  if (form.startsWith('//'))
    return 'They lead to another site: they work if it sends visitors on to yours with the slug.'
  if (form === '/')
    return 'The slug is in the path: they work if your site redirects them to a page with ?via= and the slug.'
  return `They work if the tag on your site has data-params="${form.slice(1)}". A visit by such a link shows it, too.`
}

/** The error for an import whose mails would have to say whether unknown forms work. */
export const unconfirmedMessage = (forms: readonly FormOfLinks[]): string =>
  `No partner was imported: the mail would say whether the links of the earlier platform still work, and that is not known of ${forms
    .map(({ form, links }) => `${form} (${links})`)
    .join(
      ', ',
    )}. Open such a link on your site, or say so by \`options.linkForms\`, then repeat the request.`
