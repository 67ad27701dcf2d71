/** What the endpoints answer, for the API's description: no Worker carries these. */
import * as z from 'zod'
import { COMMISSION_STATUSES } from '../lib/tracking/commissions.ts'

/** The answer of both tracking endpoints. */
export const TrackingResponse = z
  .object({
    eventId: z.uuid().nullable().meta({ description: 'null when the event is not attributed.' }),
    attributed: z.boolean(),
  })
  .meta({ id: 'TrackingResponse' })

/** The answer of POST /api/track/click. */
export const ClickResponse = z
  .object({ clickId: z.string(), expiresAt: z.iso.datetime() })
  .meta({ id: 'Click' })

/** The answer of POST /api/webhooks/stripe/:workspace. */
export const WebhookResponse = z.object({ received: z.literal(true) }).meta({ id: 'WebhookResponse' })

/** An event as GET shows it, with its explanation. */
export const EventResponse = z
  .object({
    id: z.uuid(),
    kind: z.enum(['sale', 'lead']),
    externalId: z.string(),
    eventName: z.string(),
    attributed: z.boolean(),
    attributedBy: z.enum(['coupon', 'click', 'customer']).nullable(),
    partner: z
      .object({ id: z.uuid(), slug: z.string(), name: z.string().nullable(), email: z.string() })
      .nullable(),
    customer: z.object({
      id: z.uuid().nullable().meta({ description: 'null while no event of the customer was attributed.' }),
      externalId: z.string(),
      email: z.string().nullable(),
      name: z.string().nullable(),
    }),
    amountCents: z.int().nullable(),
    currency: z.string().nullable(),
    metadata: z.record(z.string(), z.unknown()).nullable(),
    occurredAt: z.iso.datetime(),
    commission: z
      .object({
        id: z.uuid(),
        amountCents: z.int(),
        reversedCents: z
          .int()
          .meta({ description: 'How much of it was taken back, by refunds, disputes and corrections.' }),
        currency: z.string(),
        status: z.enum(COMMISSION_STATUSES),
        payableAt: z.iso.datetime(),
      })
      .nullable(),
    steps: z.array(
      z.object({
        code: z.string().meta({ description: 'Stable; see docs/decisions.md.' }),
        text: z.string().meta({ description: 'The step in words, for people. The wording may change.' }),
        facts: z.record(z.string(), z.unknown()),
      }),
    ),
  })
  .meta({ id: 'Event' })

const RowProblem = {
  code: z.string().optional().meta({ description: 'What is to be corrected; see docs/api.md.' }),
  message: z.string().optional(),
}

/** The answer of POST .../partners/import. */
export const PartnerImportResponse = z
  .object({
    summary: z.object({
      created: z.int(),
      skippedExisting: z.int(),
      errors: z.int(),
      slugsRenamed: z.int(),
      couponsMapped: z.int(),
    }),
    results: z.array(
      z.object({
        email: z.string(),
        status: z.enum(['created', 'skipped_existing', 'error']),
        slug: z.string(),
        couponMapped: z.boolean(),
        requestedSlug: z.string().optional().meta({ description: 'The slug that was taken.' }),
        ...RowProblem,
      }),
    ),
  })
  .meta({ id: 'PartnerImportResult' })

/** The answer of POST .../customers/import. */
export const CustomerImportResponse = z
  .object({
    summary: z.object({ created: z.int(), updated: z.int(), unchanged: z.int(), errors: z.int() }),
    results: z.array(
      z.object({
        customerExternalId: z.string(),
        partnerEmail: z.string(),
        status: z.enum(['created', 'updated', 'unchanged', 'partner_not_found', 'error']),
        ...RowProblem,
      }),
    ),
  })
  .meta({ id: 'CustomerImportResult' })

/** Every error. */
export const ErrorResponse = z
  .object({
    error: z.object({
      code: z.string(),
      message: z.string(),
      details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
      requestId: z.string(),
      docUrl: z.url(),
    }),
  })
  .meta({ id: 'Error' })
