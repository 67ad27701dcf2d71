import * as z from 'zod'
import { timestamp } from '../../http/common.responses.ts'

const difference = {
  currentCents: z
    .int()
    .meta({ description: 'What the events earn under the present terms, in minor units.' }),
  changedCents: z.int().meta({ description: 'What they would earn under the changed terms.' }),
  differenceCents: z.int(),
}

export const WhatIfResponse = z
  .strictObject({
    from: timestamp.meta({
      description:
        'Events from this time on are compared: 90 days, or fewer if `isWhole` is false.',
    }),
    to: timestamp,
    isWhole: z.boolean().meta({
      description:
        'Whether all events of 90 days are compared. Of more than 20,000, it is the latest.',
    }),
    currencies: z.array(
      z.strictObject({
        currency: z.string(),
        ...difference,
        partners: z
          .array(
            z.strictObject({
              id: z.uuid(),
              name: z.string().nullable(),
              slug: z.string(),
              ...difference,
            }),
          )
          .meta({ description: 'The partners with the largest differences, 20 at most.' }),
        others: z
          .strictObject({ count: z.int(), ...difference })
          .meta({ description: 'All other partners who earn in this currency, together.' }),
      }),
    ),
  })
  .meta({ id: 'WhatIf' })
export type WhatIfResponse = z.infer<typeof WhatIfResponse>
