/** The order of a reward's rules is changed by dragging them, or by their buttons. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { useBrowser } from '../support/browser.ts'
import { createMerchant } from '../support/merchant.ts'

const browser = useBrowser()

const openReward = async (count: number, width: number) => {
  const merchant = await createMerchant()
  const cookie = await merchant.manager()
  const path = `/programs/${merchant.programId}`
  const rules = Array.from({ length: count }, (_, i) => ({
    name: `Rule ${'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[i]}`,
    when: { all: [{ fact: 'product', in: [`prod_${i}`] }] },
    pay: { kind: 'percent', percent: i },
  }))
  const reward = { kind: 'percent', percent: 20, rules }
  expect((await merchant.as(cookie).patch(path, { reward })).status).toBe(200)
  const page = await browser.as(cookie, { width, scheme: 'light' })
  await page.goto(`/app/${merchant.workspace.slug}${path}/reward`)
  const saved = async () => {
    const { reward } = (await merchant.get(path)).body as { reward: { rules: { name: string }[] } }
    return reward.rules.map(({ name }) => name)
  }
  return { page, saved }
}

const order = async (page: Page) => {
  const names = await page.locator('.rules summary strong').allTextContents()
  return names.map((name) => name.replace('Rule ', '')).join(' ')
}

const handleOf = (page: Page, name: string) =>
  page
    .locator('.rules > li')
    .filter({ hasText: new RegExp(`\\d\\. ${name}`) })
    .locator('.handle')

const middleOf = async (page: Page, name: string) => {
  const box = await handleOf(page, name).boundingBox()
  return { x: (box?.x ?? 0) + (box?.width ?? 0) / 2, y: (box?.y ?? 0) + (box?.height ?? 0) / 2 }
}

test('a rule is dragged by the mouse, what was typed and opened stays, and the order is saved', async () => {
  const { page, saved } = await openReward(4, 1280)
  await page.setViewportSize({ width: 1280, height: 1_800 })
  await page.locator('summary').nth(1).click()
  await page.locator('[name="rules.1.name"]').fill('Rule B, typed')
  await page.locator('[name="try.product"]').fill('prod_3')

  const start = await middleOf(page, 'Rule D')
  await page.mouse.move(start.x, start.y)
  await page.mouse.down()
  await page.mouse.move(start.x, (await middleOf(page, 'Rule A')).y - 4, { steps: 4 })
  await page.locator('.drop-before').waitFor()
  await page.mouse.up()
  await page.getByText('“Rule D” is now rule 1 of 4.').waitFor()
  expect(await order(page)).toBe('1. D 2. A 3. B, typed 4. C')
  expect(await page.locator('[name="rules.2.name"]').inputValue()).toBe('Rule B, typed')
  const openRules = page.locator('.rules > li > details[open]')
  expect(await openRules.count()).toBe(1)
  expect(await openRules.locator('strong').textContent()).toBe('3. Rule B, typed')
  // The sale to try follows.
  await page.getByText('the rule “Rule D” pays 3%').waitFor()
  expect(await saved()).toEqual(['Rule A', 'Rule B', 'Rule C', 'Rule D'])

  // The Escape key ends it.
  const again = await middleOf(page, 'Rule D')
  await page.mouse.move(again.x, again.y)
  await page.mouse.down()
  await page.mouse.move(again.x, (await middleOf(page, 'Rule C')).y + 4, { steps: 4 })
  await page.locator('.drop-after').waitFor()
  await page.keyboard.press('Escape')
  await page.mouse.up()
  expect(await page.locator('.drop-after, .dragged').count()).toBe(0)
  expect(await order(page)).toBe('1. D 2. A 3. B, typed 4. C')

  await page.getByRole('button', { name: 'Save reward' }).click()
  await page.getByText('Reward saved.').waitFor()
  expect(await saved()).toEqual(['Rule D', 'Rule A', 'Rule B, typed', 'Rule C'])
})

test('a rule is dragged by a finger, beyond the screen, which scrolls', async () => {
  const { page } = await openReward(20, 390)
  await handleOf(page, 'Rule A').scrollIntoViewIfNeeded()
  const { x, y } = await middleOf(page, 'Rule A')
  const touch = await page.context().newCDPSession(page)
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', at: number) =>
    touch.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: type === 'touchEnd' ? [] : [{ x, y: at }],
    })
  const top = await page.evaluate<number>('scrollY')
  await send('touchStart', y)
  await send('touchMove', 840)
  await expect.poll(() => page.evaluate<number>('scrollY')).toBeGreaterThan(top + 400)
  await page.locator('.drop-after').waitFor()
  await send('touchEnd', 0)
  await page.getByText(/“Rule A” is now rule \d+ of 20\./).waitFor()
  const now = await order(page)
  expect(now).toMatch(/^1\. B 2\. C .* \d+\. A /)
  expect(
    now
      .split(' ')
      .filter((part) => /^[A-T]$/.test(part))
      .toSorted(),
  ).toHaveLength(20)
})

test('the buttons of a rule move it without a new page, and keep the focus', async () => {
  const { page } = await openReward(3, 1280)
  await page.evaluate('window.isSame = true')
  const focused = () => page.evaluate('document.activeElement.id')
  for (const [key, place, focus] of [
    ['rules.2.up', 2, 'rules.1.up'],
    ['rules.1.up', 1, 'rules.0.down'],
    ['rules.0.down', 2, 'rules.1.down'],
    ['rules.1.down', 3, 'rules.2.up'],
  ] as const) {
    await page.locator(`[id="${key}"]`).focus()
    await page.keyboard.press('Enter')
    await page.getByText(`“Rule C” is now rule ${place} of 3.`).waitFor()
    expect([key, await focused()]).toEqual([key, focus])
  }
  expect(await order(page)).toBe('1. A 2. B 3. C')
  expect(await page.evaluate('window.isSame')).toBe(true)
})

test('without an answer, the form is submitted as without a script', async () => {
  const { page } = await openReward(3, 1280)
  let requests = 0
  await page.route('**/reward/edit', (route) =>
    requests++ === 0 ? route.fulfill({ status: 503, body: 'busy' }) : route.continue(),
  )
  await page.locator('[id="rules.0.down"]').click()
  await page.waitForURL('**/reward/edit')
  expect(await order(page)).toBe('1. B 2. A 3. C')
  expect(requests).toBe(2)
})
