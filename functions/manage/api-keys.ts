import { actOf, freshManager, manager } from '../../lib/auth/access.ts'
import { createApiKey } from '../../lib/auth/api-keys.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { found } from '../../lib/http/found.ts'
import { Page, page } from '../../lib/http/lists.ts'
import { body, query } from '../../lib/http/validate.ts'
import { addApiKey, listApiKeys, revokeApiKey } from '../../lib/workspace/api-keys.queries.ts'
import type { ApiKeyResponse, CreatedApiKeyResponse } from '../../lib/workspace/api-keys.responses.ts'
import { NewApiKey } from '../../lib/workspace/api-keys.schemas.ts'

/** /api-keys: a key is returned once, when it is created, and can be revoked. Design, section 12. */
export default createRoutes()
  .get('/api/workspaces/:workspace/api-keys', manager(), query(Page), async (c) => {
    const { limit, cursor } = c.req.valid('query')
    const keys = await listApiKeys(c.var.db, c.var.workspace.id, { cursor, limit: limit + 1 })
    return c.json(page<ApiKeyResponse>(keys, limit))
  })
  .post('/api/workspaces/:workspace/api-keys', freshManager(), body(NewApiKey), async (c) => {
    const choice = c.req.valid('json')
    const { key, ...stored } = await createApiKey()
    const { revokedAt, lastUsedAt, ...created } = await addApiKey(c.var.db, actOf(c), {
      ...choice,
      ...stored,
    })
    return c.json({ ...created, key } satisfies CreatedApiKeyResponse, 201)
  })
  .delete('/api/workspaces/:workspace/api-keys/:id', freshManager(), async (c) => {
    await found('API key', c.req.param('id'), (id) => revokeApiKey(c.var.db, actOf(c), id))
    return c.body(null, 204)
  })
