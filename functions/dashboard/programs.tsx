import type { Context } from 'hono'
import { actOf, managersOnly, type WorkspaceEnv } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import type { ErrorDetail } from '../../lib/http/errors.ts'
import { found } from '../../lib/http/found.ts'
import { Page, page } from '../../lib/http/lists.ts'
import { type Fields, form, query } from '../../lib/http/validate.ts'
import { checkForm } from '../../lib/pages/forms.ts'
import { noticeFor } from '../../lib/pages/parts.tsx'
import { programFields, readProgram } from '../../lib/pages/program-fields.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import { listGroups } from '../../lib/workspace/groups.queries.ts'
import {
  changeProgram,
  createProgram,
  findProgram,
  listPrograms,
} from '../../lib/workspace/programs.queries.ts'
import { NewProgram } from '../../lib/workspace/programs.schemas.ts'
import { programWhatIf } from '../../lib/workspace/what-if.service.ts'
import { NewProgramPage, ProgramPage, ProgramPreviewPage, ProgramsPage } from './program-pages.tsx'

/** Of the pages with a form of rewards. */
const SCRIPTS = ['/rewards.js']

const DONE = {
  created: 'Program created. Add its snippet to your site, and import your partners.',
  saved: 'Program saved. Sales that were paid before keep their terms.',
}

/** /app/:workspace/programs: programs and their terms. */
export default createRoutes<WorkspaceEnv>()
  .get('/app/:workspace/programs', query(Page), async (c) => {
    const { db, workspace } = c.var
    const { limit, cursor } = c.req.valid('query')
    const programs = await listPrograms(db, workspace.id, { cursor, limit: limit + 1 })
    const shown = page(programs, limit)
    return renderPage(c, {
      title: 'Programs',
      section: '/programs',
      children: <ProgramsPage workspace={workspace} programs={shown} url={c.req.url} />,
    })
  })
  .get('/app/:workspace/programs/new', managersOnly(), (c) =>
    renderPage(c, {
      title: 'New program',
      section: '/programs',
      scripts: SCRIPTS,
      children: <NewProgramPage />,
    }),
  )
  .post('/app/:workspace/programs/new', managersOnly(), form(), async (c) => {
    const fields = c.req.valid('form')
    const { data, errors } = checkForm(NewProgram, readProgram(fields))
    if (errors) {
      const children = <NewProgramPage fields={fields} errors={errors} />
      return renderPage(c, { title: 'New program', section: '/programs', scripts: SCRIPTS, children }, 400)
    }
    const { id } = await createProgram(c.var.db, actOf(c), data)
    return c.redirect(`/app/${c.var.workspace.slug}/programs/${id}?done=created`, 303)
  })
  .get('/app/:workspace/programs/:id', async (c) => {
    const { db, now, workspace } = c.var
    const program = await found('program', c.req.param('id'), (id) => findProgram(db, workspace.id, id))
    const groups = await listGroups(db, workspace.id, program.id)
    const { origin } = new URL(c.req.url)
    const children = (
      <ProgramPage
        {...{ workspace, program, groups, origin, now }}
        fields={programFields(program)}
        done={noticeFor(DONE, c.req.query('done'))}
      />
    )
    return renderPage(c, { title: program.name, section: '/programs', scripts: SCRIPTS, children })
  })
  .post('/app/:workspace/programs/:id', managersOnly(), form(), async (c) => {
    const fields = c.req.valid('form')
    const { data, errors } = checkForm(NewProgram, readProgram(fields))
    if (errors) return refuse(c, c.req.param('id'), fields, errors)
    const { id } = await found('program', c.req.param('id'), (id) =>
      changeProgram(c.var.db, actOf(c), id, data),
    )
    return c.redirect(`/app/${c.var.workspace.slug}/programs/${id}?done=saved`, 303)
  })
  // Where signing in again, or typing the address of a preview, leads.
  .get('/app/:workspace/programs/:id/what-if', (c) =>
    c.redirect(`/app/${c.var.workspace.slug}/programs/${encodeURIComponent(c.req.param('id'))}`, 303),
  )
  .post('/app/:workspace/programs/:id/what-if', managersOnly(), form(), async (c) => {
    const { db, now, workspace } = c.var
    const fields = c.req.valid('form')
    const { data, errors } = checkForm(NewProgram, readProgram(fields))
    if (errors) return refuse(c, c.req.param('id'), fields, errors)
    const program = await found('program', c.req.param('id'), (id) => findProgram(db, workspace.id, id))
    const whatIf = await programWhatIf(db, workspace.id, program, data, now)
    const base = `/app/${workspace.slug}`
    const children = <ProgramPreviewPage {...{ base, program, now, fields, whatIf }} entered={data} />
    return renderPage(c, {
      title: `Preview of ${program.name}`,
      section: '/programs',
      scripts: SCRIPTS,
      children,
    })
  })

/** The page of a program again, with the errors of its form. */
const refuse = async (c: Context<WorkspaceEnv>, id: string, fields: Fields, errors: ErrorDetail[]) => {
  const { db, now, workspace } = c.var
  const program = await found('program', id, (id) => findProgram(db, workspace.id, id))
  const groups = await listGroups(db, workspace.id, program.id)
  const { origin } = new URL(c.req.url)
  const children = <ProgramPage {...{ workspace, program, groups, origin, now, fields, errors }} />
  return renderPage(c, { title: program.name, section: '/programs', scripts: SCRIPTS, children }, 400)
}
