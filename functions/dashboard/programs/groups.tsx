import type { Context } from 'hono'
import { actOf, type WorkspaceEnv } from '../../../lib/auth/access.ts'
import { expensive } from '../../../lib/auth/expensive/expensive.ts'
import { changeById, readById } from '../../../lib/auth/rows.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import type { ErrorDetail } from '../../../lib/http/errors.ts'
import { found } from '../../../lib/http/found-or-404.ts'
import { type Fields, form } from '../../../lib/http/validate.ts'
import * as m from '../../../lib/languages/messages.ts'
import { groupWhatIf } from '../../../lib/overview/what-if.service.ts'
import { checkForm } from '../../../lib/pages/forms/forms.ts'
import { keepRules } from '../../../lib/pages/forms/read-reward.ts'
import { noticeFor } from '../../../lib/pages/layout/parts.tsx'
import { renderPage } from '../../../lib/pages/layout/render.tsx'
import { textsOf } from '../../../lib/pages/layout/text.ts'
import { changeGroup, createGroup, findGroup } from '../../../lib/programs/groups.queries.ts'
import { NewGroup } from '../../../lib/programs/groups.schemas.ts'
import { findProgram } from '../../../lib/programs/programs.queries.ts'
import type { GroupTerms } from '../../../lib/programs/programs.ts'
import { freshMembersOnly } from '../../../lib/sign-in/fresh-sign-in.tsx'
import {
  GroupPage,
  GroupPreviewPage,
  groupFields,
  NewGroupPage,
  readGroup,
} from './group-pages.tsx'

/** For pages with a form of rewards. */
const SCRIPTS = ['/rewards.js']

const DONE = {
  created: m.groups_created_notice,
  saved: m.groups_saved_notice,
}

/** The pages that create and change a program's groups. */
export default createRoutes<WorkspaceEnv>()
  .get('/app/:workspace/programs/:id/groups/new', async (c) => {
    const { workspace } = c.var
    const program = await readById(c, 'program', findProgram)
    const children = <NewGroupPage base={`/app/${workspace.slug}`} program={program} />
    return renderPage(c, {
      title: m.layout_new_group,
      section: '/programs',
      scripts: SCRIPTS,
      children,
    })
  })
  .post('/app/:workspace/programs/:id/groups/new', freshMembersOnly(), form(), async (c) => {
    const { db, workspace } = c.var
    const base = `/app/${workspace.slug}`
    const fields = c.req.valid('form')
    const program = await readById(c, 'program', findProgram)
    const { data, errors } = checkForm(NewGroup, readGroup(fields))
    if (errors) {
      const children = <NewGroupPage {...{ base, program, fields, errors }} />
      return renderPage(
        c,
        { title: m.layout_new_group, section: '/programs', scripts: SCRIPTS, children },
        400,
      )
    }
    const { id } = await createGroup(db, actOf(c), program.id, data)
    return c.redirect(`${base}/groups/${id}?done=created`, 303)
  })
  .get('/app/:workspace/groups/:id', async (c) => {
    const { now, workspace } = c.var
    const { group, program } = await load(c, c.req.param('id'))
    const done = noticeFor(DONE, c.req.query('done'))
    const children = (
      <GroupPage {...{ workspace, program, group, now, done }} fields={groupFields(group)} />
    )
    return renderPage(c, { title: group.name, section: '/programs', scripts: SCRIPTS, children })
  })
  .post('/app/:workspace/groups/:id', freshMembersOnly(), form(), async (c) => {
    const fields = c.req.valid('form')
    const { data, errors } = checkForm(NewGroup, readGroup(fields))
    if (errors) return refuse(c, c.req.param('id'), fields, errors)
    const { group } = await load(c, c.req.param('id'))
    const { id } = await changeById(c, 'group', changeGroup, withRules(data, group))
    return c.redirect(`/app/${c.var.workspace.slug}/groups/${id}?done=saved`, 303)
  })
  // The target after signing in again, or for a preview's address that was typed.
  .get('/app/:workspace/groups/:id/what-if', (c) =>
    c.redirect(`/app/${c.var.workspace.slug}/groups/${encodeURIComponent(c.req.param('id'))}`, 303),
  )
  .post('/app/:workspace/groups/:id/what-if', expensive(), form(), async (c) => {
    const t = textsOf(c)
    const { db, now, workspace } = c.var
    const fields = c.req.valid('form')
    const { data, errors } = checkForm(NewGroup, readGroup(fields))
    if (errors) return refuse(c, c.req.param('id'), fields, errors)
    const { group, program } = await load(c, c.req.param('id'))
    const entered = withRules(data, group)
    const whatIf = await groupWhatIf(db, workspace.id, group, entered, now)
    const base = `/app/${workspace.slug}`
    const children = (
      <GroupPreviewPage {...{ base, program, group, now, fields, whatIf, entered }} />
    )
    return renderPage(c, {
      title: t(m.layout_preview_of, { name: group.name }),
      section: '/programs',
      scripts: SCRIPTS,
      children,
    })
  })

/** The entered terms of a group, with the rules of its saved rewards. */
const withRules = (entered: GroupTerms, { saleReward, leadReward }: GroupTerms): GroupTerms => ({
  ...entered,
  saleReward: keepRules(entered.saleReward, saleReward),
  leadReward: keepRules(entered.leadReward, leadReward),
})

const load = async ({ var: { db, workspace } }: Context<WorkspaceEnv>, id: string) => {
  const group = await found('group', id, (id) => findGroup(db, workspace.id, id))
  const program = await found('program', group.programId, (id) => findProgram(db, workspace.id, id))
  return { group, program }
}

/** The page of a group again, with the errors of its form. */
const refuse = async (
  c: Context<WorkspaceEnv>,
  id: string,
  fields: Fields,
  errors: ErrorDetail[],
) => {
  const { now, workspace } = c.var
  const { group, program } = await load(c, id)
  const children = <GroupPage {...{ workspace, program, group, now, fields, errors }} />
  return renderPage(c, { title: group.name, section: '/programs', scripts: SCRIPTS, children }, 400)
}
