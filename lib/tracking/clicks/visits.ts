/** What a visit by a partner's link says. */

import { clickIdsIn } from '../../rules/attribution/click-ids.ts'
import { DELIVERY_MS } from '../../rules/steps/occurred-at.ts'
import { MAX_SLUG_LENGTH, readSub, slugKey } from '../../values/slugs.ts'

/**
 * A click ID that another domain of the merchant has passed on in its URL: docs/snippet.md,
 * "Checkout on another domain".
 */
const PASSED_ON = /^(clk_[A-Za-z0-9]{24}_?)+$/

/** What often follows a link in a text, and is taken for a part of it. */
const AFTER_A_LINK = /[\s/.,;:!?'"”’)\]}>*_]+$/

/** What a tool has glued to a link that has a query already: `?via=maya%3Futm_source%3Dmail`. */
const GLUED_ON = /[?&#].*/s

/** A slug as it is written and, after it, without what a bad link adds to it. */
const spellings = (slug: string): string[] =>
  [slug, slug.replace(GLUED_ON, '')]
    .filter((text) => text.length <= MAX_SLUG_LENGTH)
    .flatMap((text) => [text, text.replace(AFTER_A_LINK, '')].map(slugKey))

type Visit = {
  slug?: string | null | undefined
  slugs?: string[] | null | undefined
  clickId?: string | null | undefined
}

/**
 * The slugs of a visit, the likeliest first, and the visitor's clicks. Slugs that are blank, too
 * long or of several lines are left out.
 */
export const readVisit = ({
  slug,
  slugs,
  clickId,
}: Visit): { slugKeys: string[]; heldIds: string[] } => {
  const given = slugs ?? [slug ?? '']
  const passedOn = given.filter((text) => text.length <= MAX_SLUG_LENGTH && PASSED_ON.test(text))
  const held = [...passedOn, clickId ?? ''].filter((text) => text.startsWith('clk_'))
  return {
    slugKeys: [
      ...new Set(given.filter((text) => !passedOn.includes(text)).flatMap(spellings)),
    ].filter((key) => key && !key.includes('\n')),
    heldIds: clickIdsIn(held.join('_')).filter((id) => id.startsWith('clk_')),
  }
}

/** In characters. A longer URL is cut rather than refused, because the click matters more. */
const MAX_PAGE_LENGTH = 2_048

/** The URL without query and fragment, which may hold email addresses and tokens. */
export const pageOf = (url: string | null | undefined): string | null => {
  const parsed = url ? URL.parse(url) : null
  return parsed && /^https?:$/.test(parsed.protocol)
    ? (parsed.origin + parsed.pathname).slice(0, MAX_PAGE_LENGTH)
    : null
}

/** The channel that a link names by `sub`, in its query or fragment, as the snippet finds slugs. */
export const subOf = (url: string | null | undefined): string | null => {
  const page = url ? URL.parse(url) : null
  if (!page) return null
  const fragment = new URLSearchParams(page.hash.replace(/^#[^?]*\?/, ''))
  return readSub(page.searchParams.get('sub') ?? fragment.get('sub') ?? '')
}

/**
 * From when on a visit counts: its own time if it was sent soon after, else a little before its
 * receipt. A browser can say anything, and a click from before a sale may credit it.
 *
 * @param age milliseconds, as the browser says
 */
export const timeOfVisit = (now: Date, age: number | null | undefined): Date =>
  new Date(now.getTime() - Math.min(Math.max(age ?? 0, 0), DELIVERY_MS))
