/** Clicks: visits through a partner's link. */
import { newClickId } from '../db/ids.ts'
import type { Client } from '../db/neon.ts'

type NewClick = {
  programId: string
  slugKey: string
  landingUrl: string | null
  referrer: string | null
  now: Date
}

/**
 * Records a visit through an active partner's link. It expires after the program's attribution days, counted from `now`.
 *
 * @returns null when the program has no active partner with that slug
 */
export const saveClick = async (
  db: Client,
  { programId, slugKey, landingUrl, referrer, now }: NewClick,
): Promise<{ clickId: string; expiresAt: Date } | null> => {
  const clickId = newClickId()
  const [row] = await db.query<{ expiresAt: Date | null }>(
    'select save_click_1($1, $2, $3, $4, $5, $6) as "expiresAt"',
    [clickId, programId, slugKey, landingUrl, referrer, now],
  )
  return row?.expiresAt ? { clickId, expiresAt: row.expiresAt } : null
}
