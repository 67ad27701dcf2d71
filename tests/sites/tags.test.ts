// @module-tag thorough
/** The tags of docs/tags.md, each on a page that does what the tool does with it. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { SAMPLE_PROGRAM } from '../../api/sample-values.ts'
import { ROOT } from '../../dev/root.ts'
import { clicked, PROGRAM, page, show, tracking, url, useShop, visit } from '../snippet/visit.ts'

useShop()

/** The sample of a tool, with the tests' service. */
const sampleOf = (tool: string): string => {
  const section =
    readFileSync(`${ROOT}docs/tags.md`, 'utf8').split(`\n## ${tool}\n`)[1]?.split('\n## ')[0] ?? ''
  const code = /```\w+\n(.*?)```/s.exec(section)?.[1]
  if (!code) throw new Error(`docs/tags.md has no sample for ${tool}.`)
  return code
    .replaceAll('https://track.example.com', `http://track.example:${tracking.port}`)
    .replaceAll(SAMPLE_PROGRAM, PROGRAM)
}

const tracks = () =>
  expect(tracking.clicks).toMatchObject([{ programId: PROGRAM, slugs: ['anna'] }])

/** The attributes of a sample's tag, whatever writes them. */
const attributesIn = (code: string): Record<string, string> => {
  const pairs = [...code.matchAll(/'?(src|data-program)'?(?:=|: )["']([^"']+)["']/g)]
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, value]))
}

describe('the tag', () => {
  test.each(['HTML, Webflow, Framer, Shopify, WordPress', 'Astro'])(
    'in the head as it is: %s',
    async (tool) => {
      expect(await visit('/?via=anna', { head: sampleOf(tool) })).toBe(tracking.id(1))
      tracks()
    },
  )

  test('of Google Tag Manager, which makes a script of its own with the URL alone', async () => {
    await show('/?via=anna', {
      head: '',
      body: `<script>addEventListener('load', () => {
        const template = document.createElement('template')
        template.innerHTML = ${JSON.stringify(sampleOf('Google Tag Manager')).replaceAll('</', '<\\/')}
        const made = document.createElement('script')
        made.src = template.content.firstChild.src
        document.body.append(made)
      })</script>`,
    })
    await clicked(tracking.id(1))
    tracks()
  })

  test.each(['Next.js', 'Nuxt'])('of %s, which adds a script with its attributes', async (tool) => {
    const attributes = attributesIn(sampleOf(tool))
    expect(Object.keys(attributes).sort()).toEqual(['data-program', 'src'])
    await show('/?via=anna', {
      head: '',
      body: `<script>addEventListener('load', () => {
        const made = document.createElement('script')
        for (const [name, value] of Object.entries(${JSON.stringify(attributes)})) made.setAttribute(name, value)
        document.body.append(made)
      })</script>`,
    })
    await clicked(tracking.id(1))
    tracks()
  })

  test('of Segment gives the click id to its destinations', async () => {
    const analytics =
      '<script>identified = []; analytics = { identify: (traits) => identified.push(traits) }</script>'
    await visit('/?via=anna', { body: analytics + sampleOf('Segment') })
    await page.waitForFunction('identified.length')
    expect(await page.evaluate('identified')).toEqual([{ tributaryClickId: tracking.id(1) }])
  })
})

describe('the consent of', () => {
  const TOOLS = [
    {
      tool: 'Cookiebot',
      refuse: `Cookiebot = { consent: { marketing: false } }; dispatchEvent(new Event('CookiebotOnAccept'))`,
      accept: `Cookiebot = { consent: { marketing: true } }; dispatchEvent(new Event('CookiebotOnAccept'))`,
    },
    {
      tool: 'OneTrust',
      refuse: `OnetrustActiveGroups = ',C0001,'; OptanonWrapper()`,
      accept: `OnetrustActiveGroups = ',C0001,C0004,'; OptanonWrapper()`,
    },
  ]

  test.each(TOOLS)(
    '$tool is waited for, and finds the slug of the page before',
    async ({ tool, refuse, accept }) => {
      await show('/?via=anna', { head: sampleOf(tool), body: '<a href="/pricing">Pricing</a>' })
      await page.waitForFunction('Boolean(tributary.ready)')
      await page.evaluate(refuse)
      await page.click('a')
      await page.waitForURL(url('/pricing'))
      expect(tracking.clicks).toEqual([])
      await page.evaluate(accept)
      await clicked(tracking.id(1))
      tracks()
    },
  )

  test.each(TOOLS)(
    '$tool may come before the snippet, as on each later page',
    async ({ tool, accept }) => {
      const head = sampleOf(tool).replace('</script>', `${accept}</script>`)
      expect(await visit('/?via=anna', { head })).toBe(tracking.id(1))
    },
  )
})
