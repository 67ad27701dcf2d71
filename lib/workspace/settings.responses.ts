import * as z from 'zod'
import { PAYOUT_ORDERS } from '../payouts/funds.ts'
import { MODES, SALES_FROM } from '../purchases/processors.ts'

export const SettingsResponse = z
  .strictObject({
    manualPayouts: z.boolean(),
    approvalAboveCents: z.int().nullable(),
    payoutOrder: z.enum(PAYOUT_ORDERS),
    paypalPayouts: z.boolean(),
    wisePayouts: z.boolean(),
    ibanPayouts: z.boolean(),
    requireDocuments: z.boolean(),
    selfBilling: z.boolean(),
    salesFrom: z.enum(SALES_FROM),
    mode: z.enum(MODES),
  })
  .meta({ id: 'Settings' })
export type SettingsResponse = z.infer<typeof SettingsResponse>
