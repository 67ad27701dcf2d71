import type { Context } from 'hono'
import { actOf, type WorkspaceEnv } from '../../../lib/auth/access.ts'
import { expensive } from '../../../lib/auth/expensive/expensive.ts'
import { readById } from '../../../lib/auth/rows.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { ApiError } from '../../../lib/http/errors.ts'
import { checked, form } from '../../../lib/http/validate.ts'
import * as m from '../../../lib/languages/messages.ts'
import { renderSection } from '../../../lib/pages/layout/render.tsx'
import { textsOf } from '../../../lib/pages/layout/text.ts'
import { findProgram } from '../../../lib/programs/programs.queries.ts'
import { CutOver } from '../../../lib/shadow/cut-over/cut-over.schemas.ts'
import { makeCutOver, previewCutOver } from '../../../lib/shadow/cut-over/cut-over.service.ts'
import { isUnreadMessage } from '../../../lib/shadow/cut-over/cut-over.ts'
import { confirmedByPasskey, freshMembersOnly } from '../../../lib/sign-in/fresh-sign-in.tsx'
import { CutOverPage } from './cut-over-page.tsx'

const PATH = '/app/:workspace/programs/:id/shadow/cut-over'

const readProgram = (c: Context<WorkspaceEnv>) => readById(c, 'program', findProgram)

/** The preview, with the problem of a failed cut-over. */
const show = async (c: Context<WorkspaceEnv>, leaveOut: string[], problem?: string) => {
  const { db, workspace } = c.var
  const program = await readProgram(c)
  const preview = await previewCutOver(db, workspace.id, { programId: program.id, leaveOut })
  const base = `/app/${workspace.slug}`
  const children = <CutOverPage {...{ base, program, preview, leaveOut, problem }} />
  const title = textsOf(c)(m.shadow_cut_over_of, { name: program.name })
  return renderSection(c, '/programs', title, children, problem ? 409 : 200)
}

const parsed = (text: string | undefined): unknown => {
  try {
    return JSON.parse(text ?? '[]')
  } catch {
    return null
  }
}

/** /app/:workspace/programs/:id/shadow/cut-over: previews and makes the cut-over of a program. */
export default createRoutes<WorkspaceEnv>()
  .get(PATH, expensive(), (c) => {
    const { data } = checked(CutOver, { leaveOut: c.req.queries('leaveOut') ?? [] })
    return show(c, data?.leaveOut ?? [])
  })
  .post(PATH, freshMembersOnly(), confirmedByPasskey(), expensive(), form(), async (c) => {
    const t = textsOf(c)
    const { leaveOut, expected } = c.req.valid('form')
    const { data } = checked(CutOver, { leaveOut: parsed(leaveOut), expected: parsed(expected) })
    if (!data) throw new ApiError('invalid_body', t(m.layout_send_form_from_its_page))
    const program = await readProgram(c)
    const request = {
      programId: program.id,
      leaveOut: data.leaveOut ?? [],
      expected: data.expected ?? [],
    }
    try {
      const { cutOverAt } = await makeCutOver(c.var.db, actOf(c), request)
      if (cutOverAt === null) return show(c, request.leaveOut, t(m.shadow_some_balances_cannot))
    } catch (error) {
      if (
        error instanceof ApiError &&
        (error.code === 'preview_changed' || isUnreadMessage(error.message))
      )
        return show(c, request.leaveOut, error.message)
      throw error
    }
    return c.redirect(
      `/app/${c.var.workspace.slug}/programs/${program.id}/shadow?done=cut_over`,
      303,
    )
  })
