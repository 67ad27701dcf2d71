import { actOf, managersOnly, type WorkspaceEnv } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { found } from '../../lib/http/found.ts'
import { Problem } from '../../lib/pages/parts.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import { changeMode } from '../../lib/shadow/mode.service.ts'
import { findProgram, type Program } from '../../lib/workspace/programs.queries.ts'

const PATH = '/app/:workspace/programs/:id/shadow'

/** What a shadow run is, and the button that starts it. */
const StartPage = ({ base, program, problem }: { base: string; program: Program; problem?: string }) => (
  <>
    <p>
      <a href={`${base}/programs/${program.id}`}>{program.name}</a>
    </p>
    <h1>Shadow run</h1>
    <Problem message={problem} />
    <p>
      Run this program beside the platform that you are moving from, for as long as you want, and compare what
      each of them decides. Sales are recorded and explained as usual. Nothing that this program decides
      meanwhile is ever paid from here: the other platform pays it. The cut-over ends the shadow run and takes
      over what the other platform still owes your partners.
    </p>
    <p>Partners see in the portal that the other platform counts and pays what they earn.</p>
    <form method="post">
      <p class="actions">
        <button type="submit">Start shadow run</button> <a href={`${base}/programs/${program.id}`}>Cancel</a>
      </p>
    </form>
  </>
)

/** /app/:workspace/programs/:id/shadow: starts a shadow run of a program. */
export default createRoutes<WorkspaceEnv>()
  .get(PATH, managersOnly(), async (c) => {
    const { db, workspace } = c.var
    const program = await found('program', c.req.param('id'), (id) => findProgram(db, workspace.id, id))
    const base = `/app/${workspace.slug}`
    return renderPage(c, {
      title: `Shadow run of ${program.name}`,
      section: '/programs',
      children: <StartPage {...{ base, program }} />,
    })
  })
  .post(PATH, managersOnly(), async (c) => {
    const { db, workspace } = c.var
    const base = `/app/${workspace.slug}`
    const program = await found('program', c.req.param('id'), (id) => findProgram(db, workspace.id, id))
    const problem = await changeMode(db, actOf(c), program.id, 'shadow')
    if (problem) {
      const children = <StartPage {...{ base, program, problem }} />
      return renderPage(c, { title: `Shadow run of ${program.name}`, section: '/programs', children }, 409)
    }
    return c.redirect(`${base}/programs/${program.id}/shadow?done=started`, 303)
  })
