// @module-tag thorough
import { describe, expect, inject, test } from 'vitest'
import { inspect, useBrowser } from '../support/browser.ts'
import { createMerchant } from '../support/merchant.ts'

const browser = useBrowser()

test('the docs can be read and searched by everybody, without a mouse', async () => {
  const page = await browser.as('')
  for (const path of ['/docs', '/docs/snippet', '/docs/errors']) {
    await page.goto(path)
    await inspect(page, `docs${path.replaceAll('/', '-')}`)
  }
  await page.goto('/docs/')
  await page.keyboard.press('/')
  await page.keyboard.type('pin version')
  await page.getByRole('option', { name: 'Pin a version' }).waitFor()
  await inspect(page, 'docs-search')
  await page.getByRole('combobox', { name: 'Search the docs' }).press('Enter')
  await page.waitForURL('**/docs/snippet#pin-a-version')

  await page.keyboard.press('/')
  await page.keyboard.type('xyzzy')
  await page.getByRole('option', { name: 'No results.' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('option').waitFor({ state: 'hidden' })
})

test('samples have the URL, and for a signed-in reader the program, and are copied so', async () => {
  const merchant = await createMerchant()
  const stranger = await browser.as('')
  await stranger.goto('/docs/snippet')
  const code = (page: typeof stranger) => page.locator('pre').first()
  const origin = new URL(stranger.url()).origin
  await stranger.getByText(`${origin}/via.js`).first().waitFor()
  expect(await stranger.getByLabel('Your program in the samples').isVisible()).toBe(false)

  const manager = await browser.as(await merchant.manager())
  await manager.goto('/docs/snippet')
  await manager.getByText(merchant.programId).first().waitFor()
  expect(await code(manager).innerText()).toContain(`data-program="${merchant.programId}"`)
  expect(await manager.getByLabel('Your program in the samples').inputValue()).toBe(
    merchant.programId,
  )
  const copied = await manager.locator('.code button').first().getAttribute('data-copy')
  expect(copied).toBe(await code(manager).textContent())
  await inspect(manager, 'docs-signed-in')
})

test('the reference shows samples in the language chosen', async () => {
  const page = await browser.as('')
  await page.goto('/docs/reference')
  const sale = page.locator('.operation').filter({ has: page.locator('#postTrackSale') })
  await sale.getByRole('tab', { name: 'curl' }).press('ArrowRight')
  await sale.getByText('await tributary.track.sale(').waitFor()
  expect(await page.getByRole('tab', { name: 'Node', selected: true }).count()).toBeGreaterThan(50)
  // All operations of a method look alike, and axe takes a minute for all of them.
  const methods = await page.evaluate<string[]>(`(() => {
    const methods = new Set()
    for (const one of document.querySelectorAll('.operation')) {
      const method = one.querySelector('.method').textContent
      if (methods.has(method)) one.remove()
      methods.add(method)
    }
    return [...methods].sort()
  })()`)
  expect(methods).toEqual(['DELETE', 'GET', 'PATCH', 'POST', 'PUT'])
  await inspect(page, 'docs-reference')

  await page.reload()
  await page.getByRole('tab', { name: 'Node', selected: true }).first().waitFor()
  await sale.getByRole('link', { name: 'Try it: Report a sale' }).click()
  await page.waitForURL('**/docs/console#tag/track/postTrackSale')
})

describe('the console', () => {
  test('sends a request with an API key, asks no other site for anything, and keeps nothing', async () => {
    const { apiKey } = await createMerchant()
    const page = await browser.as('')
    const foreign: string[] = []
    page.on('request', (request) => {
      if (new URL(request.url()).origin !== inject('baseUrl')) foreign.push(request.url())
    })
    await page.goto('/docs/console#tag/track/postTrackSale')
    await page.getByRole('button', { name: /Test Request.*\/track\/sale/ }).click()
    const client = page.getByRole('dialog')
    await client.getByLabel('Bearer Token').fill(apiKey)
    const answer = page.waitForResponse('**/api/track/sale')
    await client.getByRole('button', { name: /^Send/ }).first().click()
    expect(await (await answer).json()).toEqual({ eventId: null, attributed: false })
    await client.getByText('200 OK').first().waitFor()
    const kept = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }])',
    )
    expect(kept).not.toContain(apiKey)
    expect(foreign).toEqual([])
  })

  test('sends a manager’s request to the own workspace, by the session', async () => {
    const merchant = await createMerchant()
    const page = await browser.as(await merchant.manager())
    await page.goto('/docs/console#tag/partners/getPartners')
    await page.locator(`option[value="${merchant.programId}"]`).waitFor({ state: 'attached' })
    await page.getByRole('button', { name: /Test Request.*get .*\/partners\)?$/i }).click()
    const answer = page.waitForResponse(`**/api/workspaces/${merchant.workspace.slug}/partners*`)
    await page.getByRole('dialog').getByRole('button', { name: /^Send/ }).first().click()
    expect((await answer).status()).toBe(200)
  })
})
