import * as z from 'zod'
import { timestamp } from '../../http/common.responses.ts'
import { API_KEY_SCOPES } from './api-keys.ts'

export const ApiKeyResponse = z
  .strictObject({
    id: z.uuid(),
    name: z.string(),
    last4: z.string().meta({ description: 'The last 4 characters of the key.' }),
    scopes: z.array(z.enum(API_KEY_SCOPES)),
    createdAt: timestamp,
    expiresAt: timestamp.nullable(),
    lastUsedAt: timestamp.nullable().meta({ description: 'To the hour.' }),
    revokedAt: timestamp.nullable(),
    replacedBy: z.uuid().nullable().meta({ description: 'The key that it was rotated to.' }),
  })
  .meta({ id: 'ApiKey' })
export type ApiKeyResponse = z.infer<typeof ApiKeyResponse>

/** POST /api/workspaces/:workspace/api-keys. */
export const CreatedApiKeyResponse = z
  .strictObject({
    id: z.uuid(),
    name: z.string(),
    last4: z.string(),
    scopes: z.array(z.enum(API_KEY_SCOPES)),
    createdAt: timestamp,
    expiresAt: timestamp.nullable(),
    key: z
      .string()
      .meta({ description: 'The key. Returned only here: it cannot be retrieved later.' }),
  })
  .meta({ id: 'CreatedApiKey' })
export type CreatedApiKeyResponse = z.infer<typeof CreatedApiKeyResponse>
