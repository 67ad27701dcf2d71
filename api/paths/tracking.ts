import type * as z from 'zod'
import { ClickEvent, LeadEvent, SaleEvent } from '../../lib/tracking/reports.schemas.ts'
import { ClickResponse, TrackingResponse } from '../responses.ts'
import { BODY_ERRORS, byApiKey, errors, json } from '../shared.ts'

const report = (summary: string, schema: z.ZodType) => ({
  post: {
    summary,
    security: byApiKey,
    requestBody: { required: true, ...json(schema) },
    responses: {
      200: {
        description:
          'Saved, now or by an earlier call with the same `externalId`. The header `Idempotency-Mismatch: true` says that the earlier call said something else.',
        ...json(TrackingResponse),
      },
      ...errors(...BODY_ERRORS, 'invalid_api_key'),
    },
  },
})

/** What happens on the merchant's site. */
export const tracking = {
  '/api/track/click': {
    post: {
      summary: 'Record a visit through a partner’s link',
      requestBody: { required: true, ...json(ClickEvent) },
      responses: {
        200: { description: 'The click, and until when it counts.', ...json(ClickResponse) },
        ...errors(...BODY_ERRORS, 'partner_not_found'),
      },
    },
  },
  '/api/track/lead': report('Report a lead', LeadEvent),
  '/api/track/sale': report('Report a sale', SaleEvent),
}
