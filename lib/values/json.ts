/** Untrusted JSON: limits its depth, and refuses characters that Postgres cannot store. */

/** The 32 levels of metadata, and the body itself. */
const MAX_DEPTH = 33

/** Whether a value can be stored. Recursion is limited by the allowed depth. */
const canStore = (value: unknown, depth: number): boolean => {
  if (typeof value === 'string') return isStorable(value)
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  if (depth === MAX_DEPTH) return false
  if (Array.isArray(value)) return value.every((child) => canStore(child, depth + 1))
  // Without a list of entries, which would take longer.
  for (const key in value)
    if (!isStorable(key) || !canStore((value as Record<string, unknown>)[key], depth + 1))
      return false
  return true
}

/** The first value of a body that cannot be stored, or null. */
export const findUnstorable = (body: unknown): { path: string; message: string } | null =>
  canStore(body, 0) ? null : locateUnstorable(body)

/** Iterative, because only the length of a body limits its nesting. */
const locateUnstorable = (body: unknown): { path: string; message: string } | null => {
  const queue: { value: unknown; path: string; depth: number }[] = [
    { value: body, path: '', depth: 0 },
  ]
  for (let item = queue.pop(); item; item = queue.pop()) {
    const { value, path, depth } = item
    if (typeof value === 'string' && !isStorable(value)) return { path, message: UNSTORABLE }
    if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) {
      return { path, message: 'The number is too large. Send it as a string.' }
    }
    if (typeof value !== 'object' || value === null) continue
    if (depth === MAX_DEPTH)
      return { path: '', message: 'Nested too deeply: use at most 32 levels.' }
    for (const [key, child] of Object.entries(value)) {
      if (!isStorable(key)) return { path, message: UNSTORABLE }
      queue.push({ value: child, path: path === '' ? key : `${path}.${key}`, depth: depth + 1 })
    }
  }
  return null
}

const UNSTORABLE = 'Remove the NUL character or the unpaired surrogate.'
const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

/** The value that a text is in JSON; null for any other text. */
export const jsonOf = (text: string | undefined): unknown => {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return null
  }
}

/** Serializes with sorted keys, so that equal content gives equal text. Expects a limited depth. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
