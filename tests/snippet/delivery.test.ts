import { describe, expect, test } from 'vitest'
import type { Answer } from './shop.ts'
import { clicked, goTo, page, pending, show, tracking, url, useShop, visit } from './visit.ts'

useShop()

describe('a click that is not accepted', () => {
  test.each<Answer>([400, 404])('is not retried after %s', async (answer) => {
    tracking.answer = answer
    expect(await visit('/?via=nobody')).toBeUndefined()
    expect(await pending()).toBeNull()
    await visit('/')
    expect(tracking.slugs()).toEqual(['nobody'])
  })

  test.each<Answer>([429, 500, 'closed', 'not json'])(
    'is sent again on the next page after: %s',
    async (answer) => {
      tracking.answer = answer
      expect(await visit('/?via=anna')).toBeUndefined()
      tracking.answer = 200
      expect(await visit('/pricing')).toBe(tracking.id(tracking.clicks.length))
      expect(tracking.clicks.at(-1)).toMatchObject({ slugs: ['anna'], url: url('/?via=anna') })
      expect(await pending()).toBeNull()
    },
  )

  test('is retried when the service never responds, and ready resolves anyway', async () => {
    await page.addInitScript(() => {
      const timeout = AbortSignal.timeout.bind(AbortSignal)
      AbortSignal.timeout = (milliseconds) => timeout(milliseconds / 100)
    })
    tracking.answer = 'silent'
    expect(await visit('/?via=anna')).toBeUndefined()
    tracking.answer = 200
    expect(await visit('/pricing')).toBe(tracking.id(2))
  })

  test('is retried when the visitor leaves before the response', async () => {
    tracking.answer = 'silent'
    await show('/?via=anna')
    await expect.poll(() => tracking.clicks.length).toBe(1)
    tracking.answer = 200
    expect(await visit('/pricing')).toBe(tracking.id(2))
    expect(tracking.slugs()).toEqual(['anna', 'anna'])
  })

  test('is retried at the next navigation of a single-page shop', async () => {
    tracking.answer = 500
    await visit('/?via=anna')
    tracking.answer = 200
    await goTo('/pricing')
    await clicked(tracking.id(2))
    expect(tracking.slugs()).toEqual(['anna', 'anna'])
  })

  test('is replaced by a newer one', async () => {
    tracking.answer = 500
    await visit('/?via=anna')
    await visit('/?via=bob')
    tracking.answer = 200
    await visit('/')
    await visit('/')
    expect(tracking.slugs()).toEqual(['anna', 'bob', 'bob'])
  })

  test('keeps the previous click', async () => {
    await visit('/?via=anna')
    tracking.answer = 404
    expect(await visit('/?via=nobody')).toBe(tracking.id(1))
  })
})

describe('a single-page shop', () => {
  test.each(['pushState', 'replaceState'] as const)('is followed through %s', async (how) => {
    await visit('/')
    await goTo('/landing?via=anna', how)
    await clicked(tracking.id(1))
    expect(tracking.clicks).toMatchObject([{ slugs: ['anna'], url: url('/landing?via=anna') }])
  })

  test('is followed by its changes in a browser without the Navigation API', async () => {
    await page.addInitScript({
      content: `Object.defineProperty(window, 'navigation', { value: undefined })`,
    })
    await visit('/')
    await goTo('/landing?via=anna')
    await page.evaluate(`document.body.append('The landing page')`)
    await clicked(tracking.id(1))
  })

  test('posts one click per slug, whatever else changes in the URL', async () => {
    await visit('/?via=anna')
    await goTo('/?via=anna#reviews')
    await goTo('/pricing?via=anna')
    await goTo('/?via=bob')
    // clicks are sent in order, so an extra one would have come before
    await clicked(tracking.id(2))
    expect(tracking.slugs()).toEqual(['anna', 'bob'])
  })

  test('posts a click for each arrival, as full page loads would, so that the last one wins', async () => {
    await visit('/?via=anna')
    await goTo('/?via=bob')
    await goTo('/?via=anna')
    await clicked(tracking.id(3))
    expect(tracking.slugs()).toEqual(['anna', 'bob', 'anna'])
  })

  test('keeps the newest of two concurrent clicks', async () => {
    await show('/?via=anna')
    await goTo('/?via=bob')
    await clicked(tracking.id(2))
    expect(tracking.slugs()).toEqual(['anna', 'bob'])
  })

  test('keeps its own history functions', async () => {
    await visit('/')
    expect(await page.evaluate('Object.keys(history)')).toEqual([])
    expect(await page.evaluate('String(history.pushState)')).toContain('[native code]')
  })
})
