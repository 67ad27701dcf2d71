import * as z from 'zod'
import { MODES, SALES_FROM } from '../purchases/processors.ts'

export const SettingsResponse = z
  .strictObject({ manualPayouts: z.boolean(), salesFrom: z.enum(SALES_FROM), mode: z.enum(MODES) })
  .meta({ id: 'Settings' })
export type SettingsResponse = z.infer<typeof SettingsResponse>
