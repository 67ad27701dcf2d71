/** Opens a merchant's site through a partner's link, and collects what the snippet does there. */
import type { Browser, Page, Request } from 'playwright-core'

/** Milliseconds for the page to load, and then for the click to be answered. */
const LOADS_MS = 30_000
const ANSWERS_MS = 8_000
/** After the response to the click: forms and links are filled in. */
const SETTLES_MS = 500

export type SentClick = {
  program: string
  slugs: string[]
  /** Null without a response. */
  status: number | null
  /** The error message of the response. */
  message: string | null
}

export type SiteFacts = {
  /** Why the page could not be opened; null if it was. */
  unreachable: string | null
  /** The status of the page. */
  status: number | null
  /** The final URL. */
  url: string
  /** The tags of the snippet. */
  tags: { src: string; programs: string; params: string; consent: boolean }[]
  /** Whether the snippet has started. */
  isRunning: boolean
  clicks: SentClick[]
  clickId: string | null
  cookie: { value: string; domain: string; days: number } | null
  fields: { filled: number; all: number }
  /** Links that have the click ID. */
  links: number
  /** URLs of the snippet that the page's Content-Security-Policy has blocked. */
  blocked: string[]
  /** Failed requests of the snippet's script, and why. */
  failed: string[]
}

/** Runs in the page. As text, because this program has no types of a browser. */
const COLLECT = `(() => {
  const tags = [...document.scripts]
    .filter(({ src, dataset }) => dataset.program !== undefined || /\\/via(\\.[0-9a-f]+)?\\.js/.test(src))
    .map((tag) => {
      const of = (name) => tag.dataset[name] ?? new URL(tag.src, location.href).searchParams.get(name) ?? ''
      return { src: tag.src, programs: of('program'), params: of('params'), consent: of('consent') !== '' }
    })
  const clickId = self.tributary?.clickId?.() ?? null
  const fields = [...document.querySelectorAll('[name=tributary_click]')]
  return {
    tags,
    isRunning: self.tributary?.ready !== undefined,
    clickId,
    fields: { all: fields.length, filled: fields.filter(({ value }) => clickId && value === clickId).length },
    links: [...document.links].filter(({ href }) => clickId && href.includes(clickId)).length,
  }
})()`

/** Records what the page's policy blocks, from before its first script. */
const WATCH_POLICY = `
  self.tributaryBlocked = []
  addEventListener('securitypolicyviolation', ({ blockedURI }) => self.tributaryBlocked.push(blockedURI))`

const isClick = (request: Request): boolean =>
  request.method() === 'POST' && new URL(request.url()).pathname.endsWith('/api/track/click')

const isSnippet = (url: string): boolean =>
  /\/via(\.[0-9a-f]+)?\.js|\/api\/track\/click|\/debug\.js/.test(url)

const collect = (page: Page) =>
  page.evaluate<Pick<SiteFacts, 'tags' | 'isRunning' | 'clickId' | 'fields' | 'links'>>(COLLECT)

/**
 * Opens a page once, in a browser without cookies. Records one click if the site works.
 *
 * @param givesConsent whether to call `tributary.consent()`, as the site's banner does
 * @param answersMs how long to wait for a click after the page has loaded
 */
export const visitSite = async (
  browser: Browser,
  url: string,
  givesConsent = false,
  answersMs = ANSWERS_MS,
): Promise<SiteFacts> => {
  const context = await browser.newContext()
  try {
    const page = await context.newPage()
    await page.addInitScript(WATCH_POLICY)
    const clicks = new Map<Request, SentClick>()
    const failed: string[] = []
    page.on('request', (request) => {
      if (!isClick(request)) return
      const { programId = '', slugs = [], slug } = JSON.parse(request.postData() ?? '{}')
      clicks.set(request, {
        program: programId,
        slugs: slug ? [slug] : slugs,
        status: null,
        message: null,
      })
    })
    page.on('response', async (response) => {
      const click = clicks.get(response.request())
      if (click) {
        click.status = response.status()
        const answer = await response.json().catch(() => null)
        click.message = answer?.error?.message ?? null
      } else if (isSnippet(response.url()) && !response.ok())
        failed.push(`${response.url()}: ${response.status()}`)
    })
    page.on('requestfailed', (request) => {
      const reason = request.failure()?.errorText ?? 'failed'
      if (isSnippet(request.url()) && !isClick(request)) failed.push(`${request.url()}: ${reason}`)
    })

    const opened = await page
      .goto(url, { timeout: LOADS_MS, waitUntil: 'load' })
      .catch((error: Error) => error.message.split('\n')[0] ?? 'no answer')
    if (typeof opened === 'string') return { ...NOTHING, url, unreachable: opened }
    if (givesConsent) await page.evaluate('self.tributary?.consent?.()').catch(() => undefined)
    const ends = Date.now() + answersMs
    const isAnswered = () =>
      clicks.size > 0 && [...clicks.values()].every(({ status }) => status !== null)
    while (!isAnswered() && Date.now() < ends) await page.waitForTimeout(100)
    await page.waitForTimeout(SETTLES_MS)
    const blocked = await page.evaluate<string[]>('self.tributaryBlocked')
    const cookie = (await context.cookies()).find(({ name }) => name === 'tributary_click')
    return {
      unreachable: null,
      status: opened?.status() ?? null,
      url: page.url(),
      ...(await collect(page)),
      clicks: [...clicks.values()],
      cookie: cookie
        ? {
            value: cookie.value,
            domain: cookie.domain,
            days: Math.round((cookie.expires - Date.now() / 1000) / 86_400),
          }
        : null,
      blocked: [...new Set(blocked.filter(isSnippet))],
      failed,
    }
  } finally {
    await context.close()
  }
}

const NOTHING: Omit<SiteFacts, 'url' | 'unreachable'> = {
  status: null,
  tags: [],
  isRunning: false,
  clicks: [],
  clickId: null,
  cookie: null,
  fields: { filled: 0, all: 0 },
  links: 0,
  blocked: [],
  failed: [],
}
