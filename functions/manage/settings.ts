import { actOf, manager, reader } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { body } from '../../lib/http/validate.ts'
import { changeSettings, readSettings } from '../../lib/workspace/settings.queries.ts'
import type { SettingsResponse } from '../../lib/workspace/settings.responses.ts'
import { SettingsChange } from '../../lib/workspace/settings.schemas.ts'

/** /settings: what a manager chooses for the whole workspace. */
export default createRoutes()
  .get('/api/workspaces/:workspace/settings', reader(), async (c) =>
    c.json((await readSettings(c.var.db, c.var.workspace.id)) satisfies SettingsResponse),
  )
  .patch('/api/workspaces/:workspace/settings', manager(), body(SettingsChange), async (c) =>
    c.json((await changeSettings(c.var.db, actOf(c), c.req.valid('json'))) satisfies SettingsResponse),
  )
