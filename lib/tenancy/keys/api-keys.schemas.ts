/** Requests about API keys, for the API and the pages' forms. */
import * as z from 'zod'
import { name, optional } from '../../http/fields.ts'
import { API_KEY_SCOPES, DEFAULT_SCOPES, OVERLAPS } from './api-keys.ts'

/** POST /api/workspaces/:workspace/api-keys/:id/rotate. */
export const Rotation = z
  .strictObject({
    overlapHours: z
      .int()
      .min(0)
      .max(OVERLAPS.max)
      .default(OVERLAPS.default)
      .meta({ description: 'How long the former key still works. 0 ends it immediately.' }),
  })
  .meta({ id: 'Rotation' })

/** POST /api/workspaces/:workspace/api-keys. */
export const NewApiKey = z
  .strictObject({
    name: name('What the key is used for.'),
    scopes: z
      .array(z.enum(API_KEY_SCOPES))
      .min(1, 'Choose at least one scope.')
      .transform((scopes) => API_KEY_SCOPES.filter((scope) => scopes.includes(scope)))
      .default(DEFAULT_SCOPES)
      .meta({
        description:
          '`track` reports sales and leads, `read` reads, and `write` changes partners, coupons and groups.',
      }),
    expiresAt: optional(
      z.iso.datetime({ offset: true, error: 'Must be a time such as 2027-01-31T00:00:00Z.' }),
    )
      .transform((time) => (time ? new Date(time) : null))
      .refine((at) => at === null || at.getTime() > Date.now(), 'Must be in the future.')
      .meta({ description: 'When the key stops working. Never, if absent.' }),
  })
  .meta({ id: 'NewApiKey' })
