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
  BODY_ERRORS,
  bySession,
  errors,
  json,
  list,
  MANAGER_ERRORS,
  managersOnly,
  path,
  post,
  remove,
  WORKSPACE,
} from '../operations.ts'

const signature = z
  .string()
  .meta({ description: 'Stripe’s signature, by a signing secret of the workspace.' })

export const stripe: ZodOpenApiPathsObject = {
  [`${WORKSPACE}/stripe`]: {
    get: {
      summary: 'Get the Stripe settings',
      security: bySession,
      requestParams: path(),
      responses: {
        200: { description: 'The settings.', ...json(StripeResponse) },
        ...errors(...MANAGER_ERRORS),
      },
    },
  },
  [`${WORKSPACE}/stripe/secrets`]: {
    post: {
      ...post('Add a signing secret', NewStripeSecret, StripeSecretResponse),
      description:
        'At most four: two for each of two webhook endpoints, so that either secret can be rolled.',
      responses: {
        200: { description: 'Already added.', ...json(StripeSecretResponse) },
        201: { description: 'Added.', ...json(StripeSecretResponse) },
        ...errors(...BODY_ERRORS, ...MANAGER_ERRORS, 'conflict'),
      },
    },
  },
  [`${WORKSPACE}/stripe/secrets/{id}`]: { delete: remove('Remove a signing secret') },
  [`${WORKSPACE}/stripe/key`]: {
    put: {
      summary: 'Set the key of the Stripe account that pays partners',
      description:
        'Replaces the previous key. A key of another Stripe account is a conflict while partners are connected to ' +
        'the previous account or payouts are processing. A key that Stripe rejects is `invalid_body`.',
      security: bySession,
      requestParams: path(),
      requestBody: { required: true, ...json(NewStripeKey) },
      responses: {
        200: { description: 'Set.', ...json(StripeKeyResponse) },
        ...errors(...BODY_ERRORS, ...MANAGER_ERRORS, 'conflict'),
      },
    },
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
