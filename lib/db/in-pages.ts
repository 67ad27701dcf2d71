/** The pages of a kind that one run of the cron may take: a small share of its subrequests. */
export const mostPages = (least: number, { MAX_FETCHES }: { MAX_FETCHES?: string }): number =>
  Math.max(least, Math.floor((Number(MAX_FETCHES) || 0) / 100))

/** Repeats a call until it finds less than a page, or `most` times. @returns the total */
export const inPages = async (
  { page, most }: { page: number; most: number },
  call: (limit: number) => Promise<number>,
): Promise<number> => {
  let found = 0
  for (let pages = 0; pages < most; pages++) {
    const more = await call(page)
    found += more
    if (more < page) break
  }
  return found
}
