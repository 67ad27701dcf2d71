/**
 * Undoes an import in steps: a call of the import each, which may be 500 partners or 1,000
 * customers.
 */

import type { Act } from '../audit/audit.queries.ts'
import type { Db } from '../db/connection.ts'
import { ApiError } from '../http/errors.ts'
import {
  beginUndo,
  previewCall,
  type UndoOptions,
  undoableCalls,
  undoCall,
} from './undo.queries.ts'
import {
  addCalls,
  type CallUndo,
  type ImportUndo,
  KEPT_KINDS,
  type KeptKind,
  UNDO_REASONS,
  type UndoReason,
} from './undo.ts'

/**
 * After this, a request begins with no further call: the database answers a request for nine
 * seconds (lib/db/neon.ts).
 */
const BUDGET_MS = 3_000

/**
 * Calls of an import that a request goes through at most: each is a fetch, and a Worker of the
 * smallest plan makes 50.
 */
const MAX_CALLS = 40

/** `nextCursor` is where to go on: the rest was too much for one request. */
export type UndoStep = ImportUndo & { nextCursor: string | null }

type Request = UndoOptions & { importId: string; cursor: string | undefined; dryRun: boolean }

/**
 * Takes back what an import has made, as far as nothing relies on it, or previews that.
 *
 * @returns undefined if the workspace has no such import
 */
export const undoImport = async (
  db: Db,
  act: Act,
  { importId, cursor, dryRun, ...options }: Request,
): Promise<UndoStep | undefined> => {
  const calls = await undoableCalls(db, act.workspaceId, importId, cursor)
  if (calls.length === 0 && !cursor) return undefined
  if (!dryRun) await beginUndo(db, act, importId)
  const until = Date.now() + BUDGET_MS
  const done: CallUndo[] = []
  for (const call of calls) {
    done.push(
      await (dryRun
        ? previewCall(db, act.workspaceId, call, options)
        : undoCall(db, act, call, options)),
    )
    if (done.length === MAX_CALLS || Date.now() > until) break
  }
  const last = done.length < calls.length ? calls[done.length - 1] : undefined
  return { ...addCalls(done), nextCursor: last ?? null }
}

/** A row that stays, as a file has it. The id is that of the call that made it. */
export type KeptRow = {
  id: string
  kind: (typeof KEPT_KINDS)[KeptKind]
  customer: string | null
  partner: string | null
  code: UndoReason
  message: string
}

/** More than a call makes: 500 partners with their balances, or 1,000 customers. */
const ALL_OF_CALL = 10_000

/**
 * All that stays of the calls before one, the latest first: at least `limit` rows, unless there are
 * no more.
 *
 * @param open connects to the database: each call of the import has the deadline of one request
 * @param cursor of the last row that was read
 */
export const listKept = async (
  open: () => Db,
  workspaceId: string,
  importId: string,
  { cursor, limit, ...options }: UndoOptions & { cursor?: string | undefined; limit: number },
): Promise<KeptRow[]> => {
  const kept: KeptRow[] = []
  for (const call of await undoableCalls(open(), workspaceId, importId, cursor)) {
    const { rows } = await previewCall(open(), workspaceId, call, options, ALL_OF_CALL)
    for (const { kind, customer, partner, reason } of rows)
      kept.push({
        id: call,
        kind: KEPT_KINDS[kind],
        customer,
        partner,
        code: reason,
        message: `${UNDO_REASONS[reason]}.`,
      })
    if (kept.length >= limit) break
  }
  return kept
}

/** For a call of an import that was undone: its first answer would be a false success. */
export const importUndone = (): ApiError =>
  new ApiError(
    'conflict',
    'This import was undone, so nothing of it is saved any more. To import its rows again, send them with another importId.',
  )
