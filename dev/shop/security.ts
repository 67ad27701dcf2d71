/** The headers of the shop's pages. The Content-Security-Policy is one that merchants may copy. */
import { NONCE, secureHeaders } from 'hono/secure-headers'

/**
 * Strict headers that let the snippet work: it is loaded from Tributary's address (`script-src`) and records
 * the click there (`connect-src`). It needs nothing else.
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
      formAction: ["'self'"],
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
