/** Requests about the Stripe settings, of API and forms. Errors never quote a secret or key. */
import * as z from 'zod'
import { Page } from '../../http/lists.ts'
import { id } from '../../http/report-fields.ts'
import { isApiKey, isSigningSecret } from '../../platform/secrets.ts'
import { SECRET_PURPOSES } from './purposes.ts'

/** POST /api/workspaces/:workspace/stripe/secrets. */
export const NewStripeSecret = z
  .strictObject({
    secret: z
      .string('Must be a string.')
      .trim()
      .refine(
        isSigningSecret,
        'Must be the signing secret of a webhook endpoint: whsec_ and 32 letters and digits.',
      )
      .meta({ description: 'The signing secret of your webhook endpoint at Stripe: `whsec_...`' }),
    purpose: z
      .enum(SECRET_PURPOSES, 'Must be account or connected_accounts.')
      .default('account')
      .meta({
        description:
          'Whose events the endpoint receives: those of your own `account`, or of `connected_accounts`. Only those of ' +
          'your own account are your sales.',
      }),
  })
  .meta({ id: 'NewStripeSecret' })

/** PUT /api/workspaces/:workspace/stripe/key. */
export const NewStripeKey = z
  .strictObject({
    key: z
      .string('Must be a string.')
      .trim()
      .refine(
        isApiKey,
        'Must be a secret or restricted key of Stripe, which begins with sk_live_, sk_test_, rk_live_ or rk_test_.',
      )
      .meta({
        description:
          'A restricted key of your Stripe account, `rk_...`, or its secret key, `sk_...`',
      }),
  })
  .meta({ id: 'NewStripeKey' })

/** The filters of GET /api/workspaces/:workspace/stripe/events. */
export const StripeEventQuery = z.object({
  type: z.optional(id('Stripe’s event type.')),
  externalId: z.optional(id('The external id of a sale.')),
  unreadable: z
    .stringbool({ truthy: ['true'], falsy: ['false'] })
    .optional()
    .meta({ description: '`true`: only events that cannot be read, and so do not count.' }),
  ...Page.shape,
})
