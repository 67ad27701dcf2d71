import * as z from 'zod'
import { timestamp } from '../../http/common.responses.ts'
import { LEFT_OUT, PLATFORM_IDS, PURPOSES, RESOURCES } from './source.ts'

const list = z.object({
  resource: z.enum(RESOURCES),
  read: z.int(),
  total: z.int().nullable().meta({ description: 'How many the platform says there are.' }),
  isDone: z.boolean(),
})

export const ImportSourceResponse = z
  .object({
    id: z.uuid(),
    programId: z.uuid(),
    purpose: z.enum(PURPOSES).meta({
      description: '`import` to import the program, `shadow` for the commissions of a shadow run.',
    }),
    platform: z.enum(PLATFORM_IDS),
    account: z.string().nullable(),
    startedBy: z.string(),
    createdAt: timestamp,
    status: z.enum(['reading', 'ready', 'failed']),
    lists: z.array(list).meta({ description: 'What is read, in this order.' }),
    failure: z.object({ code: z.string(), message: z.string() }).nullable().meta({
      description: 'Why the last page could not be read. While `reading`, it is tried again.',
    }),
    nextAttemptAt: timestamp
      .nullable()
      .meta({ description: 'When the next page is read, at the earliest.' }),
    endsAt: timestamp
      .nullable()
      .meta({ description: 'When the rows are deleted, unless they are before.' }),
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
    group: text,
    memberships: z.array(z.string()).optional(),
    links: z.array(link),
    coupons: z.array(z.object({ externalId: z.string(), code: text })),
    balances: z.array(z.object({ currency: z.string(), cents: z.int() })),
  }),
  z.object({ kind: z.literal('link'), id: z.string(), partnerId: z.string(), link }),
  z.object({
    kind: z.literal('coupon'),
    id: z.string(),
    partnerId: z.string(),
    externalId: z.string(),
    code: text,
  }),
  z.object({ kind: z.literal('group'), id: z.string(), name: z.string() }),
  z.object({
    kind: z.literal('customer'),
    id: z.string(),
    externalId: text,
    email: text,
    partnerId: text,
    partnerEmail: text,
    referredAt: text,
    startedAt: text,
    firstCommissionAt: z.string().optional(),
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
    saleAmountCents: z.int().nullable(),
    saleExternalId: text,
    customerId: text,
    customerExternalId: text,
    customerEmail: text,
    partnerId: text,
    partnerEmail: text,
    soldAt: z.string(),
  }),
  z.object({
    kind: z.literal('left_out'),
    id: z.string(),
    reason: z.enum(LEFT_OUT),
    name: z.string(),
  }),
])

export const SourceRowsResponse = z
  .object({ data: z.array(row), nextCursor: text })
  .meta({ id: 'ImportSourceRows' })
export type SourceRowsResponse = z.output<typeof SourceRowsResponse>
