import * as z from 'zod'
import { timestamp } from '../http/common.responses.ts'

export const ApiKeyResponse = z
  .strictObject({
    id: z.uuid(),
    name: z.string(),
    createdAt: timestamp,
    revokedAt: timestamp.nullable(),
  })
  .meta({ id: 'ApiKey' })
export type ApiKeyResponse = z.infer<typeof ApiKeyResponse>

/** POST /api/workspaces/:workspace/api-keys. */
export const CreatedApiKeyResponse = z
  .strictObject({
    id: z.uuid(),
    name: z.string(),
    createdAt: timestamp,
    key: z.string().meta({ description: 'The key. Returned only here: it cannot be retrieved later.' }),
  })
  .meta({ id: 'CreatedApiKey' })
export type CreatedApiKeyResponse = z.infer<typeof CreatedApiKeyResponse>
