import * as z from 'zod'
import { timestamp } from '../../http/common.responses.ts'
import { SECRET_PURPOSES } from './purposes.ts'

export const StripeSecretResponse = z
  .strictObject({
    id: z.uuid(),
    purpose: z.enum(SECRET_PURPOSES).meta({ description: 'Whose events it signs.' }),
    last4: z.string().meta({ description: 'The last four characters of the secret.' }),
    createdAt: timestamp,
  })
  .meta({ id: 'StripeSecret' })
export type StripeSecretResponse = z.infer<typeof StripeSecretResponse>

export const StripeKeyResponse = z
  .strictObject({
    last4: z.string().meta({ description: 'The last four characters of the key.' }),
    stripeAccountId: z.string().meta({ description: 'The Stripe account of the key: `acct_...`' }),
    livemode: z.boolean().meta({ description: 'false for a key of Stripe’s test mode.' }),
    createdAt: timestamp,
  })
  .meta({ id: 'StripeKey' })
export type StripeKeyResponse = z.infer<typeof StripeKeyResponse>

export const StripeResponse = z
  .strictObject({
    webhookUrl: z.url().meta({ description: 'The URL of the webhook endpoint.' }),
    events: z
      .array(z.string())
      .meta({ description: 'The event types that the endpoint receives.' }),
    connectEvents: z.array(z.string()).meta({
      description:
        'The event types of connected accounts, for a second endpoint; see docs/stripe.md.',
    }),
    key: StripeKeyResponse.nullable().meta({
      description: 'The key of the Stripe account that pays partners; null if none is set.',
    }),
    secrets: z.array(StripeSecretResponse),
    firstEventAt: timestamp
      .nullable()
      .meta({ description: 'When the first event was received; null if none was.' }),
    lastEventAt: timestamp.nullable(),
    missingEvents: z.array(z.string()).meta({
      description:
        'Types of `events` that the endpoint does not send, as far as the events received show.',
    }),
  })
  .meta({ id: 'Stripe' })
export type StripeResponse = z.infer<typeof StripeResponse>

export const StripeEventResponse = z
  .strictObject({
    id: z.uuid(),
    stripeId: z.string().meta({ description: 'Stripe’s id of the event: `evt_...`' }),
    type: z.string(),
    livemode: z.boolean().meta({ description: 'false for an event of Stripe’s test mode.' }),
    occurredAt: timestamp.meta({ description: 'When Stripe created the event.' }),
    receivedAt: timestamp,
    eventId: z
      .uuid()
      .nullable()
      .meta({ description: 'The sale that the event belongs to, if known.' }),
    outcome: z
      .strictObject({
        code: z.string().meta({ description: 'Stable; see docs/stripe.md.' }),
        text: z.string().meta({ description: 'The outcome in words. The wording may change.' }),
        facts: z.record(z.string(), z.unknown()),
      })
      .nullable()
      .meta({ description: 'The result of processing the event; null until it is processed.' }),
  })
  .meta({ id: 'StripeEvent' })
export type StripeEventResponse = z.infer<typeof StripeEventResponse>

/** POST /api/webhooks/stripe/:workspace. */
export const WebhookResponse = z
  .strictObject({ received: z.literal(true) })
  .meta({ id: 'WebhookResponse' })
export type WebhookResponse = z.infer<typeof WebhookResponse>
