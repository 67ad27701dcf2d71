import { createDocument } from 'zod-openapi'
import { imports } from './paths/imports.ts'
import { management } from './paths/management.ts'
import { payouts } from './paths/payouts.ts'
import { tracking } from './paths/tracking.ts'
import { webhooks } from './paths/webhooks.ts'

/** OpenAPI 3.1 of the public API, from the schemas that validate it. */
export const openapi = () =>
  createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Tributary',
      version: '1',
      description:
        'Reports sales and leads, hears of sales from Stripe, explains what they earned, pays partners, and moves them in from elsewhere.',
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
      ...management,
      ...payouts,
      ...webhooks,
    },
  })
