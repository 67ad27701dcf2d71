/** Clicks: visits through a partner's link. */
import { newClickId } from '../db/ids.ts'
import type { Client } from '../db/neon.ts'

type NewClick = {
  programId: string
  slugKey: string
  landingUrl: string | null
  referrer: string | null
  /** Whether the browser does not declare itself a bot. Bots are not counted. */
  isPerson: boolean
  /** The click that the visitor has. A repeated arrival within 30 minutes of it is not counted. */
  earlierId: string | null
  now: Date
}

/**
 * Records a visit through an active partner's link. It expires after the program's attribution days, counted from `now`.
 *
 * @returns null when the program has no active partner with that slug
 */
export const saveClick = async (
  db: Client,
  { programId, slugKey, landingUrl, referrer, isPerson, earlierId, now }: NewClick,
): Promise<{ clickId: string; expiresAt: Date } | null> => {
  const clickId = newClickId()
  const [row] = await db.query<{ expiresAt: Date | null }>(
    'select save_click_1($1, $2, $3, $4, $5, $6, $7, $8) as "expiresAt"',
    [clickId, programId, slugKey, landingUrl, referrer, isPerson, earlierId, now],
  )
  return row?.expiresAt ? { clickId, expiresAt: row.expiresAt } : null
}
