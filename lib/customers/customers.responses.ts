import * as z from 'zod'
import { timestamp } from '../http/common.responses.ts'

export const CustomerResponse = z
  .strictObject({
    id: z.uuid(),
    externalId: z.string(),
    email: z.string().nullable(),
    name: z.string().nullable(),
    partnerId: z.uuid(),
    importedAt: timestamp.nullable(),
    startedAt: timestamp.nullable(),
  })
  .meta({ id: 'Customer' })
export type CustomerResponse = z.infer<typeof CustomerResponse>
