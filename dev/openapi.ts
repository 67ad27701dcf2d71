import * as z from 'zod'
import { createDocument } from 'zod-openapi'
import { EventQuery } from '../lib/http/schemas.ts'
import { imports } from './openapi/imports.ts'
import { byApiKey, errors, json, workspace } from './openapi/shared.ts'
import { tracking } from './openapi/tracking.ts'
import { EventListResponse, EventResponse } from './responses.ts'

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
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-tributary.session',
          description: 'The cookie of somebody who has signed in at /sign-in.',
        },
      },
    },
    paths: {
      ...tracking,
      ...imports,
      '/api/workspaces/{workspace}/events': {
        get: {
          summary: 'List events, newest first',
          security: byApiKey,
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
          security: byApiKey,
          requestParams: { path: z.object({ ...workspace, id: z.uuid() }) },
          responses: {
            200: { description: 'The event.', ...json(EventResponse) },
            ...errors('invalid_api_key', 'not_found'),
          },
        },
      },
    },
  })
