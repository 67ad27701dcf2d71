import { actOf, freshMember, member } from '../../../lib/auth/access.ts'
import { idempotentSecret } from '../../../lib/auth/idempotency/idempotent.ts'
import { createApiKey, newApiKey } from '../../../lib/auth/keys/api-keys.ts'
import { changeById } from '../../../lib/auth/rows.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { ApiError } from '../../../lib/http/errors.ts'
import { Page, page } from '../../../lib/http/lists.ts'
import { body, query } from '../../../lib/http/validate.ts'
import {
  type ApiKey,
  addApiKey,
  KEY_ENDED,
  listApiKeys,
  revokeApiKey,
  rotateApiKey,
} from '../../../lib/tenancy/keys/api-keys.queries.ts'
import type {
  ApiKeyResponse,
  CreatedApiKeyResponse,
} from '../../../lib/tenancy/keys/api-keys.responses.ts'
import { NewApiKey, Rotation } from '../../../lib/tenancy/keys/api-keys.schemas.ts'
import type { WebhookSettingsEnv } from '../../../lib/webhooks/endpoints/settings.service.ts'

const createdKey = (
  { id, name, last4, scopes, createdAt, expiresAt }: ApiKey,
  key: string,
): CreatedApiKeyResponse => ({ id, name, last4, scopes, createdAt, expiresAt, key })

const API_KEYS = '/api/workspaces/:workspace/api-keys'

/**
 * /api-keys: creates, rotates and revokes keys. A key is returned only once. Design, section 12.
 */
export default createRoutes<WebhookSettingsEnv>()
  .get(API_KEYS, member(), query(Page), async (c) => {
    const { limit, cursor } = c.req.valid('query')
    const keys = await listApiKeys(c.var.db, c.var.workspace.id, { cursor, limit: limit + 1 })
    return c.json(page<ApiKeyResponse>(keys, limit))
  })
  .post(API_KEYS, freshMember(), body(NewApiKey), idempotentSecret(newApiKey), async (c) => {
    const choice = c.req.valid('json')
    const { key, ...stored } = await createApiKey(c.var.workspace, c.var.secret)
    return c.json(
      createdKey(await addApiKey(c.var.db, actOf(c), { ...choice, ...stored }), key),
      201,
    )
  })
  .post(
    `${API_KEYS}/:id/rotate`,
    freshMember(),
    body(Rotation),
    idempotentSecret(newApiKey),
    async (c) => {
      const { key, ...stored } = await createApiKey(c.var.workspace, c.var.secret)
      const rotation = { ...stored, ...c.req.valid('json') }
      const fresh = await changeById(c, 'API key', rotateApiKey, rotation)
      if (fresh === 'ended') throw new ApiError('conflict', KEY_ENDED)
      return c.json(createdKey(fresh, key), 201)
    },
  )
  .delete(`${API_KEYS}/:id`, freshMember(), async (c) => {
    await changeById(c, 'API key', revokeApiKey)
    return c.body(null, 204)
  })
