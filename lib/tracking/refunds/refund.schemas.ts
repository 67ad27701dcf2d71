/** Reports of refunds. */
import * as z from 'zod'
import { currency, id, optional } from '../../http/fields.ts'
import type { RefundReport } from '../../rules/refunds/refund.ts'
import { MAX_AMOUNT_CENTS } from '../../values/money.ts'
import { metadata } from '../reports/reports.schemas.ts'

/** POST /api/track/refund. */
export const RefundEvent = z
  .object({
    externalId: id('Your refund or credit note id. One refund per id.'),
    saleExternalId: id(
      'The `externalId` of the sale, or any id of it at a connected payment processor that also reports it. A refund that ' +
        'arrives before its sale waits for it.',
    ),
    amountCents: optional(
      z
        .int('Must be a whole number of minor units.')
        .min(1, 'Must be at least 1.')
        .max(MAX_AMOUNT_CENTS, `Must be at most ${MAX_AMOUNT_CENTS}.`)
        .meta({
          description:
            'The part of the sale’s `amountCents` that was refunded. By default, and at most, what is not refunded yet.',
        }),
    ),
    currency: optional(currency).meta({
      description: 'ISO 4217 code, in any case. By default that of the sale; no other is accepted.',
    }),
    eventName: optional(id('Your name for the event.')).meta({ default: 'refund' }),
    metadata,
  })
  .transform(
    (refund): RefundReport => ({
      externalId: refund.externalId,
      saleExternalId: refund.saleExternalId,
      requested: { amountCents: refund.amountCents ?? null, currency: refund.currency ?? null },
      eventName: refund.eventName ?? 'refund',
      metadata: refund.metadata ?? null,
    }),
  )
  .meta({ id: 'RefundEvent' })
