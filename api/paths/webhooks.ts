import * as z from 'zod'
import { WebhookResponse } from '../responses.ts'
import { errors, json, workspace } from '../shared.ts'

const signature = z.string().meta({ description: 'Made by Stripe, with a signing secret of the workspace.' })

/** What payment processors call. */
export const webhooks = {
  '/api/webhooks/stripe/{workspace}': {
    post: {
      summary: 'Take an event of Stripe’s',
      description:
        'For Stripe, which repeats an event for days until it is answered 200. Each counts once, in whatever order they arrive.',
      requestParams: {
        path: z.object(workspace),
        header: z.object({ 'Stripe-Signature': signature }),
      },
      requestBody: {
        required: true,
        ...json(
          z.looseObject({ id: z.string(), type: z.string() }).meta({ description: 'An event of Stripe’s.' }),
        ),
      },
      responses: {
        200: { description: 'Saved, or of no interest.', ...json(WebhookResponse) },
        ...errors('invalid_signature', 'invalid_body', 'body_too_large'),
      },
    },
  },
}
