/**
 * The tracking snippet, served as /via.js. It turns a visit through a partner's link (`?via=<slug>`) into a click,
 * and carries the click's id to where the sale is made. docs/snippet.md says what merchants may rely on.
 *
 * It is a guest on somebody else's page: it leaves nothing behind but window.tributary, a cookie and at most one
 * localStorage key, and whatever fails, fails in silence. dev/runtime/build-snippet.ts holds it to 1,000 bytes gzipped,
 * which is why a few lines are terser than elsewhere; each of them has its reason beside it.
 */

declare global {
  interface Window {
    tributary?: {
      /** The click id in the cookie, if there is one. */
      clickId: () => string | undefined
      /** Lets a snippet with `data-consent` begin. Harmless without it. */
      consent: () => void
      /** Resolves to clickId() once the first page's click is settled. Never rejects. */
      ready: Promise<string | undefined>
    }
  }
  interface Document {
    prerendering?: boolean // only Chromium has it, so TypeScript's library does not
  }
}

// One block, so that nothing leaks into the page and a second copy of the script does nothing. Look for `ready`,
// because an element with the id "tributary" is window.tributary too.
if (!self.tributary?.ready) {
  // currentScript is null in a module or an eval: there is no program then, and nothing to track, but nothing breaks.
  const script = (document.currentScript ?? document.head) as HTMLScriptElement
  const { dataset } = script

  const clickId = () => {
    try {
      // No decoding: another cookie's malformed escapes can't hurt. The read itself throws in a sandboxed frame.
      return document.cookie.match(/(^|; )tributary_click=(clk_\w+)/)?.[2]
    } catch {}
  }

  /** The slug of the last look, or 0 before the first one. A click is an arrival at a slug; no slug counts as one too. */
  let last: string | undefined | 0 = 0

  let consent: () => void = clickId // for the compiler: the next statement replaces it before anybody can call it
  /** Clicks are sent one after the other, so that the newest is the last to write the cookie. */
  let queue = new Promise<unknown>((start: (event?: Event) => void) => {
    consent = () => (document.prerendering ? document.addEventListener('prerenderingchange', start) : start())
    if (!dataset.consent) consent()
  })

  // Deaf for a moment after each change, so that a burst of changes costs one look.
  const observer = new MutationObserver(() => {
    observer.disconnect()
    setTimeout(look, 50)
  })

  /** Fills in the click id, then looks for a partner's slug in the URL. Called whenever the page changes. */
  const look = () => {
    try {
      const id = clickId()
      if (id) {
        // A merchant's own reference stays. One that begins with clk_ is ours, perhaps of an older click.
        const mayWrite = (value: string | null) => !value || (value !== id && value.match(/^clk_/))

        for (const input of document.querySelectorAll<HTMLInputElement>('[name=tributary_click]')) {
          try {
            input.value = id
          } catch {
            // A field for files can't be written to.
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

      // Both do nothing when they are in place already. Browsers without the Navigation API get by with the observer:
      // a page that moves to another URL hardly ever stays the same.
      self.navigation?.addEventListener('currententrychange', look)
      observer.observe(document, { childList: true, subtree: true, attributeFilter: ['href'] })

      let slug: string | undefined
      // The last name that is in the URL wins, and the last of all is via.
      for (const name of `${dataset.params ?? 'via'},via`.split(/[ ,]+/)) {
        slug = new URLSearchParams(location.search).get(name) || slug
      }
      // biome-ignore lint/suspicious/noAssignInExpressions: compared and kept in one go, for the budget
      if (last !== (last = slug)) {
        let body =
          slug &&
          JSON.stringify({
            programId: dataset.program,
            slug,
            url: location.href,
            referrer: document.referrer,
          })

        queue = queue.then(async () => {
          try {
            if (dataset.attribution === 'first' && clickId()) return
            // Kept before it is sent, because a visitor who leaves at once never sees the answer. When there is no
            // slug, it is the turn of a click that an earlier page could not deliver.
            try {
              if (body) localStorage.tributary_click = body
              else body = localStorage.tributary_click
            } catch {}
            if (!body) return
            const answer = await fetch(new URL('api/track/click', script.src), {
              method: 'POST',
              body, // a string goes as text/plain, which needs no preflight
              keepalive: true,
              signal: AbortSignal.timeout?.(10_000), // longer than a slow phone needs: `ready` waits for it. None before 2022.
            })
            const { clickId: id, expiresAt } = await answer.json()

            // The widest domain first: of shop.example.co.uk, browsers refuse uk and co.uk. They do so in silence, so
            // each try is read back. The ninth has no Domain, only an attribute that no browser knows.
            for (let labels = 0; id && clickId() !== id && labels++ < 9; ) {
              // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing on http, where shops are developed
              document.cookie = `tributary_click=${id};path=/;samesite=lax;expires=${new Date(expiresAt).toUTCString()};${
                location.href > 'https' && 'secure'
              };${labels > 8 || 'domain'}=${location.hostname.split('.').slice(-labels).join('.')}`
            }
            look()
            // Settled, unless the service was busy (429) or broken (5xx). An unknown slug (404) is not sent again.
            if (answer.status < 429) delete localStorage.tributary_click
          } catch {}
        })
      }
    } catch {}
  }

  // An automated browser is no visitor.
  if (!navigator.webdriver) look()
  self.tributary = { clickId, consent, ready: queue.then(clickId) }
}

/** A link's search takes whatever can be written as a string, though TypeScript says strings only. */
type StripeLink = Element & { search: string | URLSearchParams }

export {}
