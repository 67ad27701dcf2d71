import * as z from 'zod'
import { createDocument } from 'zod-openapi'
import { ERRORS, type ErrorCode } from '../lib/http/errors.ts'
import { ClickEvent, EventQuery, LeadEvent, SaleEvent } from '../lib/http/schemas.ts'
import {
  ClickResponse,
  ErrorResponse,
  EventListResponse,
  EventResponse,
  TrackingResponse,
} from './responses.ts'

const json = (schema: z.ZodType) => ({ content: { 'application/json': { schema } } })

/** The answers that go wrong, by status, for the codes that an endpoint may give. */
const errors = (...codes: ErrorCode[]) => {
  const all: ErrorCode[] = [...codes, 'rate_limited', 'internal', 'try_again']
  const answers = [...Map.groupBy(all, (code) => ERRORS[code][0])].map(([status, group]) => {
    const description = group.map((code) => `\`${code}\`: ${ERRORS[code][1]}`).join('\n\n')
    return [String(status), { description, ...json(ErrorResponse) }]
  })
  return Object.fromEntries(answers)
}

const apiKey = [{ apiKey: [] }]
const report = (summary: string, schema: z.ZodType) => ({
  post: {
    summary,
    security: apiKey,
    requestBody: { required: true, ...json(schema) },
    responses: {
      200: {
        description:
          'Saved, now or by an earlier call with the same `externalId`. The header `Idempotency-Mismatch: true` says that the earlier call said something else.',
        ...json(TrackingResponse),
      },
      ...errors('invalid_body', 'invalid_api_key', 'body_too_large', 'unsupported_media_type'),
    },
  },
})
const workspace = { workspace: z.string().meta({ description: 'The slug or id of the workspace.' }) }

/** OpenAPI 3.1 of the public API, from the schemas that validate it. */
export const openapi = () =>
  createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Tributary',
      version: '1',
      description: 'Reports sales and leads, and explains what they earned.',
    },
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'A live API key: `trib_live_...`' },
      },
    },
    paths: {
      '/api/track/click': {
        post: {
          summary: 'Record a visit through a partner’s link',
          requestBody: { required: true, ...json(ClickEvent) },
          responses: {
            200: { description: 'The click, and until when it counts.', ...json(ClickResponse) },
            ...errors('invalid_body', 'partner_not_found', 'body_too_large', 'unsupported_media_type'),
          },
        },
      },
      '/api/track/lead': report('Report a lead', LeadEvent),
      '/api/track/sale': report('Report a sale', SaleEvent),
      '/api/workspaces/{workspace}/events': {
        get: {
          summary: 'List events, newest first',
          security: apiKey,
          requestParams: { path: z.object(workspace), query: EventQuery },
          responses: {
            200: { description: 'A page of events.', ...json(EventListResponse) },
            ...errors('invalid_query', 'invalid_api_key', 'not_found'),
          },
        },
      },
      '/api/workspaces/{workspace}/events/{id}': {
        get: {
          summary: 'Get an event and the reasons for its decision',
          security: apiKey,
          requestParams: { path: z.object({ ...workspace, id: z.uuid() }) },
          responses: {
            200: { description: 'The event.', ...json(EventResponse) },
            ...errors('invalid_api_key', 'not_found'),
          },
        },
      },
    },
  })
