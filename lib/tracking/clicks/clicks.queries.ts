/** Clicks: visits through a partner's link. */
import { namesDeletedRow } from '../../db/deleted-rows.ts'
import { newClickId } from '../../db/ids.ts'
import type { Client } from '../../db/neon.ts'
import { joinClickIds } from '../../rules/attribution/click-ids.ts'

export type NewClick = {
  programId: string
  /** The partner is the first of them that is one. Without any, nothing is recorded. */
  slugKeys: string[]
  landingUrl: string | null
  referrer: string | null
  /** See `subOf`. */
  sub: string | null
  /** Whether the browser does not declare itself a bot. Bots are not counted. */
  isPerson: boolean
  /**
   * The clicks that the visitor has. A repeated arrival within 30 minutes of one through a link of
   * the same partner is not counted.
   */
  heldIds: string[]
  /** Before `now` if it could not be delivered at once. */
  clickedAt: Date
  now: Date
  /** Clicks of the program stored a day. Beyond that, one a minute is stored for each partner. */
  dailyClicks: number
}

/** What save_click of schema.sql returns: the visitor's click, and those of other programs. */
type Saved = { id: string; expiresAt: string; others: string[]; othersExpireAt: string | null }

/** What a visitor is to keep. */
export type HeldClick = {
  /** Of the program, which is not the visit's if an earlier one stands. */
  expiresAt: Date
  /** Those of other programs too: see click-ids.ts. */
  clickId: string
  /** When the last of them expires, as far as it is known. */
  keptUntil: Date
}

const SAVE = 'save_click($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)'

const argumentsOf = (clickId: string, click: NewClick) => [
  clickId,
  click.programId,
  click.slugKeys.join('\n') || null,
  click.landingUrl,
  click.referrer,
  click.sub,
  click.isPerson,
  click.heldIds.join('\n') || null,
  click.clickedAt,
  click.now,
  click.dailyClicks,
]

const toHeld = ({ id, expiresAt, others, othersExpireAt }: Saved): HeldClick => {
  const ends = new Date(expiresAt)
  const othersEnd = othersExpireAt === null ? ends : new Date(othersExpireAt)
  return {
    clickId: joinClickIds([id, ...others]),
    expiresAt: ends,
    keptUntil: othersEnd > ends ? othersEnd : ends,
  }
}

/**
 * Records a visit through an active partner's link. It expires after the program's attribution
 * days, counted from the visit.
 *
 * @returns null when the program has no active partner with one of the slugs, and the visitor no
 *   click of it
 */
export const saveClick = async (db: Client, click: NewClick): Promise<HeldClick | null> => {
  const rows = await unlessDeleted(
    db.query<{ saved: Saved | null }>(`select ${SAVE} as saved`, argumentsOf(newClickId(), click)),
  )
  const saved = rows?.[0]?.saved
  return saved ? toHeld(saved) : null
}

/** @returns null if the partner was deleted at the same time */
const unlessDeleted = async <T>(saving: Promise<T>): Promise<T | null> => {
  try {
    return await saving
  } catch (error) {
    if (namesDeletedRow(error)) return null
    throw error
  }
}

/**
 * The same for a click that a proxy under the merchant's domain passes on with an API key of the
 * scope `clicks`.
 *
 * @returns 'refused', and saves nothing, if the key is not one of the program's workspace with that
 *   scope
 */
export const savePassedOnClick = async (
  db: Client,
  click: NewClick,
  apiKeyHash: string,
): Promise<HeldClick | null | 'refused'> => {
  const rows = await unlessDeleted(
    db.query<{ isAllowed: boolean; saved: Saved | null }>(
      `select "isAllowed", case when "isAllowed" then ${SAVE} end as saved
       from (select may_pass_on($12, $2, $10) as "isAllowed" offset 0) key`,
      [...argumentsOf(newClickId(), click), apiKeyHash],
    ),
  )
  if (!rows) return null
  const [row] = rows
  if (!row?.isAllowed) return 'refused'
  return row.saved && toHeld(row.saved)
}
