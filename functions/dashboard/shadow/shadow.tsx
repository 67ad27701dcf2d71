import type { Context } from 'hono'
import { actOf, type WorkspaceEnv } from '../../../lib/auth/access.ts'
import { mayOpen } from '../../../lib/auth/roles/roles.ts'
import { readById } from '../../../lib/auth/rows.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { page } from '../../../lib/http/lists.ts'
import { query } from '../../../lib/http/validate.ts'
import * as m from '../../../lib/languages/messages.ts'
import { noticeFor } from '../../../lib/pages/layout/parts.tsx'
import { renderPage, renderSection } from '../../../lib/pages/layout/render.tsx'
import { textsOf } from '../../../lib/pages/layout/text.ts'
import { readFilters } from '../../../lib/pages/tables/filters.tsx'
import { sendList } from '../../../lib/partners/changes/send-list.service.ts'
import { findProgram } from '../../../lib/programs/programs.queries.ts'
import {
  COMPARISON_COLUMNS,
  comparisonLine,
} from '../../../lib/shadow/comparison/comparison-response.ts'
import {
  listComparisons,
  listDays,
  listReasons,
  readShadowState,
} from '../../../lib/shadow/comparison/results.queries.ts'
import { changeMode } from '../../../lib/shadow/mode.service.ts'
import { ComparisonQuery } from '../../../lib/shadow/shadow.schemas.ts'
import { ComparisonPage, StartPage, UploadPage } from './shadow-pages.tsx'

const PATH = '/app/:workspace/programs/:id/shadow'

const DAYS_SHOWN = 62

const DONE = {
  started: m.shadow_started,
  cut_over: m.shadow_was_cut_over,
}

/** The program of the URL, and the path of its workspace. */
const readProgram = async (c: Context<WorkspaceEnv>) => {
  const { workspace } = c.var
  const program = await readById(c, 'program', findProgram)
  return {
    program,
    base: `/app/${workspace.slug}`,
    mayChange: mayOpen(workspace, 'POST /programs/:id/shadow'),
  }
}

/**
 * /app/:workspace/programs/:id/shadow: a shadow run, its comparison, and the upload of the other
 * platform's commissions.
 */
export default createRoutes<WorkspaceEnv>()
  .get(PATH, async (c) => {
    const { db, workspace } = c.var
    const { program, base, mayChange } = await readProgram(c)
    const title = textsOf(c)(m.shadow_run_of, { name: program.name })
    const { fields, data, errors } = readFilters(c, ComparisonQuery)
    const days = { from: data?.from, to: data?.to }
    const read = await readShadowState(db, workspace.id, program.id, days)
    if (!read) {
      return renderSection(c, '/programs', title, <StartPage {...{ base, program, mayChange }} />)
    }
    const [rows, sumsByDay, reasons] = data
      ? await Promise.all([
          listComparisons(db, workspace.id, program.id, { ...data, limit: data.limit + 1 }),
          listDays(db, workspace.id, program.id, days, DAYS_SHOWN),
          listReasons(db, workspace.id, program.id, days),
        ])
      : [[], [], []]
    const children = (
      <ComparisonPage
        {...{ base, program, mayChange, ...read, reasons, fields, errors }}
        days={sumsByDay}
        results={page(rows, data?.limit ?? 0)}
        url={c.req.url}
        done={noticeFor(DONE, c.req.query('done'))}
      />
    )
    return renderSection(c, '/programs', title, children, errors ? 400 : 200)
  })
  .post(PATH, async (c) => {
    const { program, base } = await readProgram(c)
    const problem = await changeMode(c.var.db, actOf(c), program.id, 'shadow')
    if (problem) {
      const children = <StartPage {...{ base, program, problem }} mayChange />
      return renderSection(
        c,
        '/programs',
        textsOf(c)(m.shadow_run_of, { name: program.name }),
        children,
        409,
      )
    }
    return c.redirect(`${base}/programs/${program.id}/shadow?done=started`, 303)
  })
  .get(`${PATH}/upload`, async (c) => {
    const { program, base } = await readProgram(c)
    const children = (
      <UploadPage {...{ base, program }} workspace={c.var.workspace.slug} user={c.var.user} />
    )
    const title = textsOf(c)(m.shadow_commissions_for, { name: program.name })
    return renderPage(c, {
      title,
      section: '/programs',
      styles: ['/import.css'],
      scripts: ['/shadow.js'],
      children,
    })
  })
  .get(`${PATH}/comparisons.csv`, query(ComparisonQuery), async (c) => {
    const { workspace } = c.var
    const { program } = await readProgram(c)
    return sendList(c, 'shadow-run', COMPARISON_COLUMNS, c.req.valid('query'), async (db, filter) =>
      (await listComparisons(db, workspace.id, program.id, filter)).map(comparisonLine),
    )
  })
