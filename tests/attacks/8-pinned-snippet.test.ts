/** A site that pins a version of the snippet runs exactly that script, for ever. */
import { readdir, readFile } from 'node:fs/promises'
import { describe, expect, inject, test } from 'vitest'
import { buildSnippet, versionOf } from '../../dev/runtime/build-snippet.ts'
import { SNIPPET_VERSION, snippetTag } from '../../lib/tracking/clicks/snippet-version.ts'
import { clickId, PROGRAM, page, show, tracking, useShop, visit } from '../snippet/visit.ts'

const PUBLIC = new URL('../../public/', import.meta.url)

test('the version to pin is the present build (after a change: npm run snippet:version)', async () => {
  const { code } = await buildSnippet()
  expect(SNIPPET_VERSION).toEqual(versionOf(code))
  expect(await readFile(new URL(SNIPPET_VERSION.file, PUBLIC), 'utf8')).toBe(code)
  const docs = await readFile(new URL('../docs/snippet.md', PUBLIC), 'utf8')
  expect(docs).toContain(snippetTag('https://track.example', PROGRAM, { pinned: true }))
})

test('no version that was ever published has changed since', async () => {
  const versions = (await readdir(PUBLIC)).filter((name) => /^via\..+\.js$/.test(name))
  expect(versions).toContain(SNIPPET_VERSION.file)
  for (const name of versions) {
    expect(versionOf(await readFile(new URL(name, PUBLIC), 'utf8')).file).toBe(name)
  }
})

test('a version is kept by browsers and proxies for a year, and other sites may check its hash', async () => {
  const { status, headers } = await fetch(`${inject('baseUrl')}/${SNIPPET_VERSION.file}`)
  expect(status).toBe(200)
  expect(headers.get('Content-Type')).toContain('text/javascript')
  expect(headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable')
  expect(headers.get('Access-Control-Allow-Origin')).toBe('*')
  expect(headers.get('Cross-Origin-Resource-Policy')).toBe('cross-origin')
})

describe('a page with the pinned tag', () => {
  useShop()
  const head = () => snippetTag(`http://track.example:${tracking.port}`, PROGRAM, { pinned: true })

  test('records a click', async () => {
    expect(await visit('/?via=anna', { head: head() })).toBe(tracking.id(1))
    expect(await clickId()).toBe(tracking.id(1))
  })

  test('runs nothing when the file was replaced by another', async () => {
    await page.route(/\/via\.[0-9a-f]+\.js$/, (route) =>
      route.fulfill({
        contentType: 'text/javascript',
        headers: { 'Access-Control-Allow-Origin': '*' },
        body: 'window.stolen = document.cookie',
      }),
    )
    await show('/?via=anna', { head: head() })
    expect(await page.evaluate('"stolen" in window || "tributary" in window')).toBe(false)
    expect(tracking.slugs()).toEqual([])
  })
})
