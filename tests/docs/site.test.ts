import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { GUIDES } from '../../api/docs/guides.ts'
import { linkOf, render } from '../../api/docs/markdown.ts'
import { docsSite } from '../../api/docs/site.ts'
import type { Document } from '../../api/document.ts'
import { openapi } from '../../api/openapi.ts'
import { ROOT } from '../../dev/root.ts'

let files: Record<string, string> = {}
let pages: [string, string][] = []
beforeAll(async () => {
  const document: Document = JSON.parse(JSON.stringify(openapi()))
  files = await docsSite(document)
  pages = Object.entries(files).filter(([path]) => path.endsWith('.html'))
})

/**
 * The places of the console that operations have by Scalar: tests/pages/docs.test.ts goes to two.
 */
const consoleIds = () => {
  const { paths }: Document = JSON.parse(JSON.stringify(openapi()))
  const operations = Object.values(paths).flatMap((item) => Object.values(item))
  return new Set(
    operations.map(
      ({ operationId, tags: [tag] }) =>
        `tag/${tag.toLowerCase().replaceAll(' ', '-')}/${operationId}`,
    ),
  )
}

const idsOf = (html: string) => [...html.matchAll(/\bid="([^"]*)"/g)].map(([, id]) => id ?? '')

/** Guides whose reader has a checkout of the project. */
const GUIDES_OF_THE_CODE = globSync('docs/{architecture,life-of-a-sale,style,running,adr/*}.md', {
  cwd: ROOT,
})

const CODE_PATH =
  /`((?:api|bench|cli|clients|dev|docs|functions|islands|lib|migrations|schema|snippet|tests)\/[\w./-]+)`/g

test('every guide of docs/ is a page, and no page is missing its guide', () => {
  const guides = [...globSync('docs/*.md', { cwd: ROOT }), 'clients/node/README.md']
  expect(GUIDES.map(({ file }) => file).sort()).toEqual(guides.sort())
})

test('every table of every page became a table', () => {
  const broken = pages.flatMap(([path, html]) =>
    [...html.matchAll(/<p>\s*(\|.{0,60})/g)].map(([, row]) => `${path}: ${row}`),
  )
  expect(broken).toEqual([])
})

test('every place of the docs that a page of the product links exists', () => {
  const ids = new Map(pages.map(([path, html]) => [path, new Set(idsOf(html))]))
  const sources = globSync('{functions,lib,islands}/**/*.{ts,tsx}', { cwd: ROOT })
  const dead = sources.flatMap((file) =>
    [...readFileSync(`${ROOT}${file}`, 'utf8').matchAll(/\/(docs\/[\w-]+)#([\w-]+)/g)].flatMap(
      ([link, page, id = '']) => (ids.get(`${page}.html`)?.has(id) ? [] : [`${file}: ${link}`]),
    ),
  )
  expect(dead).toEqual([])
})

test('every file that the docs for engineers name exists', () => {
  const named = ['README.md', 'CONTRIBUTING.md', 'migrations/README.md', ...GUIDES_OF_THE_CODE]
  const missing = named.flatMap((file) =>
    [...readFileSync(`${ROOT}${file}`, 'utf8').matchAll(CODE_PATH)].flatMap(([, path = '']) =>
      existsSync(`${ROOT}${path}`) ? [] : [`${file}: ${path}`],
    ),
  )
  expect(missing).toEqual([])
})

test('every link of every page leads to a page and a place that exist', () => {
  const ids = new Map(pages.map(([path, html]) => [path, new Set(idsOf(html))]))
  ids.set('docs/console.html', consoleIds())
  const dead = pages.flatMap(([path, html]) =>
    [...html.matchAll(/<a\b[^>]*\bhref="([^"]*)"/g)].flatMap(([, href = '']) => {
      if (/^(https?:|mailto:)/.test(href)) return []
      const [target = '', hash] = href.split('#')
      if (!target.startsWith('/docs') && target !== '')
        return /^\/(app|openapi\.json)?$/.test(target) ? [] : [href]
      const name = target === '' ? path : `docs/${target.replace(/^\/docs\/?/, '') || 'index'}`
      if (name in files && !hash) return []
      const found = ids.get(name.endsWith('.html') ? name : `${name}.html`)
      return found && (!hash || found.has(hash)) ? [] : [`${path}: ${href}`]
    }),
  )
  expect(dead).toEqual([])
  expect(pages.length).toBeGreaterThan(20)
})

test('every link of a Markdown file, as GitHub shows it, leads to a file and a heading that exist', () => {
  const sources = globSync(['*.md', 'docs/**/*.md', 'clients/*/README.md', 'migrations/*.md'], {
    cwd: ROOT,
  })
  const texts = new Map(
    sources.map((file) => [
      file,
      readFileSync(`${ROOT}${file}`, 'utf8').replace(/^```[\s\S]*?^```/gm, ''),
    ]),
  )
  const headings = new Map(
    [...texts].map(([file, text]) => [file, render(text, file).headings.map(({ id }) => id)]),
  )
  const links = [...texts].flatMap(([file, text]) =>
    [...text.matchAll(/\]\(([^)\s:]+)\)/g)].map(([, href = '']) => ({ file, href })),
  )
  const dead = links.filter(({ file, href }) => {
    const [path = '', hash] = href.split('#')
    const target = path === '' ? file : normalize(join(dirname(file), path))
    // Of GitHub's page of the repository.
    if (target === '../../security/advisories/new') return false
    if (!existsSync(`${ROOT}${target}`)) return true
    return hash !== undefined && headings.get(target)?.includes(hash) === false
  })
  expect(dead.map(({ file, href }) => `${file}: ${href}`)).toEqual([])
  expect(links.length).toBeGreaterThan(500)
})

test('every entry of the search index leads to a place that exists', () => {
  const index: { url: string }[] = JSON.parse(files['docs/search.json'] ?? '')
  const wrong = index.filter(({ url }) => {
    const [path, id = ''] = url.split('#')
    return !idsOf(files[`${path?.slice(1)}.html`] ?? '').includes(id)
  })
  expect(wrong).toEqual([])
  expect(index.length).toBeGreaterThan(200)
})

test('no page has an id twice, a script or style of its own, or a file of another site', () => {
  for (const [path, html] of pages) {
    const ids = idsOf(html)
    expect({ path, twice: ids.filter((id, at) => ids.indexOf(id) !== at) }).toEqual({
      path,
      twice: [],
    })
    expect(html).not.toMatch(
      /<style|\sstyle="|\son\w+="|<script(?! type="module" src="\/)|src="https?:/,
    )
  }
})

test('the reference has samples of each operation in six languages', () => {
  const { paths }: Document = JSON.parse(JSON.stringify(openapi()))
  const samples = (operation: { 'x-codeSamples': { label: string; source: string }[] }) =>
    operation['x-codeSamples']
  for (const operation of Object.values(paths).flatMap((item) => Object.values(item))) {
    expect(samples(operation).map(({ label }) => label)).toEqual([
      'curl',
      'Node',
      'Python',
      'PHP',
      'Ruby',
      'Go',
    ])
  }
  const sale = paths['/api/track/sale']?.post
  const [curl, node] = sale ? samples(sale).map(({ source }) => source) : []
  expect(curl).toContain('-H "Authorization: Bearer $TRIBUTARY_API_KEY"')
  expect(node).toContain('await tributary.track.sale({')
})

describe('a guide’s markdown', () => {
  test.each([
    { href: 'payouts.md#banks', to: '/docs/payouts#banks' },
    { href: '../clients/node/README.md', to: '/docs/client' },
    { href: '../README.md', to: '/docs/' },
    { href: '../tests/walls.test.ts', to: null },
    { href: 'shop.png', to: '/docs/shop.png' },
    { href: 'https://stripe.com', to: 'https://stripe.com' },
    { href: '#here', to: '#here' },
    { href: 'javascript:alert(1)', to: null },
  ])('links $href to $to', ({ href, to }) => {
    expect(linkOf(href, 'docs/api.md')).toBe(to)
  })

  test('shows raw HTML as text, drops comments, and gives headings the ids of GitHub', () => {
    const { html, headings } = render(
      '# A & “b”\n\n<!-- secret -->\n\n## `GET /x` twice\n\n## `GET /x` twice\n\n<script>alert(1)</script> <b onclick="x">y</b>',
      'docs/api.md',
    )
    expect(headings.map(({ id }) => id)).toEqual(['a--b', 'get-x-twice', 'get-x-twice-1'])
    expect(html).not.toMatch(/secret|<script|<b /)
    expect(html).toContain('&lt;script&gt;')
  })
})

describe('served by the router', () => {
  const get = (path: string) => fetch(inject('baseUrl') + path)

  test.each([
    { path: '/docs', type: 'text/html', has: 'Tributary docs' },
    { path: '/docs/api', type: 'text/html', has: '<h1 id="api">API</h1>' },
    { path: '/docs/api.md', type: 'text/markdown', has: '# API' },
    { path: '/docs/reference', type: 'text/html', has: 'postTrackSale' },
    { path: '/docs/console', type: 'text/html', has: 'id="console"' },
    { path: '/docs/search.json', type: 'application/json', has: '/docs/snippet#' },
    { path: '/llms.txt', type: 'text/plain', has: '/docs/api.md' },
  ])('$path is $type', async ({ path, type, has }) => {
    const response = await get(path)
    expect(response.status).toBe(200)
    expect(response.headers.get('Content-Type')).toContain(type)
    expect(await response.text()).toContain(has)
  })

  test('pages may run our own scripts only, and may not be framed', async () => {
    const policy = (await get('/docs/api')).headers.get('Content-Security-Policy')
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
  })

  test('the console may write styles too, and nothing else more', async () => {
    const policyOf = async (path: string) =>
      (await get(path)).headers.get('Content-Security-Policy')
    const policy = (await policyOf('/docs/console'))
      ?.replace(" 'unsafe-inline'", '')
      .replace(' data:', '')
    expect(policy).toBe(await policyOf('/docs/api'))
  })
})
