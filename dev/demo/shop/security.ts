/** The headers of the shop's pages. The Content-Security-Policy is one that merchants may copy. */
import { NONCE, secureHeaders } from 'hono/secure-headers'

/**
 * Strict headers that let the snippet work: it is loaded from Tributary's address (`script-src`) and records
 * the click there (`connect-src`). It needs nothing else. The demo has Stripe's page at Tributary's address, too.
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
      // A browser counts where a form's answer leads to as well. For the real Stripe it is https://checkout.stripe.com.
      formAction: ["'self'", origin],
      baseUri: ["'none'"],
      frameAncestors: ["'none'"],
    },
    xFrameOptions: 'DENY',
    // 'no-referrer' would have browsers send forms with `Origin: null`, and tell Tributary no referrer.
    referrerPolicy: 'strict-origin-when-cross-origin',
    // The demo is plain http on this machine, whose name belongs to other things, too.
    strictTransportSecurity: false,
  })
}
