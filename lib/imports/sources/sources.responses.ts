import * as z from 'zod'
import { timestamp } from '../../http/common.responses.ts'
import { RewardResponse } from '../../rules/rewards/rewards.responses.ts'
import { LEFT_OUT, PLATFORM_IDS, PURPOSES, RESOURCES } from './source.ts'

const list = z.object({
  resource: z.enum(RESOURCES),
  read: z.int(),
  total: z.int().nullable().meta({ description: 'The number of rows that the platform reports.' }),
  isDone: z.boolean(),
})

export const ImportSourceResponse = z
  .object({
    id: z.uuid(),
    programId: z.uuid(),
    purpose: z.enum(PURPOSES).meta({
      description: '`import` imports the program. `shadow` reads the commissions of a shadow run.',
    }),
    platform: z.enum(PLATFORM_IDS),
    account: z.string().nullable(),
    startedBy: z.string(),
    createdAt: timestamp,
    status: z.enum(['reading', 'ready', 'failed']),
    lists: z.array(list).meta({ description: 'The lists that are read, in this order.' }),
    failure: z.object({ code: z.string(), message: z.string() }).nullable().meta({
      description:
        'Why the last page could not be read. It is retried while the status is `reading`.',
    }),
    nextAttemptAt: timestamp
      .nullable()
      .meta({ description: 'The earliest time at which the next page is read.' }),
    endsAt: timestamp.nullable().meta({ description: 'When the rows are deleted at the latest.' }),
  })
  .meta({ id: 'ImportSource' })
export type ImportSourceResponse = z.output<typeof ImportSourceResponse>

export const ImportSourceListResponse = z
  .object({ data: z.array(ImportSourceResponse) })
  .meta({ id: 'ImportSourceList' })
export type ImportSourceListResponse = z.output<typeof ImportSourceListResponse>

const text = z.string().nullable()
const link = z.object({ slug: z.string(), url: text })

const row = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('partner'),
    id: z.string(),
    email: z.string(),
    name: text,
    status: text,
    group: text.meta({ description: 'Its name, or its id if groups are a list of their own.' }),
    memberships: z
      .array(z.string())
      .optional()
      .meta({ description: 'Other ids by which coupons name the partner.' }),
    links: z.array(link),
    coupons: z.array(z.object({ externalId: z.string(), code: text })),
    balances: z
      .array(z.object({ currency: z.string(), cents: z.int() }))
      .meta({ description: 'What the partner has earned and was not paid.' }),
    rewardIds: z
      .array(z.string())
      .optional()
      .meta({ description: 'The ids of the partner’s rewards, if the platform says them.' }),
  }),
  z.object({ kind: z.literal('link'), id: z.string(), partnerId: z.string(), link }),
  z.object({
    kind: z.literal('coupon'),
    id: z.string(),
    partnerId: z.string().meta({ description: 'The partner’s id, or one of its `memberships`.' }),
    externalId: z.string().meta({ description: 'The id at the payment processor.' }),
    code: text,
  }),
  z.object({ kind: z.literal('group'), id: z.string(), name: z.string() }),
  z.object({
    kind: z.literal('reward'),
    id: z.string(),
    name: z.string(),
    group: text.meta({
      description: 'The group whose partners have it. null if partners name it in `rewardIds`.',
    }),
    event: z
      .enum(['sale', 'lead'])
      .nullable()
      .meta({ description: 'What it is for. null for an event that is not rewarded here.' }),
    reward: RewardResponse.nullable().meta({
      description: 'What a program or group takes in its place; null if nothing is taken over.',
    }),
    rewardInterval: z.enum(['one-time', 'recurring']).nullable(),
    rewardDurationMonths: z.int().nullable(),
    differences: z.array(z.string()).meta({
      description: 'What is not taken over, or works differently here: a sentence each.',
    }),
    original: z.string().meta({ description: 'JSON of the platform, at most 10,000 characters.' }),
  }),
  // Has an `externalId` or an email address, and a `partnerId` or a partner's email address.
  z.object({
    kind: z.literal('customer'),
    id: z.string(),
    externalId: text,
    email: text,
    partnerId: text,
    partnerEmail: text,
    referredAt: text,
    startedAt: text.meta({ description: 'When the customer first paid.' }),
    firstCommissionAt: z
      .string()
      .optional()
      .meta({ description: 'When the partner’s first commission for this customer was earned.' }),
    prior: z
      .record(z.string(), z.object({ commissions: z.int(), amountCents: z.int() }))
      .optional()
      .meta({ description: 'What was paid to the partner for this customer, by currency.' }),
  }),
  z.object({
    kind: z.literal('commission'),
    id: z.string(),
    state: z.enum(['pending', 'due']),
    amountCents: z.int(),
    currency: z.string(),
    saleAmountCents: z
      .int()
      .nullable()
      .meta({ description: 'The amount that the commission was computed from, in `currency`.' }),
    saleExternalId: text.meta({ description: 'The payment processor’s id of the payment.' }),
    customerId: text.meta({ description: 'The `id` of the customer’s row.' }),
    customerExternalId: text,
    customerEmail: text,
    partnerId: text,
    partnerEmail: text,
    soldAt: z.string().meta({ description: 'When the customer paid.' }),
  }),
  z.object({
    kind: z.literal('left_out'),
    id: z.string(),
    reason: z.enum(LEFT_OUT),
    name: z.string().meta({ description: 'A name, an address or an id to find it by.' }),
  }),
])

export const SourceRowsResponse = z
  .object({ data: z.array(row), nextCursor: text })
  .meta({ id: 'ImportSourceRows' })
export type SourceRowsResponse = z.output<typeof SourceRowsResponse>
