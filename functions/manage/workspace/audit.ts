import { type AuditRow, auditEntryQuery, listAudit } from '../../../lib/audit/audit.queries.ts'
import type { AuditEntryResponse } from '../../../lib/audit/audit.responses.ts'
import { AuditQuery } from '../../../lib/audit/audit.schemas.ts'
import { member } from '../../../lib/auth/access.ts'
import { readPage } from '../../../lib/auth/rows.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { found } from '../../../lib/http/found-or-404.ts'
import { query } from '../../../lib/http/validate.ts'

export const auditEntryResponse = (entry: AuditRow): AuditEntryResponse => ({
  id: entry.id,
  actor: entry.actor,
  action: entry.action,
  subjectId: entry.subjectId,
  details: entry.details,
  createdAt: entry.createdAt,
})

/** GET /audit and GET /audit/:id: the audit log. Design, section 12. */
export default createRoutes()
  .get('/api/workspaces/:workspace/audit', member(), query(AuditQuery), async (c) =>
    c.json(await readPage(c, c.req.valid('query'), listAudit, auditEntryResponse)),
  )
  .get('/api/workspaces/:workspace/audit/:id', member(), async (c) => {
    const { db, workspace } = c.var
    const entry = await found('audit entry', c.req.param('id'), (id) =>
      auditEntryQuery(db, workspace.id, id).executeTakeFirst(),
    )
    return c.json(auditEntryResponse(entry))
  })
