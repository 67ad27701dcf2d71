import * as z from 'zod'
import { TIER_PERIODS } from './tiers.ts'

const tier = {
  name: z.string(),
  groupId: z.uuid().exactOptional(),
  movesBack: z.literal(true).exactOptional(),
}
const shared = { period: z.enum(TIER_PERIODS), timeZone: z.string() }

export const TiersResponse = z
  .discriminatedUnion('by', [
    z.strictObject({
      by: z.literal('netSales'),
      currency: z.string(),
      ...shared,
      levels: z.array(z.strictObject({ ...tier, atLeastCents: z.int() })),
    }),
    z.strictObject({
      by: z.enum(['customers', 'sales']),
      ...shared,
      levels: z.array(z.strictObject({ ...tier, atLeast: z.int() })),
    }),
  ])
  .meta({ id: 'Tiers' })
