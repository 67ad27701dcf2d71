import { actOf, freshMember, reader } from '../../../lib/auth/access.ts'
import { expensive } from '../../../lib/auth/expensive/expensive.ts'
import { idempotent } from '../../../lib/auth/idempotency/idempotent.ts'
import {
  isPasskeyMissing,
  passkeyRequired,
  requirePasskeyToPay,
} from '../../../lib/auth/passkey-for-payouts.ts'
import { readById, readPage } from '../../../lib/auth/rows.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { ApiError, type ErrorDetail } from '../../../lib/http/errors.ts'
import { found } from '../../../lib/http/found-or-404.ts'
import { Page } from '../../../lib/http/lists.ts'
import { body, invalid, query } from '../../../lib/http/validate.ts'
import { programWhatIf } from '../../../lib/overview/what-if.service.ts'
import {
  changeProgram,
  createProgram,
  findProgram,
  listPrograms,
  type Program,
} from '../../../lib/programs/programs.queries.ts'
import type { ProgramResponse } from '../../../lib/programs/programs.responses.ts'
import { NewProgram, ProgramChange } from '../../../lib/programs/programs.schemas.ts'
import { paysOtherwise } from '../../../lib/programs/programs.ts'
import { tierErrors } from '../../../lib/programs/tiers.queries.ts'
import { rewardResponse } from '../../../lib/rules/rewards/rewards.ts'
import { changeMode } from '../../../lib/shadow/mode.service.ts'
import type { WhatIfResponse } from '../../../lib/tracking/what-if/what-if.responses.ts'

const programResponse = (program: Program): ProgramResponse => ({
  ...program,
  reward: rewardResponse(program.reward),
})

const refuse = (errors: ErrorDetail[]): void => {
  if (errors.length > 0) throw invalid('invalid_body', errors)
}

const PROGRAMS = '/api/workspaces/:workspace/programs'

/** /programs: the terms on which a merchant rewards its partners. Design, section 12. */
export default createRoutes()
  .get(PROGRAMS, reader(), query(Page), async (c) =>
    c.json(await readPage(c, c.req.valid('query'), listPrograms, programResponse)),
  )
  .post(PROGRAMS, freshMember(), body(NewProgram), idempotent(), async (c) => {
    const { mode, ...terms } = c.req.valid('json')
    if (paysOtherwise(null, terms)) requirePasskeyToPay(c)
    if (terms.tiers) refuse(await tierErrors(c.var.db, null, terms.tiers))
    const program = await createProgram(c.var.db, actOf(c), terms, mode ?? undefined)
    return c.json(programResponse(program), 201)
  })
  .get(`${PROGRAMS}/:id`, reader(), async (c) => {
    const program = await readById(c, 'program', findProgram)
    return c.json(programResponse(program))
  })
  .patch(`${PROGRAMS}/:id`, freshMember(), body(ProgramChange), async (c) => {
    const { mode, ...change } = c.req.valid('json')
    if (change.tiers) {
      const { id } = await readById(c, 'program', findProgram)
      refuse(await tierErrors(c.var.db, id, change.tiers))
    }
    const program = await found('program', c.req.param('id'), async (id) => {
      if (
        isPasskeyMissing(c) &&
        paysOtherwise(await findProgram(c.var.db, c.var.workspace.id, id), change)
      )
        throw passkeyRequired()
      const refusal = mode && (await changeMode(c.var.db, actOf(c), id, mode))
      if (refusal) throw new ApiError('conflict', refusal)
      return changeProgram(c.var.db, actOf(c), id, change)
    })
    return c.json(programResponse(program))
  })
  .post(`${PROGRAMS}/:id/what-if`, reader(), expensive(), body(ProgramChange), async (c) => {
    const { db, now, workspace } = c.var
    const program = await readById(c, 'program', findProgram)
    const change = c.req.valid('json')
    const result: WhatIfResponse = await programWhatIf(db, workspace.id, program, change, now)
    return c.json(result)
  })
