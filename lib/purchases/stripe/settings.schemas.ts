/** What the endpoints that set Stripe up take. The page's forms go through them too. */
import * as z from 'zod'
import { id } from '../../http/fields.ts'
import { Page } from '../../http/lists.ts'
import { isApiKey, isSigningSecret } from '../../secrets.ts'

/** POST /api/workspaces/:workspace/stripe/secrets. What is wrong with a secret never quotes it. */
export const NewStripeSecret = z
  .strictObject({
    secret: z
      .string('Must be a text.')
      .trim()
      .refine(
        isSigningSecret,
        'This is no signing secret of a webhook. It looks like whsec_ and 32 letters and digits.',
      )
      .meta({ description: 'The signing secret of the webhook endpoint at Stripe: `whsec_...`' }),
  })
  .meta({ id: 'NewStripeSecret' })

/** PUT /api/workspaces/:workspace/stripe/key. What is wrong with a key never quotes it. */
export const NewStripeKey = z
  .strictObject({
    key: z
      .string('Must be a text.')
      .trim()
      .refine(
        isApiKey,
        'This is no secret key of Stripe’s. It begins with sk_ or rk_, and then live_ or test_.',
      )
      .meta({
        description: 'A restricted key of your Stripe account, `rk_...`, or its secret key, `sk_...`',
      }),
  })
  .meta({ id: 'NewStripeKey' })

/** The filters of GET /api/workspaces/:workspace/stripe/events. */
export const StripeEventQuery = z.object({
  type: id('The kind of event, as Stripe calls it.').optional(),
  externalId: id('The id of the sale that the events led to.').optional(),
  ...Page.shape,
})
