import * as z from 'zod'
import { timestamp } from '../../http/common.responses.ts'

const bonus = {
  name: z.string(),
  pays: z.strictObject({ amountCents: z.int(), currency: z.string() }),
  since: timestamp.meta({
    description: 'When the bonus was added. A milestone that was reached before earns nothing.',
  }),
}

export const BonusResponse = z
  .discriminatedUnion('by', [
    z.strictObject({
      by: z.literal('netSales'),
      currency: z.string(),
      atLeastCents: z.int(),
      ...bonus,
    }),
    z.strictObject({ by: z.enum(['customers', 'sales']), atLeast: z.int(), ...bonus }),
  ])
  .meta({ id: 'Bonus' })
