import { createDocument, type ZodOpenApiPathsObject } from 'zod-openapi'
import { imports } from './paths/imports.ts'
import { ledger } from './paths/ledger.ts'
import { mails } from './paths/mails.ts'
import { payouts } from './paths/payouts.ts'
import { programs } from './paths/programs.ts'
import { stripe } from './paths/stripe.ts'
import { tracking } from './paths/tracking.ts'
import { workspaces } from './paths/workspaces.ts'

/** The public API, from the schemas that validate requests and check responses in tests. */
const paths: ZodOpenApiPathsObject = {
  ...tracking,
  ...ledger,
  ...imports,
  ...programs,
  ...payouts,
  ...stripe,
  ...workspaces,
  ...mails,
}

/** The OpenAPI 3.1 document. */
export const openapi = () =>
  createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Tributary',
      version: '1',
      description:
        'Tracks sales and leads, receives Stripe events, explains each commission, pays partners, and imports them ' +
        'from other platforms.',
    },
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'A live API key: `trib_live_...`' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-tributary.session',
          description: 'The cookie of a person signed in at /sign-in.',
        },
      },
    },
    paths,
  })
