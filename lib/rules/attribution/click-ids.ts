/**
 * The click IDs in a text that stands for one: a site of several programs has one for each, and the
 * snippet keeps and passes them as one text, joined by "_". docs/snippet.md, "Several programs".
 */

/** More programs than a site has. */
const MAX_CLICK_IDS = 5

/** The IDs in a text, in its order. A text without any is itself an unknown ID. */
export const clickIdsIn = (text: string): string[] => {
  const ids = text.match(/clk_[A-Za-z0-9]+/g) ?? [text]
  return [...new Set(ids)].slice(0, MAX_CLICK_IDS)
}

/** The newest first. The oldest are left out, should there be too many. */
export const joinClickIds = (ids: string[]): string => ids.slice(0, MAX_CLICK_IDS).join('_')
