import * as z from 'zod'

/** A reward. A share is in percent here, and in basis points everywhere else. */
export const RewardResponse = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('percent'), percent: z.number() }),
  z.strictObject({ kind: z.literal('flat'), amountCents: z.int(), currency: z.string() }),
])
export type RewardResponse = z.infer<typeof RewardResponse>
