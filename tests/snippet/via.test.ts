import { describe, expect, test } from 'vitest'
import { SNIPPET_BUDGET_BYTES } from '../../dev/runtime/build-snippet.ts'
import { everyNth } from '../support/thorough.ts'
import { expiresAt, MAX_AGE } from './shop.ts'
import {
  clicked,
  clickId,
  code,
  context,
  goTo,
  gzipBytes,
  PROGRAM,
  page,
  ready,
  shop,
  show,
  snippet,
  tracking,
  url,
  useShop,
  visit,
} from './visit.ts'

useShop()

test('the script is within its budget, with everything in it', () => {
  expect(gzipBytes).toBeLessThanOrEqual(SNIPPET_BUDGET_BYTES)
})

describe('a click', () => {
  test('is posted with the program, the slug, the landing URL and the referrer', async () => {
    shop.html = `<a href="/landing?via=anna&amp;color=blue#top">in</a>`
    await page.goto(url('/blog', 'blog.partner.co.uk'))
    shop.html = snippet()
    await page.evaluate(`location.assign('${url('/landing?via=anna&color=blue#top')}')`)
    await page.waitForURL('**/landing*')
    expect(await ready()).toBe(tracking.id(1))
    expect(tracking.clicks).toEqual([
      {
        programId: PROGRAM,
        slugs: ['anna'],
        url: url('/landing?via=anna&color=blue#top'),
        referrer: url('/', 'blog.partner.co.uk'),
        age: expect.any(Number),
      },
    ])
    await visit('/?via=bob')
    expect(tracking.clicks[1]).toMatchObject({ slugs: ['bob'], clickId: tracking.id(1) })
  })

  test('costs no preflight, because it is plain text', async () => {
    await visit('/?via=anna')
    expect(tracking.contentTypes).toEqual(['text/plain;charset=UTF-8'])
    expect(tracking.preflights).toBe(0)
  })

  test.each(['', 'async', 'defer'])('is tracked by a script loaded with "%s"', async (how) => {
    await show('/?via=anna', { head: snippet().replace('defer', how) })
    await clicked(tracking.id(1))
  })

  test.each(
    everyNth(2, [
      { case: 'via needs no list', params: '', query: 'via=anna', slug: 'anna' },
      {
        case: 'via works beside a list',
        params: 'data-params="ref"',
        query: 'via=anna',
        slug: 'anna',
      },
      {
        case: 'a listed name works',
        params: 'data-params="ref,fpr"',
        query: 'fpr=anna',
        slug: 'anna',
      },
      {
        case: 'a list may have spaces',
        params: 'data-params=" ref , fpr "',
        query: 'fpr=anna',
        slug: 'anna',
      },
      {
        case: 'via comes first',
        params: 'data-params="ref"',
        query: 'ref=bob&via=anna',
        slug: 'anna,bob',
      },
      {
        case: 'an empty via is none',
        params: 'data-params="ref"',
        query: 'via=&ref=bob',
        slug: 'bob',
      },
      {
        case: 'a name may be there twice',
        params: '',
        query: 'via=anna&via=bob',
        slug: 'anna,bob',
      },
      {
        case: 'the fragment may have a query',
        params: '',
        query: 'x=1#/pricing?via=anna',
        slug: 'anna',
      },
      { case: 'the fragment may be one', params: '', query: 'x=1#via=anna', slug: 'anna' },
      { case: 'escapes are read', params: '', query: 'via=anna%20b', slug: 'anna b' },
      { case: 'a link in capitals works', params: '', query: 'VIA=ANNA', slug: 'ANNA' },
      { case: 'a capital that a phone sets works', params: '', query: 'Via=anna', slug: 'anna' },
      { case: 'via comes before VIA', params: '', query: 'VIA=bob&via=anna', slug: 'anna,bob' },
      {
        case: 'an & may be escaped for HTML',
        params: '',
        query: 'a=1&amp;via=anna&amp;b=2',
        slug: 'anna',
      },
      { case: 'a value may have a ?', params: '', query: 'via=anna%3Fa%3D1', slug: 'anna?a=1' },
      { case: 'a second ? is a separator', params: '', query: 'via=anna?a=1', slug: 'anna' },
    ]),
  )(
    'reads its slug from the query: $case',
    { tags: 'sampled' },
    async ({ params, query, slug }) => {
      await visit(`/?${query}`, { attributes: params })
      expect(tracking.slugs()).toEqual([slug])
    },
  )

  test.each(
    everyNth(3, [
      '/',
      '/?ref=anna',
      '/?vIA=anna',
      '/?xvia=anna',
      '/?via=',
      '/#anna',
      '/?undefined=anna',
    ]),
  )('is not found in %s', { tags: 'sampled' }, async (path) => {
    expect(await visit(path)).toBeUndefined()
    expect(tracking.clicks).toEqual([])
    expect(await context.cookies()).toEqual([])
  })

  test('is posted once when the script is on the page twice', async () => {
    await visit('/?via=anna', { head: snippet() + snippet() })
    await goTo('/?via=bob')
    await clicked(tracking.id(2))
    expect(tracking.slugs()).toEqual(['anna', 'bob'])
  })

  test('is posted although an element of the page is called tributary', async () => {
    expect(await visit('/?via=anna', { head: snippet('id="tributary"') })).toBe(tracking.id(1))
  })
})

describe('the cookie', () => {
  test('is on the widest domain that browsers accept, and ends with the click', async () => {
    await visit('/?via=anna', { attributes: '' })
    expect(await context.cookies()).toEqual([
      expect.objectContaining({
        name: 'tributary_click',
        value: tracking.id(1),
        domain: '.example.co.uk',
        path: '/',
        expires: expect.closeTo(Date.now() / 1000 + MAX_AGE, -2),
        sameSite: 'Lax',
        secure: false,
        httpOnly: false,
      }),
    ])
    await visit(url('/', 'checkout.example.co.uk'))
    expect(await clickId()).toBe(tracking.id(1))
  })

  test('is Secure on https', async () => {
    await page.route(/^https:/, (route) => {
      const { pathname } = new URL(route.request().url())
      if (pathname === '/via.js')
        return route.fulfill({ contentType: 'text/javascript', body: code })
      if (pathname !== '/api/track/click')
        return route.fulfill({ contentType: 'text/html', body: shop.html })
      const headers = { 'Access-Control-Allow-Origin': '*' }
      return route.fulfill({ headers, json: { clickId: 'clk_https', expiresAt } })
    })
    await visit('https://shop.example.co.uk/?via=anna', {
      head: `<script defer src="https://track.example/via.js" data-program="${PROGRAM}"></script>`,
    })
    expect(await context.cookies()).toEqual([
      expect.objectContaining({
        value: 'clk_https',
        domain: '.example.co.uk',
        secure: true,
        sameSite: 'Lax',
      }),
    ])
  })

  test.each(['localhost', '127.0.0.1'])('belongs to the host alone on %s', async (host) => {
    await visit(url('/?via=anna', host))
    expect(await context.cookies()).toEqual([
      expect.objectContaining({ value: tracking.id(1), domain: host }),
    ])
  })

  test('has no Domain where every Domain is refused', async () => {
    await page.addInitScript({
      content: `{
        const cookie = Object.getOwnPropertyDescriptor(Document.prototype, 'cookie')
        Object.defineProperty(document, 'cookie', {
          get: () => cookie.get.call(document),
          set: (value) => value.includes('domain=') || cookie.set.call(document, value),
        })
      }`,
    })
    expect(await visit('/?via=anna')).toBe(tracking.id(1))
    expect(await context.cookies()).toEqual([
      expect.objectContaining({ domain: 'shop.example.co.uk' }),
    ])
  })

  test('is read beside cookies of any name and shape', async () => {
    const others = {
      x_tributary_click: 'clk_other',
      landing: '?tributary_click=clk_other',
      broken: '%E0%A4%A',
    }
    await context.addCookies(
      Object.entries(others).map(([name, value]) => ({ name, value, url: url('/') })),
    )
    await visit('/')
    expect(await clickId()).toBeUndefined()
    expect(await visit('/?via=anna')).toBe(tracking.id(1))
  })
})

test('the click that stands is the one that the service returns', async () => {
  await visit('/?via=anna')
  expect(await visit('/?via=bob')).toBe(tracking.id(2))
  expect((await context.cookies()).map(({ value }) => value)).toEqual([tracking.id(2)])
})
