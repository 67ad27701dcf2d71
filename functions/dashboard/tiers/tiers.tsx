import type { Context } from 'hono'
import type { WorkspaceEnv } from '../../../lib/auth/access.ts'
import { changeById, readById } from '../../../lib/auth/rows.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import type { ErrorDetail } from '../../../lib/http/errors.ts'
import { form } from '../../../lib/http/validate.ts'
import type { Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { noticeFor } from '../../../lib/pages/layout/parts.tsx'
import { renderPage } from '../../../lib/pages/layout/render.tsx'
import { textsOf } from '../../../lib/pages/layout/text.ts'
import { listGroups } from '../../../lib/programs/groups.queries.ts'
import { changeProgram, findProgram } from '../../../lib/programs/programs.queries.ts'
import { tierErrors } from '../../../lib/programs/tiers.queries.ts'
import { unknownTiers } from '../../../lib/rules/rewards/conflicts.ts'
import { tierNames } from '../../../lib/rules/tiers/tiers.ts'
import { freshMembersOnly } from '../../../lib/sign-in/fresh-sign-in.tsx'
import { editRows } from '../fields/rows.ts'
import {
  checkTiers,
  LEVELS,
  ofFields,
  readTiersDraft,
  type TiersDraft,
  tiersDraft,
} from './tiers-draft.ts'
import { TiersPage } from './tiers-page.tsx'

type C = Context<WorkspaceEnv>

const TIERS = '/app/:workspace/programs/:id/tiers'

const DONE = { saved: m.tiers_saved }

const pathOf = (c: C) =>
  `/app/${c.var.workspace.slug}/programs/${encodeURIComponent(c.req.param('id') ?? '')}`

type Shown = {
  /** Absent for the saved tiers. */
  draft?: TiersDraft
  focus?: string | null
  errors?: ErrorDetail[]
  done?: Message | undefined
}

const show = async (c: C, { draft, focus = null, errors = [], done }: Shown) => {
  const { db, workspace } = c.var
  const program = await readById(c, 'program', findProgram)
  const groups = await listGroups(db, workspace.id, program.id)
  const rewards = [
    program.reward,
    ...groups.flatMap(({ saleReward, leadReward }) => [saleReward, leadReward]),
  ]
  const children = (
    <TiersPage
      path={pathOf(c)}
      name={program.name}
      draft={draft ?? tiersDraft(program.tiers)}
      unknown={unknownTiers(rewards, tierNames(program.tiers))}
      {...{ groups, focus, errors, done }}
    />
  )
  return renderPage(
    c,
    {
      title: textsOf(c)(m.tiers_of, { name: program.name }),
      section: '/programs',
      styles: ['/reward-rules.css'],
      children,
    },
    errors.length > 0 ? 400 : 200,
  )
}

/** The page with the tiers of a program. */
export default createRoutes<WorkspaceEnv>()
  .get(TIERS, (c) => show(c, { done: noticeFor(DONE, c.req.query('done')) }))
  .post(TIERS, freshMembersOnly(), form(), async (c) => {
    const draft = readTiersDraft(c.req.valid('form'))
    const { data, errors } = checkTiers(draft)
    if (errors) return show(c, { draft, errors })
    const { id } = await readById(c, 'program', findProgram)
    const refused = data ? await tierErrors(c.var.db, id, data) : []
    if (refused.length > 0) return show(c, { draft, errors: ofFields(refused) })
    await changeById(c, 'program', changeProgram, { tiers: data })
    return c.redirect(`${pathOf(c)}/tiers?done=saved`, 303)
  })
  // The target after signing in again, or for an address that was typed.
  .get(`${TIERS}/edit`, (c) => c.redirect(`${pathOf(c)}/tiers`, 303))
  .post(`${TIERS}/edit`, form(), (c) => {
    const fields = c.req.valid('form')
    const draft = readTiersDraft(fields)
    const { rows, focus } = editRows(draft.levels, LEVELS, fields.do)
    return show(c, { draft: { ...draft, levels: rows }, focus })
  })
