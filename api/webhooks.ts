import * as z from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import { AuditEntryResponse } from '../lib/audit/audit.responses.ts'
import { PartnerResponse } from '../lib/partners/lists/partners.responses.ts'
import { PayoutResponse } from '../lib/payouts/payouts.responses.ts'
import { EventResponse } from '../lib/tracking/events/events.responses.ts'
import { CommissionResponse } from '../lib/tracking/ledger/commissions.responses.ts'
import { type EventType, TEST_TYPE } from '../lib/webhooks/types.ts'
import { json } from './operations.ts'

/** When each webhook is sent, and its `data`. */
const WEBHOOKS: Record<EventType, { summary: string; data: z.ZodType }> = {
  'partner.created': { summary: 'A partner was added', data: PartnerResponse },
  'partner.approved': {
    summary: 'An applicant became a partner, or a partner was reinstated',
    data: PartnerResponse,
  },
  'partner.banned': { summary: 'A partner was banned', data: PartnerResponse },
  'lead.created': { summary: 'A lead was recorded', data: EventResponse },
  'sale.created': { summary: 'A sale was recorded', data: EventResponse },
  'refund.created': {
    summary: 'A refund of a sale was reported, by your backend or by Stripe',
    data: EventResponse,
  },
  'commission.created': {
    summary: 'A commission or adjustment was added',
    data: CommissionResponse,
  },
  'commission.reversed': {
    summary: 'A commission was reversed, or an amount reinstated',
    data: CommissionResponse,
  },
  'payout.created': { summary: 'A payout was created', data: PayoutResponse },
  'payout.paid': { summary: 'A payout was sent, or marked as paid', data: PayoutResponse },
  'payout.failed': {
    summary: 'A payout failed or was canceled, returned by the bank or reversed',
    data: PayoutResponse,
  },
  'import.finished': { summary: 'A request of an import was saved', data: AuditEntryResponse },
  'import.undone': { summary: 'An import was undone', data: AuditEntryResponse },
  [TEST_TYPE]: { summary: 'An endpoint is tested', data: z.strictObject({ endpointId: z.uuid() }) },
}

const headers = z.object({
  'webhook-id': z.uuid().meta({ description: 'The same in each attempt.' }),
  'webhook-timestamp': z
    .string()
    .meta({ description: 'When this request was sent, in Unix seconds.' }),
  'webhook-signature': z.string().meta({
    description: 'One or two signatures, `v1,<base64>`, separated by spaces.',
  }),
})

/** The body of a webhook. */
export const webhookBody = (type: EventType) =>
  z.strictObject({ type: z.literal(type), timestamp: z.iso.datetime(), data: WEBHOOKS[type].data })

/** The webhooks of the OpenAPI document. docs/webhooks.md. */
export const webhookOperations: ZodOpenApiPathsObject = Object.fromEntries(
  (Object.keys(WEBHOOKS) as EventType[]).map((type) => [
    type,
    {
      post: {
        operationId: `on${type
          .split('.')
          .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
          .join('')}`,
        summary: WEBHOOKS[type].summary,
        security: [],
        requestParams: { header: headers },
        requestBody: { required: true, ...json(webhookBody(type)) },
        responses: {
          '2XX': {
            description: 'Received. Anything else, or nothing within 10 seconds, is retried.',
          },
        },
      },
    },
  ]),
)
