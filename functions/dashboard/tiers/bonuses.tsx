import type { Context } from 'hono'
import type { WorkspaceEnv } from '../../../lib/auth/access.ts'
import { changeById, readById } from '../../../lib/auth/rows.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import type { ErrorDetail } from '../../../lib/http/errors.ts'
import { type Fields, form } from '../../../lib/http/validate.ts'
import type { Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { noticeFor } from '../../../lib/pages/layout/parts.tsx'
import { renderPage } from '../../../lib/pages/layout/render.tsx'
import { textsOf } from '../../../lib/pages/layout/text.ts'
import { changeProgram, findProgram } from '../../../lib/programs/programs.queries.ts'
import { freshMembersOnly } from '../../../lib/sign-in/fresh-sign-in.tsx'
import { editRows, rowsIn } from '../fields/rows.ts'
import { BONUSES, bonusFields, checkBonuses } from './bonuses-draft.ts'
import { BonusesPage } from './bonuses-page.tsx'

type C = Context<WorkspaceEnv>

const PATH = '/app/:workspace/programs/:id/bonuses'

const DONE = { saved: m.bonuses_saved }

const pathOf = (c: C) =>
  `/app/${c.var.workspace.slug}/programs/${encodeURIComponent(c.req.param('id') ?? '')}`

type Shown = {
  /** Absent for the saved bonuses. */
  rows?: Fields[]
  focus?: string | null
  errors?: ErrorDetail[]
  done?: Message | undefined
}

const show = async (c: C, { rows, focus = null, errors = [], done }: Shown) => {
  const { name, bonuses } = await readById(c, 'program', findProgram)
  const children = (
    <BonusesPage
      path={pathOf(c)}
      saved={bonuses}
      rows={rows ?? bonuses.map(bonusFields)}
      {...{ name, focus, errors, done }}
    />
  )
  return renderPage(
    c,
    {
      title: textsOf(c)(m.bonuses_of, { name }),
      section: '/programs',
      styles: ['/reward-rules.css'],
      children,
    },
    errors.length > 0 ? 400 : 200,
  )
}

/** The page with the bonuses of a program. */
export default createRoutes<WorkspaceEnv>()
  .get(PATH, (c) => show(c, { done: noticeFor(DONE, c.req.query('done')) }))
  .post(PATH, freshMembersOnly(), form(), async (c) => {
    const rows = rowsIn(c.req.valid('form'), BONUSES)
    const { data, errors } = checkBonuses(rows)
    if (errors) return show(c, { rows, errors })
    await changeById(c, 'program', changeProgram, { bonuses: data })
    return c.redirect(`${pathOf(c)}/bonuses?done=saved`, 303)
  })
  // The target after signing in again, or for an address that was typed.
  .get(`${PATH}/edit`, (c) => c.redirect(`${pathOf(c)}/bonuses`, 303))
  .post(`${PATH}/edit`, form(), (c) => {
    const fields = c.req.valid('form')
    return show(c, editRows(rowsIn(fields, BONUSES), BONUSES, fields.do))
  })
