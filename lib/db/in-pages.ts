/**
 * Repeats a call of the cron until it has found less than a page, or as often as one run allows.
 *
 * @returns how many it has found in all
 */
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
