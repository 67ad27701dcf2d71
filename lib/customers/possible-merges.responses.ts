import * as z from 'zod'
import { timestamp } from '../http/common.responses.ts'
import { MERGE_STATUSES } from '../rules/identities/possible-merges.ts'

const MergeSideResponse = z.strictObject({
  id: z.uuid(),
  externalId: z.string(),
  email: z.string().nullable(),
  partnerId: z
    .uuid()
    .nullable()
    .meta({ description: 'Who owns the customer; null if nobody does.' }),
  paid: z
    .array(z.strictObject({ currency: z.string(), sales: z.int(), amountCents: z.int() }))
    .meta({ description: 'What the customer has paid, by currency.' }),
})

export const PossibleMergeResponse = z
  .strictObject({
    id: z.uuid(),
    status: z.enum(MERGE_STATUSES).meta({
      description:
        '`open` until a manager decides. `merged` also if your ids have tied the two since.',
    }),
    customer: MergeSideResponse.meta({ description: 'Who paid.' }),
    namedCustomer: MergeSideResponse.meta({ description: 'Whom the checkout names.' }),
    checkoutId: z.string().meta({ description: 'The payment processor’s id of the checkout.' }),
    saleId: z.uuid().nullable().meta({ description: 'The event of its sale, once it is known.' }),
    createdAt: timestamp,
    resolvedAt: timestamp.nullable(),
    resolvedBy: z.string().nullable(),
  })
  .meta({ id: 'PossibleMerge' })
export type PossibleMergeResponse = z.infer<typeof PossibleMergeResponse>
