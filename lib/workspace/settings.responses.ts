import * as z from 'zod'
import { SALES_FROM } from '../purchases/processors.ts'

export const SettingsResponse = z
  .strictObject({ manualPayouts: z.boolean(), salesFrom: z.enum(SALES_FROM) })
  .meta({ id: 'Settings' })
export type SettingsResponse = z.infer<typeof SettingsResponse>
