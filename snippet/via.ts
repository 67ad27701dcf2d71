/**
 * The tracking snippet, served as /via.js. It records a visit through a partner's link
 * (`?via=<slug>`) as a click, and passes the click ID to the checkout. docs/snippet.md documents
 * its behavior.
 *
 * It runs on the merchant's page, so it sets only window.tributary, a cookie and one localStorage
 * key per program, and fails silently. dev/runtime/build-snippet.ts limits it to 1,500 bytes
 * gzipped, which is why some lines are terse.
 */

declare global {
  interface Window {
    tributary?: {
      /**
       * The click IDs of the visitor, joined by "_": one for each program that has a click.
       * undefined if there is none.
       */
      clickId: () => string | undefined
      /** Starts a snippet with `data-consent`. No effect otherwise. */
      consent: () => void
      /** Resolves to clickId() once the first click is recorded or has failed. Never rejects. */
      ready: Promise<string | undefined>
      /** Tracks the programs of a further tag: for the snippet itself. */
      add: (tag: HTMLScriptElement) => void
      /** Set by the line of the docs that takes a consent before this script is there. */
      agreed?: unknown
    }
  }
  interface Document {
    prerendering?: boolean // Chromium only, so not in TypeScript's library
  }
}

{
  // currentScript is null in a module. Then the tag is found by its query. Without one, there is no
  // program to track.
  const script = (document.currentScript ??
    document.querySelector("script[src*='program=']") ??
    document.head) as HTMLScriptElement
  const api = self.tributary

  // A second copy only adds its programs. Checks `ready`, because an element with the id
  // "tributary" is also window.tributary.
  if (api?.ready) api.add?.(script)
  else {
    /**
     * An option of a tag, as a list: of its attribute, or of its URL's query, which tag managers
     * leave in place.
     */
    const option = ({ dataset, src }: HTMLScriptElement, name: string): string[] =>
      (dataset[name] ?? query(src || '').get(name) ?? '').split(/[ ,]+/).filter(Boolean)

    /**
     * The query of a URL and that of its fragment, together: "?a=1#/plans?b=2". Some tools write
     * "&amp;" for "&".
     */
    const query = (url: string) =>
      new URLSearchParams(
        url
          .split(/[?#]|&amp;/)
          .slice(1)
          .join('&'),
      )

    const cookie = () => {
      try {
        // Not decoded, so malformed escapes in other cookies do no harm. In a sandboxed frame,
        // reading throws.
        return document.cookie.match(/(^|; )tributary_click=(clk_\w+)/)?.[2]
      } catch {}
    }
    /** The newest click ID, for browsers that refuse the cookie. It lasts as long as the page. */
    let kept: string | undefined
    const clickId = () => cookie() ?? kept

    const mustAgree = option(script, 'consent')[0]
    let consent: () => void = clickId // for the compiler: replaced by the next statement
    /** Sends clicks in sequence, so that the newest writes the cookie last. */
    let queue = new Promise<unknown>((start: (event?: Event) => void) => {
      consent = () =>
        document.prerendering ? document.addEventListener('prerenderingchange', start) : start()
      if (api?.agreed || !mustAgree) consent()
    })

    const tags: HTMLScriptElement[] = []
    /**
     * What was in the URL at the last check, by program. Each change, also to nothing, is handled
     * once.
     */
    const found: Record<string, string> = {}

    // Pauses after each change, so that a burst of changes costs one check.
    const observer = new MutationObserver(() => {
      observer.disconnect()
      setTimeout(look, 50)
    })

    /** Fills in the click ID. */
    const fill = () => {
      const id = clickId()
      if (!id) return
      // Keeps the merchant's own reference. One that starts with clk_ is ours, possibly of an older
      // click.
      const mayWrite = (value: string | null) => !value || (value !== id && value.match(/^clk_/))
      for (const input of document.querySelectorAll<HTMLInputElement>('[name=tributary_click]')) {
        try {
          input.value = id
        } catch {
          // A file input cannot be written.
        }
      }
      const domains = option(script, 'domains')
      const hosts = option(script, 'links')
      // Not document.links: a form of that name would be it.
      for (const link of document.querySelectorAll<PageLink>('a[href]')) {
        const { hostname } = link
        const name = domains.includes(hostname)
          ? 'tributary_click'
          : (/^(buy|book|donate)\.stripe\.com$/.test(hostname) || hosts.includes(hostname)) &&
            'client_reference_id'
        const search = new URLSearchParams(link.search)
        if (name && mayWrite(search.get(name))) {
          search.set(name, id)
          link.search = search
        }
      }
      for (const element of document.querySelectorAll('stripe-buy-button,stripe-pricing-table')) {
        if (mayWrite(element.getAttribute('client-reference-id'))) {
          element.setAttribute('client-reference-id', id)
        }
      }
    }

    /** Fills in the click ID, then checks the URL for a slug. Called whenever the page changes. */
    const look = () => {
      try {
        fill()

        // Both are idempotent. Browsers without the Navigation API rely on the observer: a page
        // that changes its URL almost always changes its content.
        self.navigation?.addEventListener('currententrychange', look)
        observer.observe(document, { childList: true, subtree: true, attributeFilter: ['href'] })

        for (const tag of tags) {
          for (const program of option(tag, 'program')) {
            const isFirst = !(program in found)
            // A click ID that a page of another domain has passed on is read as a slug too: the
            // service tells them apart.
            const names = ['via', 'VIA', 'Via', ...option(tag, 'params'), 'tributary_click']
            const slugs =
              [
                location.href,
                // As the page was loaded: a script may have cleaned its URL before.
                isFirst && performance.getEntriesByType('navigation')[0]?.name,
                // The page of the site before this one, if the visitor agreed on this one.
                isFirst &&
                  mustAgree &&
                  document.referrer.startsWith(`${location.origin}/`) &&
                  document.referrer,
              ]
                .map((url) =>
                  names.flatMap((name) =>
                    query(url || '')
                      .getAll(name)
                      .filter(Boolean),
                  ),
                )
                .find(([slug]) => slug) ?? []
            // biome-ignore lint/suspicious/noAssignInExpressions: compared and assigned at once, for size
            if (found[program] !== (found[program] = `${slugs}`)) {
              send(
                tag,
                program,
                slugs[0]
                  ? {
                      programId: program,
                      slugs,
                      url: location.href,
                      referrer: document.referrer,
                      at: Date.now(),
                    }
                  : undefined,
              )
            }
          }
        }
      } catch {}
    }

    /**
     * Posts a click after those before it; without one, the click that an earlier page could not
     * deliver.
     */
    const send = (tag: HTMLScriptElement, program: string, click: Click | undefined) => {
      const key = `tributary_${program}`
      queue = queue.then(async () => {
        try {
          // Stored before it is sent, because the visitor may leave before the response.
          try {
            if (click) localStorage[key] = JSON.stringify(click)
            else click = JSON.parse(localStorage[key])
          } catch {}
          const { at, ...body } = click as Click
          const age = Date.now() - at
          let status = 0
          if (age < 864e5) {
            const answer = await fetch(new URL('api/track/click', tag.src), {
              method: 'POST',
              // A string is sent as text/plain, which needs no preflight. Undefined values are left
              // out.
              body: JSON.stringify({
                ...body,
                age,
                clickId: clickId(),
              }),
              keepalive: true,
              signal: AbortSignal.timeout?.(10_000), // longer than a slow phone needs, because `ready` waits. Not in browsers before 2022.
            })
            status = answer.status
            const { clickId: id, expiresAt, maxAge } = await answer.json()
            kept = id ?? kept

            // Tries the widest domain first. Browsers silently reject public suffixes such as
            // co.uk, so each attempt is read back. The ninth has no Domain, only an unknown
            // attribute.
            for (let labels = 0; id && cookie() !== id && labels++ < 9; ) {
              // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing on http, where shops are developed
              document.cookie = `tributary_click=${id};path=/;samesite=lax;max-age=${maxAge};expires=${new Date(expiresAt).toUTCString()};${
                location.href > 'https' && 'secure'
              };${labels > 8 || 'domain'}=${location.hostname.split('.').slice(-labels).join('.')}`
            }
            fill()
          }
          // Done, unless the service was busy (429) or failing (5xx). An unknown slug (404) is not
          // retried, nor a click of yesterday.
          if (status < 429) delete localStorage[key]
        } catch {}
      })
    }

    const add = (tag: HTMLScriptElement) => {
      tags.push(tag)
      // Automated browsers are not visitors.
      if (!navigator.webdriver) look()
    }

    // A framework may have emptied a field, and another tab may have a newer click.
    for (const type of ['submit', 'click']) addEventListener(type, fill, true)
    add(script)
    if (/tributary_debug/.test(location.href)) import(`${new URL('debug.js', script.src)}`)
    self.tributary = { clickId, consent, add, ready: queue.then(clickId) }
  }
}

/** A click that is not delivered yet. */
type Click = {
  programId: string
  /** Values of the parameters, the likeliest first. */
  slugs: string[]
  url: string
  referrer: string
  /** When it took place, by the visitor's clock. */
  at: number
}

/** `search` accepts anything with a string form, but TypeScript allows only strings. */
type PageLink = Element & { hostname: string; search: string | URLSearchParams }

export {}
