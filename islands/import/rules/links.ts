/** Reads the slug in a partner’s link. */

/** Parameters in which platforms put the slug, most likely first. docs/imports.md names them. */
const PARAMETERS = [
  ...[
    'via',
    'ref',
    'fpr',
    'fp_ref',
    'deal',
    '_from',
    '_by',
    '_go',
    'aff',
    'atp',
    'rfsn',
    'a_aid',
    'afmc',
  ],
  ...['sca_ref', 'tap_a', 'tolt', 'affiliate', 'partner', 'referral', 'r'],
]

/** Parameters with the slug in base64. */
const ENCODED_PARAMETERS = ['ps_partner_key', 'gspk']

/** The start of a link within a cell. */
const LINK = /^https?:|^[^.]*\.[^/]*\//i

/** The first of several links, which commas, semicolons, bars or spaces separate; else the text. */
const firstLink = (text: string): string => {
  const parts = [...text.matchAll(/[^,;|\s]+/g)]
  const second = parts.findIndex(([part], index) => index > 0 && LINK.test(part))
  const last = parts[second - 1]
  return last ? text.slice(0, last.index + last[0].length) : text
}

/**
 * Where a link has the slug: in a parameter, which the snippet reads if the merchant's tag names
 * it; encoded in one; or in the path. `null` for a cell with only a slug.
 */
type Place = { in: 'parameter' | 'encoded'; name: string } | { in: 'path' } | null

/** A slug, and the link that it was read from. */
export type FoundLink = { slug: string; place: Place; url: string | null }

/**
 * The slug in a cell: the text itself, or from the first link, a parameter
 * (`https://shop.example/?via=maya`, also behind a `#`) or the path
 * (`https://go.shop.example/maya`). Decoded as the snippet reads links.
 *
 * @returns null if there is none: a made-up slug would break the link
 */
export const linkIn = (text: string): FoundLink | null => {
  const first = firstLink(text)
  if (/^[?#]/.test(first)) return found(slugIn(parametersOf(first)))
  if (/^https?:\/\/|^[\w-]+(\.[\w-]+)+(:\d+)?[/?#]/i.test(first)) return linkOf(first)
  const named = /^\w+=./.test(first) && slugIn(parametersOf(`?${first}`))
  return named ? found(named) : { slug: decoded(text), place: null, url: null }
}

type Slug = { slug: string; place: Place }

const found = (slug: Slug | null, url: string | null = null): FoundLink | null =>
  slug && { ...slug, url }

const linkOf = (link: string): FoundLink | null => {
  const url = URL.parse(/^https?:/i.test(link) ? link : `https://${link}`)
  if (!url) return null
  const parameters = parametersOf(`${url.search}${url.hash}`)
  const slug = slugIn(parameters)
  if (slug) return found(slug, url.href)
  // With other parameters, the link is a page of the site, and its path is no slug.
  if (![...parameters.keys()].every((name) => name.startsWith('utm_'))) return null
  const path = slugInPath(url.pathname)
  return path ? { slug: path, place: { in: 'path' }, url: url.href } : null
}

type Parameters = Map<string, { name: string; value: string }>

/** A link's parameters by lower-case name: first the query, then the fragment. */
const parametersOf = (text: string): Parameters => {
  const parameters: Parameters = new Map()
  for (const [name, value] of new URLSearchParams(text.slice(1).replace(/[?#]/g, '&'))) {
    const key = name.toLowerCase()
    if (value && !parameters.has(key)) parameters.set(key, { name, value })
  }
  // Tapfiliate's second parameter. `a` alone means anything, except behind a `#`.
  if (!parameters.has('tap_s') && !/#.*\ba=/.test(text)) parameters.delete('a')
  return parameters
}

const slugIn = (parameters: Parameters): Slug | null => {
  const plain = parameters.get([...PARAMETERS, 'a'].find((name) => parameters.has(name)) ?? '')
  if (plain) return { slug: plain.value, place: { in: 'parameter', name: plain.name } }
  const encoded = parameters.get(ENCODED_PARAMETERS.find((name) => parameters.has(name)) ?? '')
  if (encoded) {
    const slug = fromBase64(encoded.value)
    return slug ? { slug, place: { in: 'encoded', name: encoded.name } } : null
  }
  const similar = [...parameters].find(([key]) => /^(aff|partner|promoter|ref)/.test(key))?.[1]
  return similar ? { slug: similar.value, place: { in: 'parameter', name: similar.name } } : null
}

const fromBase64 = (text: string): string | null => {
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) =>
      char.charCodeAt(0),
    )
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes) || null
  } catch {
    return null
  }
}

/**
 * The slug in a path such as `/maya` or `/r/maya`. Other paths are pages, and `/en` is a language.
 */
const slugInPath = (path: string): string | null => {
  const [, slug = ''] =
    /^\/(?:(?:a|aff|affiliates?|go|i|invite|p|partners?|r|ref|referral|via)\/)?([^/]+)\/?$/i.exec(
      path,
    ) ?? []
  return slug && !/^[a-z]{2}([-_][a-z]{2})?$/i.test(slug)
    ? decoded(slug.replaceAll('+', '%2B'))
    : null
}

/** Decodes the escapes of a URL. */
const decoded = (text: string): string =>
  new URLSearchParams(`slug=${text.replaceAll('&', '%26')}`).get('slug')?.trim() ?? ''
