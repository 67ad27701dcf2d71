/** When API keys were last used, to the hour. Managers see it before they revoke a key. */
import { type DatabaseEnv, openClient } from '../../db/neon.ts'

const HOUR_MS = 60 * 60 * 1_000
/** Keys that an isolate remembers. When full, it forgets all, and writes some again in the hour. */
const MAX_REMEMBERED = 1_000

/** When this isolate last recorded each key, by hash. */
const recorded = new Map<string, number>()

/**
 * Records the use of a key, at most once an hour per isolate, after the response. Failures are
 * ignored, because nothing depends on it.
 * @param waitUntil keeps the Worker alive for it
 */
export const recordKeyUse = (
  env: DatabaseEnv,
  hash: string,
  now: Date,
  waitUntil: (work: Promise<unknown>) => void,
): void => {
  const at = now.getTime()
  if (at - (recorded.get(hash) ?? 0) < HOUR_MS) return
  if (recorded.size >= MAX_REMEMBERED) recorded.clear()
  recorded.set(hash, at)
  waitUntil(
    openClient(env)
      .query('select note_key_use($1, $2)', [hash, now])
      .catch(() => recorded.delete(hash)),
  )
}
