import * as z from 'zod'
import { timestamp } from '../http/common.responses.ts'

export const AuditEntryResponse = z
  .strictObject({
    id: z.uuid(),
    actor: z.string().meta({
      description: 'The email address of the person who made the change, or `API key "<name>"`.',
    }),
    action: z.string().meta({ description: 'Such as `partners.imported`.' }),
    subjectId: z.uuid().nullable(),
    details: z.record(z.string(), z.unknown()),
    createdAt: timestamp,
  })
  .meta({ id: 'AuditEntry' })
export type AuditEntryResponse = z.infer<typeof AuditEntryResponse>
