/** Clicks: visits through a partner's link. */
import { newClickId } from '../db/ids.ts'
import type { Client } from '../db/neon.ts'

export type NewClick = {
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

export type SavedClick = { clickId: string; expiresAt: Date }

const SAVE = 'save_click_1($1, $2, $3, $4, $5, $6, $7, $8)'

const argumentsOf = (clickId: string, click: NewClick) => [
  clickId,
  click.programId,
  click.slugKey,
  click.landingUrl,
  click.referrer,
  click.isPerson,
  click.earlierId,
  click.now,
]

/**
 * Records a visit through an active partner's link. It expires after the program's attribution days, counted from `now`.
 *
 * @returns null when the program has no active partner with that slug
 */
export const saveClick = async (db: Client, click: NewClick): Promise<SavedClick | null> => {
  const clickId = newClickId()
  const [row] = await db.query<{ expiresAt: Date | null }>(
    `select ${SAVE} as "expiresAt"`,
    argumentsOf(clickId, click),
  )
  return row?.expiresAt ? { clickId, expiresAt: row.expiresAt } : null
}

/**
 * The same for a click that a proxy under the merchant's domain passes on with an API key of the scope `clicks`.
 *
 * @returns 'refused', and saves nothing, if the key is not one of the program's workspace with that scope
 */
export const savePassedOnClick = async (
  db: Client,
  click: NewClick,
  apiKeyHash: string,
): Promise<SavedClick | null | 'refused'> => {
  const clickId = newClickId()
  const [row] = await db.query<{ isAllowed: boolean; expiresAt: Date | null }>(
    `select "isAllowed", case when "isAllowed" then ${SAVE} end as "expiresAt"
     from (select may_pass_on_1($9, $2, $8) as "isAllowed" offset 0) key`,
    [...argumentsOf(clickId, click), apiKeyHash],
  )
  if (!row?.isAllowed) return 'refused'
  return row.expiresAt ? { clickId, expiresAt: row.expiresAt } : null
}
