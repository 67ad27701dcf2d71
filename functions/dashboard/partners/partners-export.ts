import type { WorkspaceEnv } from '../../../lib/auth/access.ts'
import { expensive } from '../../../lib/auth/expensive/expensive.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { form } from '../../../lib/http/validate.ts'
import { sendList } from '../../../lib/partners/changes/send-list.service.ts'
import { PARTNER_COLUMNS, partnerResponse } from '../../../lib/partners/lists/partner-response.ts'
import { listPartners } from '../../../lib/partners/lists/partners.queries.ts'
import { EXPORT_CHOSEN, readChosen } from './chosen-partners.ts'

/** POST /app/:workspace/partners/export: the selected partners, as the API's CSV file. */
export default createRoutes<WorkspaceEnv>().post(
  `/app/:workspace${EXPORT_CHOSEN}`,
  expensive(),
  form(),
  (c) => {
    const ids = readChosen(c.req.valid('form'))
    const filter = { chosen: ids.length, cursor: undefined, limit: ids.length }
    return sendList(c, 'partners', PARTNER_COLUMNS, filter, async (db, { cursor, limit }) =>
      (await listPartners(db, c.var.workspace.id, { ids, cursor, limit })).map(partnerResponse),
    )
  },
)
