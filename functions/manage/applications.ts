import { applicationResponse } from '../../lib/applications/application-response.ts'
import { applicationsQuery, findApplication } from '../../lib/applications/applications.queries.ts'
import { ApplicationQuery } from '../../lib/applications/applications.schemas.ts'
import { reader } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { found } from '../../lib/http/found.ts'
import { page } from '../../lib/http/lists.ts'
import { query } from '../../lib/http/validate.ts'

const PATH = '/api/workspaces/:workspace/applications'

/** GET /applications and /applications/:id. */
export default createRoutes()
  .get(PATH, reader(), query(ApplicationQuery), async (c) => {
    const { limit, ...filter } = c.req.valid('query')
    const applications = applicationsQuery(c.var.db, c.var.workspace.id, { ...filter, limit: limit + 1 })
    return c.json(page(await applications.execute(), limit, applicationResponse))
  })
  .get(`${PATH}/:id`, reader(), async (c) => {
    const { db, workspace } = c.var
    const application = await found('application', c.req.param('id'), (id) =>
      findApplication(db, workspace.id, id),
    )
    return c.json(applicationResponse(application))
  })
