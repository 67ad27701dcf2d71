import * as z from 'zod'
import { timestamp } from '../http/common.responses.ts'

export const PersonalDataResponse = z
  .strictObject({
    exportedAt: timestamp,
    person: z.enum(['customer', 'partner']),
    data: z.record(z.string(), z.array(z.record(z.string(), z.unknown()))).meta({
      description: 'Every row that names the person, by kind.',
    }),
  })
  .meta({ id: 'PersonalData' })
export type PersonalDataResponse = z.infer<typeof PersonalDataResponse>

export const ErasureResponse = z.strictObject({ id: z.uuid(), erasedAt: timestamp }).meta({
  id: 'Erasure',
  description: 'The personal data is removed. The ledger keeps its numbers.',
})
export type ErasureResponse = z.infer<typeof ErasureResponse>
