/** The shop's security headers. Merchants can copy the Content-Security-Policy. */
import { NONCE, secureHeaders } from 'hono/secure-headers'

/**
 * Strict headers that the snippet works under: it is loaded from Tributary's origin (`script-src`)
 * and records the click there (`connect-src`). It needs nothing else. In the demo, Stripe's page is
 * on Tributary's origin too.
 */
export const security = (tributaryUrl: string) => {
  const { origin } = new URL(tributaryUrl)
  return secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      scriptSrc: [NONCE, origin],
      connectSrc: [origin],
      styleSrc: ["'self'"],
      imgSrc: ["'self'"],
      // form-action applies to redirects too. For the real Stripe, add https://checkout.stripe.com.
      formAction: ["'self'", origin],
      baseUri: ["'none'"],
      frameAncestors: ["'none'"],
    },
    xFrameOptions: 'DENY',
    // With 'no-referrer', browsers send forms with `Origin: null`, and Tributary gets no referrer.
    referrerPolicy: 'strict-origin-when-cross-origin',
    // The demo is plain http, on a hostname shared with other local software.
    strictTransportSecurity: false,
  })
}
