/** JSON as strangers send it: bounded in depth, without the characters that Postgres can't hold. */

/** Levels of nesting in a body: the 32 that metadata may have, and the body around it. */
const MAX_DEPTH = 33

/**
 * The first thing in a parsed body that can't be kept, as a path and a message, or null.
 * Walks with a list of its own instead of recursion: a body may be nested as deep as it is long.
 */
export const findUnstorable = (body: unknown): { path: string; message: string } | null => {
  const queue: { value: unknown; path: string; depth: number }[] = [{ value: body, path: '', depth: 0 }]
  for (let item = queue.pop(); item; item = queue.pop()) {
    const { value, path, depth } = item
    if (typeof value === 'string' && !isStorable(value)) return { path, message: UNSTORABLE }
    if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) {
      return { path, message: 'The number is too large. Send it as a string.' }
    }
    if (typeof value !== 'object' || value === null) continue
    if (depth === MAX_DEPTH) return { path: '', message: 'Nested too deeply: use at most 32 levels.' }
    for (const [key, child] of Object.entries(value)) {
      if (!isStorable(key)) return { path, message: UNSTORABLE }
      queue.push({ value: child, path: path === '' ? key : `${path}.${key}`, depth: depth + 1 })
    }
  }
  return null
}

const UNSTORABLE = 'Remove the NUL or the unpaired surrogate: it is not text.'
const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

/** The same JSON for the same content: keys in order at every level. Expects a bounded depth. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
