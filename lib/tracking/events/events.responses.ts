import * as z from 'zod'
import { timestamp } from '../../http/common.responses.ts'
import { BILLING_INTERVALS } from '../../rules/rewards/sale-lines.ts'
import { COMMISSION_STATUSES } from '../../rules/steps/commissions.ts'
import { EVENT_KINDS } from '../../rules/steps/event-kinds.ts'

/** A line of a sale. */
const EventLine = z
  .strictObject({
    productId: z.string().nullable(),
    priceId: z.string().nullable().meta({ description: 'As the payment processor reports it.' }),
    name: z.string().nullable(),
    quantity: z.int(),
    amountCents: z.int().meta({ description: 'After discounts and net of tax.' }),
    billingInterval: z
      .enum(BILLING_INTERVALS)
      .nullable()
      .meta({ description: 'As the payment processor reports it.' }),
    isProration: z.boolean().meta({
      description: 'Whether it charges for a change of a subscription within a period.',
    }),
    metadata: z.record(z.string(), z.unknown()).nullable(),
  })
  .meta({ id: 'EventLine' })

/** An event and the steps of its decision. */
export const EventResponse = z
  .strictObject({
    id: z.uuid(),
    kind: z.enum(EVENT_KINDS),
    externalId: z.string(),
    eventName: z.string(),
    attributed: z.boolean(),
    attributedBy: z.enum(['coupon', 'click', 'code', 'customer', 'manual']).nullable(),
    partner: z
      .strictObject({
        id: z.uuid(),
        slug: z.string(),
        name: z.string().nullable(),
        email: z.string(),
      })
      .nullable(),
    test: z
      .literal(true)
      .optional()
      .meta({ description: 'Only if the partner is the program’s test partner.' }),
    customer: z.strictObject({
      id: z
        .uuid()
        .nullable()
        .meta({ description: 'null until an event of the customer is attributed.' }),
      externalId: z.string().meta({ description: 'Empty while a refund waits for its sale.' }),
      email: z.string().nullable(),
      name: z.string().nullable(),
    }),
    amountCents: z.int().nullable().meta({
      description: 'Of a refund, what counts; null while it waits for its sale. A lead has none.',
    }),
    currency: z.string().nullable(),
    sale: z
      .strictObject({ id: z.uuid().nullable(), externalId: z.string() })
      .nullable()
      .meta({ description: 'The sale of a refund. Its id is null until the sale is known.' }),
    lines: z
      .array(EventLine)
      .nullable()
      .meta({ description: 'What was bought; null if the sale has no lines.' }),
    customerCountry: z
      .string()
      .nullable()
      .meta({ description: 'The customer’s country: ISO 3166, in upper case.' }),
    metadata: z.record(z.string(), z.unknown()).nullable(),
    occurredAt: timestamp,
    commission: z
      .strictObject({
        id: z.uuid(),
        amountCents: z.int(),
        reversedCents: z
          .int()
          .meta({ description: 'The amount reversed by refunds, disputes and corrections.' }),
        currency: z.string(),
        status: z.enum(COMMISSION_STATUSES),
        payableAt: timestamp.nullable(),
      })
      .nullable(),
    steps: z.array(
      z.strictObject({
        code: z.string().meta({ description: 'Stable; see docs/decisions.md.' }),
        text: z.string().meta({ description: 'The step in words. The wording may change.' }),
        facts: z.record(z.string(), z.unknown()),
      }),
    ),
  })
  .meta({ id: 'Event' })
export type EventResponse = z.infer<typeof EventResponse>

/** A report under the ID of an event that differs from the one that it was recorded by. */
export const MismatchResponse = z
  .strictObject({
    id: z.uuid(),
    eventId: z.uuid().meta({ description: 'The event that has the ID.' }),
    kind: z.enum(EVENT_KINDS),
    externalId: z.string(),
    differences: z
      .array(
        z.strictObject({
          field: z.string().meta({ description: 'Such as `amountCents`, or `metadata.plan`.' }),
          recorded: z.string().nullable().meta({ description: 'What the event has.' }),
          reported: z.string().nullable().meta({ description: 'What the other report had.' }),
        }),
      )
      .meta({
        description:
          'As text, at most 500 characters each. Empty if only fields differ that are not kept with an event, such as `customerEmail`.',
      }),
    reports: z.int().meta({ description: 'How often this body was reported.' }),
    firstReportedAt: timestamp,
    lastReportedAt: timestamp,
  })
  .meta({ id: 'Mismatch' })
export type MismatchResponse = z.infer<typeof MismatchResponse>
