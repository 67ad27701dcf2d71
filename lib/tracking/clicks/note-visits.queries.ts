/** Notes visits, to show whether a program's snippet works. */
import type { Client } from '../../db/neon.ts'
import type { RefusalReason } from '../checks/tracking-check.ts'

export type NotedVisit = {
  programId: string
  slug: string
  /** Without query. */
  page: string | null
  /** Whether the browser had a click of an earlier visit. */
  hadClick: boolean
  /** The parameter, other than `via`, that the link had the slug in; null for none. */
  parameter: string | null
  /** Null for one that was recorded. */
  refusal: RefusalReason | null
}

/** A visit of an unknown program is not noted. */
export const saveVisitNote = async (
  db: Client,
  { programId, refusal, slug, page, hadClick, parameter }: NotedVisit,
  now: Date,
): Promise<void> => {
  await db.query('select note_visit($1, $2, $3, $4, $5, $6, $7)', [
    programId,
    refusal,
    slug,
    page,
    hadClick,
    parameter,
    now,
  ])
}
