// @module-tag thorough
import { describe, expect, test } from 'vitest'
import { launchBrowser } from '../../dev/runtime/browser.ts'
import {
  clicked,
  clickId,
  context,
  goTo,
  moveTo,
  NAMES,
  page,
  pending,
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

describe('who is tracked', () => {
  test('a prerendered page is tracked when it is shown, with the URL it was loaded with', async () => {
    await page.addInitScript({
      content: `Object.defineProperty(document, 'prerendering', { value: true, configurable: true })`,
    })
    await show('/?via=anna')
    await page.evaluate('tributary.consent()') // which is not the same as being seen
    const settled = await page.evaluate(`Promise.race([tributary.ready, 'waiting'])`)
    expect([settled, tracking.clicks, await pending()]).toEqual(['waiting', [], null])

    await page.evaluate(`
      Object.defineProperty(document, 'prerendering', { value: false })
      document.dispatchEvent(new Event('prerenderingchange'))
    `)
    expect(await ready()).toBe(tracking.id(1))
    expect(tracking.clicks).toMatchObject([{ url: url('/?via=anna') }])
  })

  test('an automated browser is not tracked, but has window.tributary', async () => {
    const automated = await launchBrowser({ automated: true, args: [NAMES] })
    try {
      await moveTo(automated)
      expect(await visit('/?via=anna')).toBeUndefined()
      expect(await page.evaluate('tributary.consent()')).toBeUndefined()
      expect(await clickId()).toBeUndefined()
      expect(tracking.clicks).toEqual([])
      expect(await context.cookies()).toEqual([])
    } finally {
      await automated.close()
    }
  })
})

describe('consent', () => {
  const attributes = 'data-consent="required"'

  test('is awaited before anything is posted or stored', async () => {
    await show('/?via=anna', { attributes })
    await goTo('/pricing') // the click is remembered meanwhile, by the page alone
    const settled = await page.evaluate(`Promise.race([tributary.ready, 'waiting'])`)
    expect(settled).toBe('waiting')
    expect([tracking.clicks, await context.cookies(), await pending()]).toEqual([[], [], null])

    await page.evaluate('tributary.consent()')
    expect(await ready()).toBe(tracking.id(1))
    expect(tracking.clicks).toMatchObject([{ slugs: ['anna'], url: url('/?via=anna') }])
  })

  test('of an earlier page leaves a readable cookie', async () => {
    await visit('/?via=anna')
    await show('/', { attributes, body: '<input type="hidden" name="tributary_click">' })
    expect(await clickId()).toBe(tracking.id(1))
    expect(await page.inputValue('input')).toBe(tracking.id(1))
  })

  test('may be given where none is required', async () => {
    await visit('/?via=anna')
    await page.evaluate('tributary.consent()')
    await goTo('/?via=bob')
    await clicked(tracking.id(2))
    expect(tracking.slugs()).toEqual(['anna', 'bob'])
  })
})

describe('no error reaches a hostile page', () => {
  test('a frame without an origin, where cookies and storage throw', async () => {
    await show('/?via=anna', { head: '', body: '<iframe sandbox="allow-scripts"></iframe>' })
    const frameHtml =
      snippet() +
      '<script>onload = async () => { document.title = "settled " + await tributary.ready }</script>'
    await page
      .locator('iframe')
      .evaluate(
        (frame, [html]) =>
          Object.assign(frame, { src: `data:text/html,${encodeURIComponent(html)}` }),
        [frameHtml] as const,
      )
    const frame = await (await page.waitForSelector('iframe')).contentFrame()
    await frame?.waitForFunction(`document.title === 'settled undefined'`)
    expect(await frame?.evaluate('tributary.clickId()')).toBeUndefined()
  })

  test('a click is kept in memory in a frame whose cookies are blocked', async () => {
    shop.html = `<!doctype html>${snippet()}`
    await page.setContent(`<iframe sandbox="allow-scripts" src="${url('/?via=anna')}"></iframe>`)
    const frame = await (await page.waitForSelector('iframe')).contentFrame()
    await frame?.waitForFunction('window.tributary')
    expect(await frame?.evaluate('tributary.ready')).toBe(tracking.id(1))
    expect(tracking.slugs()).toEqual(['anna'])
  })

  test('a form that is called links', async () => {
    await visit('/?via=anna', {
      body: '<form name="links"></form><a href="https://buy.stripe.com/1">Buy</a>',
    })
    expect(await page.getAttribute('a', 'href')).toBe(
      'https://buy.stripe.com/1?client_reference_id=clk_1',
    )
  })

  test('localStorage that throws', async () => {
    await page.addInitScript({
      content: `Object.defineProperty(window, 'localStorage', { get() { throw new Error('Denied') } })`,
    })
    expect(await visit('/?via=anna')).toBe(tracking.id(1))
    expect(await visit('/')).toBe(tracking.id(1))
  })

  test('a field for files that is called tributary_click', async () => {
    await visit('/?via=anna')
    await show('/?via=bob', {
      body: '<input type="file" name="tributary_click"><input type="hidden" name="tributary_click">',
    })
    await clicked(tracking.id(2))
    expect(await page.inputValue('[type=hidden]')).toBe(tracking.id(2))
  })

  test('localStorage that is full', async () => {
    await visit('/')
    await page.evaluate(`
      for (let size = 2 ** 23; size >= 1; size /= 2) {
        try {
          localStorage.filler = (localStorage.filler ?? '') + 'x'.repeat(size)
        } catch {}
      }
    `)
    expect(await visit('/?via=anna')).toBe(tracking.id(1))
  })

  test('no fetch', async () => {
    await page.addInitScript({ content: 'delete window.fetch' })
    expect(await visit('/?via=anna')).toBeUndefined()
  })

  test('a content security policy that forbids the post', async () => {
    shop.headers = {
      'Content-Security-Policy': `script-src http://track.example:${tracking.port}; connect-src 'none'`,
    }
    expect(await visit('/?via=anna')).toBeUndefined()
    expect(tracking.clicks).toEqual([])
  })

  test('no current script, as in a module', async () => {
    expect(await visit('/?via=anna', { head: snippet('type="module"') })).toBeUndefined()
    expect(tracking.clicks).toEqual([])
  })

  test('no program', async () => {
    tracking.answer = 400
    expect(
      await visit('/?via=anna', { head: snippet().replace('data-program', 'data-x') }),
    ).toBeUndefined()
  })
})
