import * as z from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import {
  StripeEventResponse,
  StripeKeyResponse,
  StripeResponse,
  StripeSecretResponse,
  WebhookResponse,
} from '../../lib/purchases/stripe/settings.responses.ts'
import {
  NewStripeKey,
  NewStripeSecret,
  StripeEventQuery,
} from '../../lib/purchases/stripe/settings.schemas.ts'
import {
  byManager,
  errors,
  get,
  json,
  list,
  managersOnly,
  path,
  post,
  put,
  remove,
  unlessExists,
  WORKSPACE,
} from '../operations.ts'

const signature = z
  .string()
  .meta({ description: 'Stripe’s signature, by a signing secret of the workspace.' })

export const stripe: ZodOpenApiPathsObject = {
  [`${WORKSPACE}/stripe`]: {
    get: byManager(get('Get the Stripe settings', StripeResponse, {})),
  },
  [`${WORKSPACE}/stripe/secrets`]: {
    post: {
      ...unlessExists(
        post('Add a signing secret', NewStripeSecret, StripeSecretResponse, {}, 'conflict'),
        'The workspace already has it.',
      ),
      description:
        'At most four: two for each of two webhook endpoints, so that either secret can be rolled.',
    },
  },
  [`${WORKSPACE}/stripe/secrets/{id}`]: { delete: remove('Remove a signing secret') },
  [`${WORKSPACE}/stripe/key`]: {
    put: put(
      'Set the key of the Stripe account that pays partners',
      NewStripeKey,
      StripeKeyResponse,
      {
        description:
          'Replaces the previous key. A key of another Stripe account is a conflict while partners are connected to ' +
          'the previous account or payouts are processing. A key that Stripe rejects is `invalid_body`.',
        also: ['conflict'],
      },
    ),
    delete: {
      ...remove('Remove the Stripe key', {}, 'conflict'),
      description: 'A conflict while payouts are processing.',
    },
  },
  [`${WORKSPACE}/stripe/events`]: {
    get: managersOnly(
      list('List received Stripe events and their outcomes', StripeEventResponse, StripeEventQuery),
    ),
  },
  '/api/webhooks/stripe/{workspace}': {
    post: {
      summary: 'Receive a Stripe event',
      description:
        'The webhook endpoint for Stripe. Stripe retries until it receives 200. Duplicate and out-of-order events ' +
        'are safe. An unreadable event is stored without its content, listed as `unreadable`, and answered 422.',
      requestParams: { ...path(), header: z.object({ 'Stripe-Signature': signature }) },
      requestBody: {
        required: true,
        ...json(
          z
            .looseObject({ id: z.string(), type: z.string() })
            .meta({ description: 'A Stripe event.' }),
        ),
      },
      responses: {
        200: { description: 'Saved, or ignored.', ...json(WebhookResponse) },
        ...errors('invalid_signature', 'invalid_body', 'body_too_large', 'unreadable_event'),
      },
    },
  },
}
