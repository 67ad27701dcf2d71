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
      'The `externalId` of the sale. A refund that arrives before its sale waits for it. For a sale that a connected payment ' +
        'processor reports too, any of the processor’s ids of it works as well.',
    ),
    amountCents: optional(
      z
        .int('Must be a whole number of minor units.')
        .min(1, 'Must be at least 1.')
        .max(MAX_AMOUNT_CENTS, `Must be at most ${MAX_AMOUNT_CENTS}.`)
        .meta({
          description:
            'The part of the sale’s `amountCents` that was refunded. Without it, all that is left of the sale. More than is ' +
            'left counts as what is left.',
        }),
    ),
    currency: optional(currency).meta({
      description: 'ISO 4217 code, in any case. That of the sale by default, and no other.',
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
