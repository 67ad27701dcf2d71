import * as z from 'zod'

export const SettingsResponse = z.strictObject({ manualPayouts: z.boolean() }).meta({ id: 'Settings' })
export type SettingsResponse = z.infer<typeof SettingsResponse>
