import { expect, test } from 'vitest'
import { MAX_PAGE_LENGTH, pageLink } from '../lib/values/page-links.ts'

const SITE = 'https://shop.example/start?campaign=1'

test.each([
  {
    case: 'a page',
    page: 'https://shop.example/pricing',
    link: 'https://shop.example/pricing?via=maya',
  },
  { case: 'the start page', page: 'https://shop.example', link: 'https://shop.example/?via=maya' },
  {
    case: 'white space around it',
    page: ' https://shop.example/a\n',
    link: 'https://shop.example/a?via=maya',
  },
  {
    case: 'no protocol',
    page: 'shop.example/pricing',
    link: 'https://shop.example/pricing?via=maya',
  },
  {
    case: 'a path',
    page: '/pricing?plan=pro',
    link: 'https://shop.example/pricing?plan=pro&via=maya',
  },
  { case: 'another case', page: 'HTTPS://SHOP.example/A', link: 'https://shop.example/A?via=maya' },
  {
    case: 'the default port',
    page: 'https://shop.example:443/',
    link: 'https://shop.example/?via=maya',
  },
  {
    case: 'a query and a hash, which are kept as they are written',
    page: 'https://shop.example/p?b=a%20b&c+d&a=%C3%A9&&e=~(x)*#part?via=leo',
    link: 'https://shop.example/p?b=a%20b&c+d&a=%C3%A9&e=~(x)*&via=maya#part?via=leo',
  },
  {
    case: 'another partner’s slug, which is replaced, however often and however it is written',
    page: 'https://shop.example/p?via=leo&a=1&v%69a=bea&via&via=',
    link: 'https://shop.example/p?a=1&via=maya',
  },
  {
    case: 'other names, which are other parameters',
    page: 'https://shop.example/p?Via=leo&via2=x&xvia=y',
    link: 'https://shop.example/p?Via=leo&via2=x&xvia=y&via=maya',
  },
  {
    case: 'www.',
    page: 'https://www.shop.example/pricing',
    link: 'https://www.shop.example/pricing?via=maya',
  },
  { case: 'dots', page: '/a/../../b', link: 'https://shop.example/b?via=maya' },
  {
    case: 'letters',
    page: '/preisliste/für-dich',
    link: 'https://shop.example/preisliste/f%C3%BCr-dich?via=maya',
  },
  {
    case: 'markup, which is encoded',
    page: '/"><script>',
    link: 'https://shop.example/%22%3E%3Cscript%3E?via=maya',
  },
  {
    case: 'half a surrogate pair',
    page: '/\ud800',
    link: 'https://shop.example/%EF%BF%BD?via=maya',
  },
])('makes a link of $case', ({ page, link }) => {
  expect(pageLink(SITE, page, 'maya')).toEqual({ link })
})

test.each([
  { page: '', refusal: 'no_page' },
  { page: 'https://', refusal: 'no_page' },
  { page: 'javascript:alert(1)', refusal: 'no_page' },
  { page: 'data:text/html,<script>alert(1)</script>', refusal: 'no_page' },
  { page: 'mailto:maya@shop.example', refusal: 'no_page' },
  { page: 'https://maya:secret@shop.example/', refusal: 'no_page' },
  { page: 'https://shop.example:99999/', refusal: 'no_page' },
  { page: 'our pricing page', refusal: 'no_page' },
  { page: 'pricing', refusal: 'other_host' },
  { page: 'https://other.example/', refusal: 'other_host' },
  { page: 'https://shop.example.evil.example/', refusal: 'other_host' },
  { page: 'https://evil.example/https://shop.example', refusal: 'other_host' },
  { page: 'https://evil.example#@shop.example', refusal: 'other_host' },
  { page: 'https://shop.example@evil.example/', refusal: 'other_host' },
  { page: 'https://evil.example\\@shop.example/', refusal: 'other_host' },
  { page: 'https://sub.shop.example/', refusal: 'other_host' },
  { page: 'https://shop.example:8443/', refusal: 'other_host' },
  { page: 'https://shop.example./', refusal: 'other_host' },
  { page: '//evil.example/', refusal: 'other_host' },
  { page: '/\\evil.example/', refusal: 'other_host' },
  { page: '\\\\evil.example/', refusal: 'other_host' },
  { page: 'ht\ntps://evil.example/', refusal: 'other_host' },
  { page: 'ftp://shop.example/', refusal: 'other_host' },
  { page: 'file:///etc/passwd', refusal: 'other_host' },
  { page: 'https://ѕhop.example/', refusal: 'other_host' },
  { page: 'http://shop.example/', refusal: 'other_protocol' },
  { page: `/${'x'.repeat(MAX_PAGE_LENGTH)}`, refusal: 'too_long' },
])('refuses $page as $refusal', ({ page, refusal }) => {
  expect(pageLink(SITE, page, 'maya')).toEqual({ refusal })
})

test('a site without https, such as a local one, has links without it', () => {
  const site = 'http://localhost:8788'
  expect(pageLink(site, 'localhost:8788/a', 'maya')).toEqual({
    link: 'http://localhost:8788/a?via=maya',
  })
  expect(pageLink(site, 'https://localhost:8788/a', 'maya')).toEqual({ refusal: 'other_protocol' })
})

test.each(['Maya & Leo', 'maya#1', 'a=b', '客', '%', '"><b>'])(
  'the slug %j comes back from its link',
  (slug) => {
    const { link = '' } = pageLink(SITE, '/p?a=1', slug)
    expect(new URL(link).searchParams.get('via')).toBe(slug)
  },
)

test('names a channel by sub, which replaces the one that the page has, and else leaves that', () => {
  const page = 'https://shop.example/p?sub=old&a=1'
  expect(pageLink(SITE, page, 'maya', 'News 12&x')).toEqual({
    link: 'https://shop.example/p?a=1&via=maya&sub=News+12%26x',
  })
  expect(pageLink(SITE, page, 'maya', '')).toEqual({
    link: 'https://shop.example/p?sub=old&a=1&via=maya',
  })
})

test('a site with www. has the pages without it, too', () => {
  expect(pageLink('https://www.shop.example', '/p', 'maya')).toEqual({
    link: 'https://www.shop.example/p?via=maya',
  })
  expect(pageLink('https://www.shop.example', 'shop.example/p', 'maya')).toEqual({
    link: 'https://shop.example/p?via=maya',
  })
  for (const page of ['https://www2.shop.example/p', 'https://www.www.shop.example/p']) {
    expect(pageLink('https://www.shop.example', page, 'maya')).toEqual({ refusal: 'other_host' })
  }
})
