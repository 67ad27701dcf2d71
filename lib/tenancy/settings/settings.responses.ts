import * as z from 'zod'
import { timestamp } from '../../http/common.responses.ts'
import { MODES, SALES_FROM } from '../../rules/purchases/processors.ts'
import { PAYOUT_ORDERS } from './funds.ts'

export const SettingsResponse = z
  .strictObject({
    manualPayouts: z.boolean(),
    approvalAboveCents: z.int().nullable(),
    limitRequest: z
      .strictObject({
        id: z.uuid(),
        approvalAboveCents: z.int().nullable(),
        requestedBy: z.string(),
        requestedAt: timestamp,
      })
      .nullable()
      .meta({
        description: 'A higher `approvalAboveCents`, or null, that another manager has to approve.',
      }),
    payoutOrder: z.enum(PAYOUT_ORDERS),
    paypalPayouts: z.boolean(),
    wisePayouts: z.boolean(),
    ibanPayouts: z.boolean(),
    requireDocuments: z.boolean(),
    payoutsRequirePasskey: z.boolean(),
    selfBilling: z.boolean(),
    salesFrom: z.enum(SALES_FROM),
    backendCreatesCheckouts: z.boolean(),
    mode: z.enum(MODES),
  })
  .meta({ id: 'Settings' })
export type SettingsResponse = z.infer<typeof SettingsResponse>
