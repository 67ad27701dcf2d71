/** The cut-over of a program, previewed and made. */

import type { Act } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import { ApiError } from '../../http/errors.ts'
import { NOT_IN_SHADOW } from '../../rules/programs/mode.ts'
import { cutOver, listOwed, readLastRun } from './cut-over.queries.ts'
import { areSameSums, type CutOverSum, type OwedBalance, sumsOf, whyUnread } from './cut-over.ts'

export type CutOverRequest = {
  programId: string
  leaveOut: string[]
  /** The sums of the preview; null if any sum may be taken over. */
  expected: CutOverSum[] | null
}

export type CutOverOutcome = {
  /** null if nothing has happened. */
  cutOverAt: Date | null
  sums: CutOverSum[]
  refused: OwedBalance[]
  balances: OwedBalance[]
  isRepeat: boolean
}

/** @property unread why the other platform's debts are unknown, which prevents the cut-over */
export type CutOverPreview = CutOverOutcome & { unread: string | null }

const CHANGED =
  'What the other platform owes has changed since the preview, so nothing has happened. Check the preview, and retry with its sums.'

const split = (owed: OwedBalance[]) => ({
  balances: owed.filter(({ code }) => code === null),
  refused: owed.filter(({ code }) => code !== null),
})

/**
 * The cut-over that was made before, if the program is live again.
 * @throws {ApiError} `conflict` if it never ran in shadow mode, or is read
 */
const findCutOver = async (
  db: Db,
  workspaceId: string,
  programId: string,
): Promise<CutOverOutcome | null> => {
  const run = await readLastRun(db, workspaceId, programId)
  if (!run) throw new ApiError('conflict', NOT_IN_SHADOW)
  const unread = whyUnread(run)
  if (run.mode === 'shadow' && unread) throw new ApiError('conflict', unread)
  if (run.mode === 'shadow') return null
  return {
    cutOverAt: run.endedAt,
    sums: run.result?.sums ?? [],
    balances: [],
    refused: [],
    isRepeat: true,
  }
}

/** Previews a cut-over. @throws {ApiError} `conflict` if the program does not run in shadow mode */
export const previewCutOver = async (
  db: Db,
  workspaceId: string,
  { programId, leaveOut }: Pick<CutOverRequest, 'programId' | 'leaveOut'>,
): Promise<CutOverPreview> => {
  const run = await readLastRun(db, workspaceId, programId)
  if (run?.mode !== 'shadow') throw new ApiError('conflict', NOT_IN_SHADOW)
  const { balances, refused } = split(await listOwed(db, { workspaceId, programId, leaveOut }))
  return {
    ...{ cutOverAt: null, sums: sumsOf(balances), balances, refused, isRepeat: false },
    unread: whyUnread(run),
  }
}

/**
 * Cuts a program over. A repeat returns what was done.
 *
 * @throws {ApiError} `conflict` if the program never ran in shadow mode, or the other platform is
 *   being read; `preview_changed` if the sums differ from those expected
 */
export const makeCutOver = async (
  db: Db,
  act: Act,
  request: CutOverRequest,
): Promise<CutOverOutcome> => {
  const { workspaceId } = act
  const { programId, leaveOut, expected } = request
  const made = await findCutOver(db, workspaceId, programId)
  if (made) return made
  const scope = { workspaceId, programId, leaveOut }
  const { balances, refused } = split(await listOwed(db, scope))
  const sums = sumsOf(balances)
  const isExpected = refused.length === 0 && (!expected || areSameSums(expected, sums))
  const run = isExpected ? await cutOver(db, act, scope, sums) : undefined
  if (run?.mode === 'live') {
    return {
      cutOverAt: run.endedAt,
      sums: run.result?.sums ?? sums,
      balances,
      refused,
      isRepeat: false,
    }
  }
  // A concurrent request may have made it meanwhile.
  const meanwhile = await findCutOver(db, workspaceId, programId)
  if (meanwhile) return meanwhile
  if (refused.length === 0) throw new ApiError('preview_changed', CHANGED)
  return { cutOverAt: null, sums, balances, refused, isRepeat: false }
}
