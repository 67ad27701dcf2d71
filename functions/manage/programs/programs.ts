import { actOf, freshMember, reader } from '../../../lib/auth/access.ts'
import { expensive } from '../../../lib/auth/expensive/expensive.ts'
import { idempotent } from '../../../lib/auth/idempotency/idempotent.ts'
import {
  isPasskeyMissing,
  passkeyRequired,
  requirePasskeyToPay,
} from '../../../lib/auth/passkey-for-payouts.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { ApiError } from '../../../lib/http/errors.ts'
import { found } from '../../../lib/http/found-or-404.ts'
import { Page, page } from '../../../lib/http/lists.ts'
import { body, query } from '../../../lib/http/validate.ts'
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
import { rewardResponse } from '../../../lib/rules/rewards/rewards.ts'
import { changeMode } from '../../../lib/shadow/mode.service.ts'
import type { WhatIfResponse } from '../../../lib/tracking/what-if/what-if.responses.ts'

const programResponse = (program: Program): ProgramResponse => ({
  ...program,
  reward: rewardResponse(program.reward),
})

/** /programs: the terms on which a merchant rewards its partners. Design, section 12. */
export default createRoutes()
  .get('/api/workspaces/:workspace/programs', reader(), query(Page), async (c) => {
    const { limit, cursor } = c.req.valid('query')
    const programs = await listPrograms(c.var.db, c.var.workspace.id, { cursor, limit: limit + 1 })
    return c.json(page(programs, limit, programResponse))
  })
  .post(
    '/api/workspaces/:workspace/programs',
    freshMember(),
    body(NewProgram),
    idempotent(),
    async (c) => {
      const { mode, ...terms } = c.req.valid('json')
      if (paysOtherwise(null, terms)) requirePasskeyToPay(c)
      const program = await createProgram(c.var.db, actOf(c), terms, mode ?? undefined)
      return c.json(programResponse(program), 201)
    },
  )
  .get('/api/workspaces/:workspace/programs/:id', reader(), async (c) => {
    const { db, workspace } = c.var
    const program = await found('program', c.req.param('id'), (id) =>
      findProgram(db, workspace.id, id),
    )
    return c.json(programResponse(program))
  })
  .patch(
    '/api/workspaces/:workspace/programs/:id',
    freshMember(),
    body(ProgramChange),
    async (c) => {
      const { mode, ...change } = c.req.valid('json')
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
    },
  )
  .post(
    '/api/workspaces/:workspace/programs/:id/what-if',
    reader(),
    expensive(),
    body(ProgramChange),
    async (c) => {
      const { db, now, workspace } = c.var
      const program = await found('program', c.req.param('id'), (id) =>
        findProgram(db, workspace.id, id),
      )
      const result: WhatIfResponse = await programWhatIf(
        db,
        workspace.id,
        program,
        c.req.valid('json'),
        now,
      )
      return c.json(result)
    },
  )
