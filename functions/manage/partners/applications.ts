import type { Context } from 'hono'
import { applicationResponse } from '../../../lib/applications/application-response.ts'
import {
  applicationsQuery,
  findApplication,
} from '../../../lib/applications/applications.queries.ts'
import {
  ApplicationQuery,
  Approval,
  Rejection,
} from '../../../lib/applications/applications.schemas.ts'
import { approve, reject, remove } from '../../../lib/applications/decide.service.ts'
import { freshWriter, reader, type WorkspaceEnv } from '../../../lib/auth/access.ts'
import { readById } from '../../../lib/auth/rows.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { page } from '../../../lib/http/lists.ts'
import { body, query } from '../../../lib/http/validate.ts'

const PATH = '/api/workspaces/:workspace/applications'

const findOne = (c: Context<WorkspaceEnv>) => readById(c, 'application', findApplication)

/** /applications: lists applications, and decides on them. */
export default createRoutes()
  .get(PATH, reader(), query(ApplicationQuery), async (c) => {
    const { limit, ...filter } = c.req.valid('query')
    const applications = applicationsQuery(c.var.db, c.var.workspace.id, {
      ...filter,
      limit: limit + 1,
    })
    return c.json(page(await applications.execute(), limit, applicationResponse))
  })
  .get(`${PATH}/:id`, reader(), async (c) => c.json(applicationResponse(await findOne(c))))
  .post(`${PATH}/:id/approve`, freshWriter(), body(Approval), async (c) => {
    const application = await findOne(c)
    await approve(c, application, c.req.valid('json').groupId ?? application.groupId)
    return c.json(applicationResponse(await findOne(c)))
  })
  .post(`${PATH}/:id/reject`, freshWriter(), body(Rejection), async (c) =>
    c.json(applicationResponse(await reject(c, await findOne(c), c.req.valid('json')))),
  )
  .delete(`${PATH}/:id`, freshWriter(), async (c) => {
    await remove(c, await findOne(c))
    return c.body(null, 204)
  })
