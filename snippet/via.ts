/**
 * The tracking snippet, served as /via.js. It records a visit through a partner's link (`?via=<slug>`) as a click, and
 * passes the click ID to the checkout. docs/snippet.md documents its behavior.
 *
 * It runs on the merchant's page, so it sets only window.tributary, a cookie and at most one localStorage key, and fails
 * silently. dev/runtime/build-snippet.ts limits it to 1,000 bytes gzipped, which is why some lines are terse.
 */

declare global {
  interface Window {
    tributary?: {
      /** The click ID in the cookie, if any. */
      clickId: () => string | undefined
      /** Starts a snippet with `data-consent`. No effect otherwise. */
      consent: () => void
      /** Resolves to clickId() once the first click is recorded or has failed. Never rejects. */
      ready: Promise<string | undefined>
    }
  }
  interface Document {
    prerendering?: boolean // Chromium only, so not in TypeScript's library
  }
}

// One block, so that nothing leaks into the page and a second copy does nothing. Checks `ready`, because an element
// with the id "tributary" is also window.tributary.
if (!self.tributary?.ready) {
  // currentScript is null in a module or an eval. Then there is no program to track.
  const script = (document.currentScript ?? document.head) as HTMLScriptElement
  const { dataset } = script

  const clickId = () => {
    try {
      // Not decoded, so malformed escapes in other cookies do no harm. In a sandboxed frame, reading throws.
      return document.cookie.match(/(^|; )tributary_click=(clk_\w+)/)?.[2]
    } catch {}
  }

  /** The slug at the last check, or 0 before the first. Each change, also to no slug, is handled once. */
  let last: string | undefined | 0 = 0

  let consent: () => void = clickId // for the compiler: replaced by the next statement
  /** Sends clicks in sequence, so that the newest writes the cookie last. */
  let queue = new Promise<unknown>((start: (event?: Event) => void) => {
    consent = () => (document.prerendering ? document.addEventListener('prerenderingchange', start) : start())
    if (!dataset.consent) consent()
  })

  // Pauses after each change, so that a burst of changes costs one check.
  const observer = new MutationObserver(() => {
    observer.disconnect()
    setTimeout(look, 50)
  })

  /** Fills in the click ID, then checks the URL for a slug. Called whenever the page changes. */
  const look = () => {
    try {
      const id = clickId()
      if (id) {
        // Keeps the merchant's own reference. One that starts with clk_ is ours, possibly of an older click.
        const mayWrite = (value: string | null) => !value || (value !== id && value.match(/^clk_/))

        for (const input of document.querySelectorAll<HTMLInputElement>('[name=tributary_click]')) {
          try {
            input.value = id
          } catch {
            // A file input cannot be written.
          }
        }
        for (const link of document.querySelectorAll<StripeLink>("a[href^='https://buy.stripe.com/']")) {
          const query = new URLSearchParams(link.search)
          if (mayWrite(query.get('client_reference_id'))) {
            query.set('client_reference_id', id)
            link.search = query
          }
        }
        for (const element of document.querySelectorAll('stripe-buy-button,stripe-pricing-table')) {
          if (mayWrite(element.getAttribute('client-reference-id'))) {
            element.setAttribute('client-reference-id', id)
          }
        }
      }

      // Both are idempotent. Browsers without the Navigation API rely on the observer: a page that changes its URL
      // almost always changes its content.
      self.navigation?.addEventListener('currententrychange', look)
      observer.observe(document, { childList: true, subtree: true, attributeFilter: ['href'] })

      let slug: string | undefined
      // The last name in the URL wins, and via is the last of all.
      for (const name of `${dataset.params ?? 'via'},via`.split(/[ ,]+/)) {
        slug = new URLSearchParams(location.search).get(name) || slug
      }
      // biome-ignore lint/suspicious/noAssignInExpressions: compared and assigned at once, for size
      if (last !== (last = slug)) {
        let body =
          slug &&
          JSON.stringify({
            clickId: clickId(),
            programId: dataset.program,
            slug,
            url: location.href,
            referrer: document.referrer,
          })

        queue = queue.then(async () => {
          try {
            if (dataset.attribution === 'first' && clickId()) return
            // Stored before it is sent, because the visitor may leave before the response. Without a slug, this sends a
            // click that an earlier page could not deliver.
            try {
              if (body) localStorage.tributary_click = body
              else body = localStorage.tributary_click
            } catch {}
            if (!body) return
            const answer = await fetch(new URL('api/track/click', script.src), {
              method: 'POST',
              body, // a string is sent as text/plain, which needs no preflight
              keepalive: true,
              signal: AbortSignal.timeout?.(10_000), // longer than a slow phone needs, because `ready` waits. Not in browsers before 2022.
            })
            const { clickId: id, expiresAt } = await answer.json()

            // Tries the widest domain first. Browsers silently reject public suffixes such as co.uk, so each attempt is
            // read back. The ninth has no Domain, only an unknown attribute.
            for (let labels = 0; id && clickId() !== id && labels++ < 9; ) {
              // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing on http, where shops are developed
              document.cookie = `tributary_click=${id};path=/;samesite=lax;expires=${new Date(expiresAt).toUTCString()};${
                location.href > 'https' && 'secure'
              };${labels > 8 || 'domain'}=${location.hostname.split('.').slice(-labels).join('.')}`
            }
            look()
            // Done, unless the service was busy (429) or failing (5xx). An unknown slug (404) is not retried.
            if (answer.status < 429) delete localStorage.tributary_click
          } catch {}
        })
      }
    } catch {}
  }

  // Automated browsers are not visitors.
  if (!navigator.webdriver) look()
  self.tributary = { clickId, consent, ready: queue.then(clickId) }
}

/** `search` accepts anything with a string form, but TypeScript allows only strings. */
type StripeLink = Element & { search: string | URLSearchParams }

export {}
