import * as z from 'zod'
import { CAPPED } from './caps.ts'
import { BILLING_INTERVALS } from './sale-lines.ts'

const list = z.array(z.string())
const amount = {
  currency: z.string(),
  atLeastCents: z.int().exactOptional(),
  belowCents: z.int().exactOptional(),
}
const range = { atLeast: z.int().exactOptional(), atMost: z.int().exactOptional() }

const ConditionResponse = z
  .discriminatedUnion('fact', [
    z.strictObject({ fact: z.literal('product'), in: list }),
    z.strictObject({
      fact: z.literal('payment'),
      of: z.enum(['customer', 'subscription']).exactOptional(),
      ...range,
    }),
    z.strictObject({
      fact: z.literal('customerMonths'),
      atLeast: z.int().exactOptional(),
      below: z.int().exactOptional(),
    }),
    z.strictObject({ fact: z.literal('lineAmount'), ...amount }),
    z.strictObject({ fact: z.literal('saleAmount'), ...amount }),
    z.strictObject({ fact: z.literal('quantity'), ...range }),
    z.strictObject({ fact: z.literal('billingInterval'), in: z.array(z.enum(BILLING_INTERVALS)) }),
    z.strictObject({ fact: z.literal('coupon'), in: list.exactOptional() }),
    z.strictObject({ fact: z.literal('metadata'), key: z.string(), in: list.exactOptional() }),
    z.strictObject({ fact: z.literal('country'), in: list }),
    z.strictObject({ fact: z.literal('link'), in: list }),
    z.strictObject({ fact: z.literal('sub'), in: list }),
    z.strictObject({ fact: z.literal('tier'), in: list }),
    z.strictObject({
      fact: z.literal('day'),
      from: z.string().exactOptional(),
      until: z.string().exactOptional(),
    }),
  ])
  .meta({ id: 'RewardCondition' })

const ConditionsResponse = z.union([
  z.strictObject({
    all: z.array(z.union([ConditionResponse, z.strictObject({ any: z.array(ConditionResponse) })])),
  }),
  z.strictObject({
    any: z.array(z.union([ConditionResponse, z.strictObject({ all: z.array(ConditionResponse) })])),
  }),
])

const PayResponse = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('percent'), percent: z.number() }),
  z.strictObject({
    kind: z.literal('flat'),
    amountCents: z.int(),
    currency: z.string(),
    per: z.literal('unit').exactOptional().meta({ description: 'Absent for an amount per sale.' }),
  }),
  z.strictObject({ kind: z.literal('none') }),
])

const RuleResponse = z
  .strictObject({
    name: z.string(),
    when: ConditionsResponse,
    pay: PayResponse,
    durationMonths: z.int().nullable().exactOptional().meta({
      description: 'null for no limit; absent for the program’s.',
    }),
  })
  .meta({ id: 'RewardRule' })
export type RuleResponse = z.infer<typeof RuleResponse>

const rules = z
  .array(RuleResponse)
  .exactOptional()
  .meta({ description: 'In their order; absent if there are none.' })

const caps = z
  .array(z.strictObject({ per: z.enum(CAPPED), amountCents: z.int(), currency: z.string() }))
  .exactOptional()
  .meta({ description: 'What is earned at most; absent if there are none.' })

/** A reward. A share is in percent here, and in basis points everywhere else. */
export const RewardResponse = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('percent'), percent: z.number(), rules, caps }),
    z.strictObject({
      kind: z.literal('flat'),
      amountCents: z.int(),
      currency: z.string(),
      rules,
      caps,
    }),
  ])
  .meta({ id: 'Reward' })
export type RewardResponse = z.infer<typeof RewardResponse>
