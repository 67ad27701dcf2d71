import { actOf, manager, reader } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { ApiError } from '../../lib/http/errors.ts'
import { body } from '../../lib/http/validate.ts'
import { changeSettings, MODE_IN_USE, readSettings } from '../../lib/workspace/settings.queries.ts'
import type { SettingsResponse } from '../../lib/workspace/settings.responses.ts'
import { SettingsChange } from '../../lib/workspace/settings.schemas.ts'

/** /settings: what a manager chooses for the whole workspace. */
export default createRoutes()
  .get('/api/workspaces/:workspace/settings', reader(), async (c) =>
    c.json((await readSettings(c.var.db, c.var.workspace.id)) satisfies SettingsResponse),
  )
  .patch('/api/workspaces/:workspace/settings', manager(), body(SettingsChange), async (c) => {
    const settings = await changeSettings(c.var.db, actOf(c), c.req.valid('json'))
    if (!settings) throw new ApiError('conflict', MODE_IN_USE)
    return c.json(settings satisfies SettingsResponse)
  })
