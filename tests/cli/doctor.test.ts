// @module-tag thorough
/** `npm run doctor`: what it says of sites that work, and of those that don't. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeEach, describe, expect, test } from 'vitest'
import { type Line, reportOn, toText } from '../../cli/site-report.ts'
import { visitSite } from '../../cli/site-visit.ts'
import { ROOT } from '../../dev/root.ts'
import { NAMES, PROGRAM, shop, snippet, tracking, url, useShop } from '../snippet/visit.ts'
import { sharedBrowser } from '../support/browser.ts'

useShop()

type Visit = {
  head?: string
  body?: string
  headers?: Record<string, string>
  consent?: boolean
  answersMs?: number
}

/**
 * Of a page that sends no click, whatever one waits: what keeps it from that is known when it has
 * loaded.
 */
const NO_CLICK_MS = 500

/** What is said of a page of the shop, by name. */
const check = async (
  path: string,
  { head = snippet(), body = '', headers = {}, consent = false, answersMs }: Visit = {},
) => {
  shop.html = `<!doctype html><title>Shop</title>${head}<body>${body}</body>`
  shop.headers = headers
  const lines = reportOn(
    await visitSite(await sharedBrowser([NAMES]), url(path), consent, answersMs),
  )
  return Object.fromEntries(lines.map((line): [string, Line] => [line.name, line]))
}

const wrongOf = (lines: Record<string, Line>) =>
  Object.values(lines)
    .filter(({ state }) => state === 'wrong')
    .map(({ name }) => name)

const FIELD = '<form action="/thanks"><input type="hidden" name="tributary_click"></form>'

test('of a site that works, nothing is wrong, and one click was recorded', async () => {
  const lines = await check('/?via=anna', {
    body: `${FIELD}<a href="https://buy.stripe.com/test_1">Buy</a>`,
  })
  expect(Object.values(lines).map(({ state, name }) => `${state} ${name}`)).toEqual([
    'ok Page',
    'ok Snippet',
    'ok Program',
    'ok Slug',
    'ok Click',
    'ok Cookie',
    'ok Form fields',
    'ok Links',
    'ok Policy',
  ])
  expect(lines).toMatchObject({
    Program: { found: PROGRAM },
    Slug: { found: 'via=anna in the address' },
    Cookie: { found: expect.stringMatching(/for \.example\.co\.uk, \d+ days/) },
    'Form fields': { found: '1 of 1 have the click ID' },
    Links: { found: '1 with the click ID' },
  })
  expect(tracking.clicks).toHaveLength(1)
})

describe('of a site that does not', () => {
  beforeEach(() => tracking.reset())

  test.each([
    {
      case: 'without the snippet',
      head: '',
      answersMs: NO_CLICK_MS,
      wrong: ['Snippet'],
      says: 'not on the page',
    },
    {
      case: 'with a wrong program',
      answersMs: NO_CLICK_MS,
      head: () => snippet().replace(PROGRAM, 'my-program'),
      wrong: ['Program'],
      says: 'my-program',
    },
    {
      case: 'with a policy that blocks the snippet',
      answersMs: NO_CLICK_MS,
      headers: { 'Content-Security-Policy': "script-src 'self'" },
      wrong: ['Snippet', 'Policy'],
      says: 'blocks http://track.example',
    },
    {
      case: 'with a policy that blocks the click',
      headers: { 'Content-Security-Policy': "connect-src 'self'" },
      wrong: ['Click', 'Policy'],
      says: '/api/track/click',
    },
    {
      case: 'at an address without a slug',
      path: '/',
      answersMs: NO_CLICK_MS,
      wrong: ['Slug', 'Click'],
      says: 'has none of via',
    },
    {
      case: 'whose script is not there',
      answersMs: NO_CLICK_MS,
      head: () => snippet().replace('/via.js', '/missing/via.js'),
      wrong: ['Snippet'],
      says: '405',
    },
    {
      case: 'that removes the cookie',
      body: '<script>setInterval(() => { document.cookie = "tributary_click=; max-age=0; domain=example.co.uk; path=/" }, 5)</script>',
      wrong: ['Cookie'],
      says: 'removes or replaces the cookie',
    },
  ])('$case', async ({ head, path = '/?via=anna', wrong, says, ...more }) => {
    const lines = await check(path, {
      ...more,
      head: typeof head === 'function' ? head() : (head ?? snippet()),
    })
    expect(wrongOf(lines)).toEqual(expect.arrayContaining(wrong))
    expect(toText(Object.values(lines))).toContain(says)
    for (const { state, fix } of Object.values(lines))
      expect(fix !== undefined).toBe(state === 'wrong' || fix !== undefined)
  })

  test('because the service refuses the click', async () => {
    tracking.answer = 404
    const lines = await check('/?via=nobody')
    expect(wrongOf(lines)).toEqual(['Click'])
    expect(lines.Click?.found).toMatch(/^nobody: 404/)
  })

  test('at an address that nobody serves', async () => {
    const facts = await visitSite(await sharedBrowser([NAMES]), 'http://127.0.0.1:9/')
    expect(wrongOf(Object.fromEntries(reportOn(facts).map((line) => [line.name, line])))).toEqual([
      'Page',
    ])
  })
})

test('where consent is needed, no click is wrong without it, and one is recorded with it', async () => {
  const head = snippet('data-consent="required"')
  const before = await check('/?via=anna', { head, answersMs: NO_CLICK_MS })
  expect(before).toMatchObject({ Click: { state: 'warning' }, Consent: { state: 'ok' } })
  expect(wrongOf(before)).toEqual([])
  expect(tracking.clicks).toEqual([])
  expect(await check('/?via=anna', { head, consent: true })).toMatchObject({
    Click: { state: 'ok' },
    Cookie: { state: 'ok' },
  })
})

const run = async (...args: string[]) => {
  const program = promisify(execFile)(process.execPath, ['cli/doctor.ts', ...args], { cwd: ROOT })
  const { stdout, stderr, code } = await program.then(
    (output) => ({ ...output, code: 0 }),
    (error: { stdout: string; stderr: string; code: number }) => error,
  )
  return { out: stdout + stderr, code }
}

test('as a program it prints the table, and exits by what it found', async () => {
  shop.html = '<!doctype html><title>Shop</title>'
  const found = await run(`http://127.0.0.1:${shop.port}/`, '--via', 'maya')
  expect(found.code).toBe(1)
  expect(found.out).toContain('WRONG    Snippet  not on the page')
  expect(found.out).toContain('1 check failed.')
})

test.each([
  { args: [], says: 'Give one address.' },
  { args: ['https://shop.example'], says: 'Give a partner’s slug' },
  { args: ['https://shop.example', '--vai', 'maya'], says: '--vai' },
  { args: ['http://', '--via', 'maya'], says: 'is not an address' },
])('as a program it refuses $args', async ({ args, says }) => {
  const { out, code } = await run(...args)
  expect(code).toBe(2)
  expect(out).toContain(says)
  expect(out).toContain('Usage: npm run doctor')
})
