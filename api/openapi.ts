import { createDocument } from 'zod-openapi'
import { paths } from './paths.ts'

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
