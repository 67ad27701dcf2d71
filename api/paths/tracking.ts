import * as z from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import { ClickEvent } from '../../lib/tracking/clicks/clicks.schemas.ts'
import { SaleCorrection } from '../../lib/tracking/refunds/corrections.schemas.ts'
import { RefundEvent } from '../../lib/tracking/refunds/refund.schemas.ts'
import { Batch } from '../../lib/tracking/reports/batch.schemas.ts'
import {
  BatchResponse,
  ClickResponse,
  TrackingResponse,
} from '../../lib/tracking/reports/reports.responses.ts'
import { LeadEvent, SaleEvent } from '../../lib/tracking/reports/reports.schemas.ts'
import { BODY_ERRORS, byApiKey, errors, json } from '../operations.ts'

const report = (summary: string, schema: z.core.$ZodType, ...codes: Parameters<typeof errors>) => ({
  post: {
    summary,
    security: byApiKey('track'),
    requestBody: { required: true, ...json(schema) },
    responses: {
      200: {
        description:
          'Saved, by this request or an earlier one with the same `externalId`. The header ' +
          '`Idempotency-Mismatch: true` means that the earlier request had a different body.',
        ...json(TrackingResponse),
      },
      ...errors(...BODY_ERRORS, 'invalid_api_key', 'insufficient_scope', ...codes),
    },
  },
})

export const tracking: ZodOpenApiPathsObject = {
  '/api/track/click': {
    post: {
      summary: 'Record a visit through a partner’s link',
      requestBody: { required: true, ...json(ClickEvent) },
      responses: {
        200: { description: 'The click and when it expires.', ...json(ClickResponse) },
        ...errors(...BODY_ERRORS, 'partner_not_found'),
      },
    },
  },
  '/api/track/lead': report('Report a lead', LeadEvent),
  '/api/track/sale': report('Report a sale', SaleEvent),
  '/api/track/batch': {
    post: {
      summary: 'Report up to 500 sales and leads',
      security: byApiKey('track'),
      requestBody: { required: true, ...json(Batch) },
      responses: {
        200: {
          description:
            'A result for each event, in the same order. The header `Idempotency-Mismatch` lists the places, counted ' +
            'from 0, of the events whose earlier report had a different body, such as `0, 17`.',
          ...json(BatchResponse),
        },
        ...errors(...BODY_ERRORS, 'too_many_rows', 'invalid_api_key', 'insufficient_scope'),
      },
    },
  },
  '/api/track/sale/{externalId}': {
    patch: {
      summary: 'Add a missing click or customer to a reported sale',
      security: byApiKey('write'),
      requestParams: {
        path: z.object({
          externalId: z.string().meta({ description: 'The `externalId` of the sale.' }),
        }),
      },
      requestBody: { required: true, ...json(SaleCorrection) },
      responses: {
        200: { description: 'The sale was recomputed.', ...json(TrackingResponse) },
        ...errors(...BODY_ERRORS, 'invalid_api_key', 'insufficient_scope', 'not_found', 'conflict'),
      },
    },
  },
  '/api/track/refund': report('Report a refund', RefundEvent, 'currency_mismatch'),
}
