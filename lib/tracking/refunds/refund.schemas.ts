/** Reports of refunds. */
import * as z from 'zod/mini'
import { currency, id } from '../../http/report-fields.ts'
import type { RefundReport } from '../../rules/refunds/refund.ts'
import { amountCents, metadata } from '../reports/reports.schemas.ts'

const refundFields = z.object({
  externalId: id('Your refund or credit note id. One refund per id.'),
  saleExternalId: id(
    'The `externalId` of the sale, or any id of it at a connected payment processor that also reports it. A refund that ' +
      'arrives before its sale waits for it.',
  ),
  amountCents: z.nullish(
    amountCents(
      'The part of the sale’s `amountCents` that was refunded. By default, and at most, what is not refunded yet.',
    ),
  ),
  currency: z
    .nullish(currency)
    .check(
      z.describe('ISO 4217 code, in any case. By default that of the sale; no other is accepted.'),
    ),
  eventName: z.nullish(id('Your name for the event.')).check(z.meta({ default: 'refund' })),
  metadata,
})

const toRefund = (refund: z.output<typeof refundFields>): RefundReport => ({
  externalId: refund.externalId,
  saleExternalId: refund.saleExternalId,
  requested: { amountCents: refund.amountCents ?? null, currency: refund.currency ?? null },
  eventName: refund.eventName ?? 'refund',
  metadata: refund.metadata ?? null,
})

/** POST /api/track/refund. */
export const RefundEvent = z
  .pipe(refundFields, z.transform(toRefund))
  .check(z.meta({ id: 'RefundEvent' }))
