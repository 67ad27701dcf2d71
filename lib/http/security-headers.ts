import { every } from 'hono/combine'
import { secureHeaders } from 'hono/secure-headers'

/** The headers of every answer of the API: not to be framed, sniffed, cached or run. */
export const securityHeaders = () =>
  every(
    secureHeaders({
      // One year, without subdomains: those of a merchant's own domain are not ours to decide for.
      strictTransportSecurity: 'max-age=31536000',
      contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
      // Answers are JSON for programs; which sites may read them is CORS's to say.
      crossOriginResourcePolicy: 'cross-origin',
      // Pages have a policy of their own.
      overwrite: false,
    }),
    async function noStore(c, next) {
      c.header('Cache-Control', 'no-store')
      await next()
    },
  )
