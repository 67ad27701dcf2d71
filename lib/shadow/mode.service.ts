/** Changes of a program's mode, as managers request them. */

import type { Act } from '../audit/audit.queries.ts'
import type { Db } from '../db/connection.ts'
import { notFound } from '../http/found-or-404.ts'
import { findProgram } from '../programs/programs.queries.ts'
import { END_REFUSAL, type ProgramMode, startRefusalOf } from '../rules/programs/mode.ts'
import { startShadowRun } from './mode.queries.ts'

/** Starts a shadow run, unless the program has the mode. @returns why it is refused, else null */
export const changeMode = async (
  db: Db,
  act: Act,
  programId: string,
  mode: ProgramMode,
): Promise<string | null> => {
  if (mode === 'live') {
    const program = await findProgram(db, act.workspaceId, programId)
    return program?.mode === 'shadow' ? END_REFUSAL : null
  }
  const facts = await startShadowRun(db, act, programId)
  if (!facts) throw notFound('program')
  return startRefusalOf(facts)
}
