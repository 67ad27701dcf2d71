import { every } from 'hono/combine'
import { secureHeaders } from 'hono/secure-headers'

/** The headers of API responses, against framing, sniffing, caching and scripts. */
export const securityHeaders = () =>
  every(
    secureHeaders({
      // One year, without subdomains, which belong to the merchant.
      strictTransportSecurity: 'max-age=31536000',
      contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
      // CORS decides which sites may read a response.
      crossOriginResourcePolicy: 'cross-origin',
      // Pages set their own policy.
      overwrite: false,
    }),
    async function noStore(c, next) {
      c.header('Cache-Control', 'no-store')
      await next()
    },
  )
