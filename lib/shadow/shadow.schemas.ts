/** Requests about shadow runs. */
import * as z from 'zod'
import { nullWhenBlank, optional } from '../http/fields.ts'
import { Page } from '../http/lists.ts'
import { currency } from '../http/report-fields.ts'
import {
  type CommissionRow,
  MAX_SALE_IDS,
  PLATFORM_STATES,
} from '../imports/commissions/platform-commissions.ts'
import { isEmail, normalizeEmail } from '../values/emails.ts'
import { MAX_ID_LENGTH } from '../values/external-ids.ts'
import { MAX_AMOUNT_CENTS } from '../values/money.ts'
import { OUTCOMES, REASONS, type Reason } from './comparison/compare.ts'

/** POST /programs/:id/shadow/commissions. Each row is checked on its own. */
export const CommissionUpload = z
  .strictObject({ rows: z.array(z.unknown()) })
  .meta({ id: 'ShadowCommissionUpload' })

const text = (description: string) =>
  optional(
    z
      .string()
      .trim()
      .max(MAX_ID_LENGTH)
      .regex(/^\P{Cc}*$/u)
      .transform(nullWhenBlank)
      .meta({ description }),
  )

const address = (description: string) =>
  optional(
    z
      .string()
      .transform(normalizeEmail)
      .refine((email) => email === null || isEmail(email))
      .meta({ description }),
  )

const cents = (from: number, description: string) =>
  z.int().min(from).max(MAX_AMOUNT_CENTS).meta({ description })

/** A commission of the other platform. */
export const CommissionUploadRow = z
  .object({
    id: text(
      'The platform’s own id of the commission. A later row with the same id changes it. Without one, the row is known by its content.',
    ),
    state: optional(z.enum(PLATFORM_STATES)).meta({
      description:
        '`pending` and `due` are owed to the partner, `paid` was paid, and nothing is owed for `voided`.',
      default: 'pending',
    }),
    amountCents: cents(-MAX_AMOUNT_CENTS, 'The commission, in minor units.'),
    currency,
    saleAmountCents: optional(
      cents(0, 'What the commission was computed from, in minor units of `currency`.'),
    ),
    saleIds: optional(
      z
        .array(
          z
            .string()
            .trim()
            .min(1)
            .max(MAX_ID_LENGTH)
            .regex(/^\P{Cc}*$/u),
        )
        .max(MAX_SALE_IDS)
        .meta({
          description:
            'Ids of the sale: your own, as you report it, or Stripe’s of the invoice, payment, charge or checkout.',
        }),
    ),
    customerExternalId: text('The customer’s id, as you report it or at Stripe.'),
    customerEmail: address('The customer’s email address.'),
    partnerEmail: address('The partner whom the platform credits.'),
    soldAt: z
      .union([z.iso.date(), z.iso.datetime({ offset: true })])
      .transform((moment) => new Date(moment))
      .meta({ description: 'When the customer paid: a date, or a time with its zone.' }),
  })
  .transform(
    (row): CommissionRow => ({
      ...row,
      id: row.id ?? null,
      state: row.state ?? 'pending',
      saleAmountCents: row.saleAmountCents ?? null,
      saleIds: [...new Set(row.saleIds ?? [])],
      customerExternalId: row.customerExternalId ?? null,
      customerEmail: row.customerEmail ?? null,
      partnerEmail: row.partnerEmail ?? null,
    }),
  )

const day = z.iso.date()

/** GET /programs/:id/shadow. */
export const ShadowPeriod = z.object({
  from: day.optional().meta({ description: 'The first day, in UTC.' }),
  to: day.optional().meta({ description: 'The last day, in UTC.' }),
})

/** GET /programs/:id/shadow/comparisons. */
export const ComparisonQuery = Page.extend({
  ...ShadowPeriod.shape,
  outcome: z.enum(OUTCOMES).optional(),
  reason: z.enum(Object.keys(REASONS) as [Reason, ...Reason[]]).optional(),
  partnerId: z.uuid().optional(),
})
