// @module-tag thorough
/**
 * Every page that links lead to, with a year of data: each is light, has one heading, no id twice,
 * and neither moves while it loads nor is wider than a phone. axe and what pages do are the other
 * tests' work.
 */
import { expect, inject, test } from 'vitest'
import { addYear, YEAR_WORKSPACE } from '../../dev/demo/year.ts'
import { useBrowser, WALKS } from '../support/browser.ts'
import { openSession } from '../support/people.ts'

const browser = useBrowser()

/** Bytes of HTML, before compression. */
const MAX_PAGE_BYTES = 100_000

/** The most that may move, as Chromium's cumulative layout shift: below 0.1 is good. */
const MAX_SHIFT = 0.02

/** Pages that differ in an id or a filter's value only are one kind. */
const kindOf = ({ pathname, searchParams }: URL): string =>
  `${pathname.replaceAll(/[\da-f]{8}-[\da-f-]{27}|\d{4}-\d\d/g, '*')}?${[...new Set(searchParams.keys())].sort()}`

const linksIn = (html: string, from: URL): URL[] =>
  [...html.matchAll(/<a\b[^>]*\bhref="([^"]*)"/g)].flatMap(([, href = '']) => {
    const url = URL.parse(href.replaceAll('&amp;', '&'), from.href)
    return url && url.origin === from.origin && /^\/(app|portal|join)\b/.test(url.pathname)
      ? url
      : []
  })

type Found = { url: URL; html: string }

/** One page of each kind that links lead to. */
const crawl = async (start: string, cookie: string): Promise<Found[]> => {
  const seen = new Set<string>()
  const found: Found[] = []
  const queue = [new URL(start, inject('baseUrl'))]
  for (let url = queue.shift(); url; url = queue.shift()) {
    const kind = kindOf(url)
    if (seen.has(kind)) continue
    seen.add(kind)
    const response = await fetch(url, { headers: { Cookie: cookie } })
    const html = await response.text()
    expect({ url: url.href, status: response.status }).toEqual({ url: url.href, status: 200 })
    if (!response.headers.get('Content-Type')?.startsWith('text/html')) continue
    if (response.headers.get('Content-Disposition')) continue
    found.push({ url, html })
    queue.push(...linksIn(html, url))
  }
  return found
}

const SHIFT = `new Promise((resolve) => {
  let shift = 0
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) shift += value
  }).observe({ type: 'layout-shift', buffered: true })
  setTimeout(() => resolve([shift, document.documentElement.scrollWidth - innerWidth]), 60)
})`

test.each([
  { who: 'a manager', start: `/app/${YEAR_WORKSPACE}`, most: 30 },
  { who: 'a partner', start: '/portal', most: 8 },
])(
  'of $who',
  async ({ who, start, most }) => {
    const manager = 'every-page@alder.example'
    await addYear(inject('database').DATABASE_URL, { manager, member: 'member@alder.example' })
    const cookie = await openSession(who === 'a manager' ? manager : 'giulia-ueda@partners.example')
    const pages = await crawl(start, cookie)
    expect(pages.length).toBeGreaterThan(most)
    const faults = pages.flatMap(({ url, html }) => {
      const ids = [...html.matchAll(/\bid="([^"]*)"/g)].map(([, id]) => id)
      const twice = ids.filter((id, at) => ids.indexOf(id) !== at)
      const bytes = Buffer.byteLength(html)
      const headings = html.match(/<h1\b/g)?.length
      return [
        ...(bytes > MAX_PAGE_BYTES ? [`${url}: ${bytes} bytes`] : []),
        ...(twice.length ? [`${url}: id ${twice} twice`] : []),
        ...(headings === 1 ? [] : [`${url}: ${headings} headings`]),
        // What a message leaves that is rendered without `t`.
        ...(
          html.match(
            /<(legend|h\d|dt|label|caption|button|th|summary|option)\b[^>]*><\/\1>|\[object /g,
          ) ?? []
        ).map((empty) => `${url}: ${empty}`),
      ]
    })
    expect(faults).toEqual([])
    for (const screen of WALKS) {
      const page = await browser.as(cookie, screen)
      const moved: object[] = []
      for (const { url } of pages) {
        await page.goto(url.href)
        const [shift = 0, over = 0] = await page.evaluate<number[]>(SHIFT)
        if (shift > MAX_SHIFT || over > 0) moved.push({ url: url.href, shift, over })
      }
      expect(moved).toEqual([])
    }
  },
  180_000,
)
