// @module-tag thorough
import { describe, expect, test } from 'vitest'
import { attribute, goTo, page, tracking, useShop, visit } from './visit.ts'

useShop()

describe('forms', () => {
  const input = '<input type="hidden" name="tributary_click">'

  test('get the click id, those of a later moment too', async () => {
    await visit('/?via=anna', { body: `<form>${input}</form><form>${input}</form>` })
    expect(
      await page.evaluate(`Array.from(document.querySelectorAll('input'), (input) => input.value)`),
    ).toEqual([tracking.id(1), tracking.id(1)])
    await page.evaluate(`document.body.insertAdjacentHTML('beforeend', '<p>${input}</p>')`)
    await page.waitForFunction(`document.querySelector('p input').value === '${tracking.id(1)}'`)
  })

  test('are left alone when there is no click', async () => {
    await visit('/', { body: '<input type="hidden" name="tributary_click" value="none">' })
    expect(await page.inputValue('input')).toBe('none')
  })
})

describe('Stripe', () => {
  const link = (query: string) => `<a href="https://buy.stripe.com/test_1${query}">Buy</a>`

  test.each([
    { case: 'a bare link', from: '', to: '?client_reference_id=clk_1' },
    { case: 'a link with a query', from: '?locale=fr', to: '?locale=fr&client_reference_id=clk_1' },
    {
      case: 'a link with a hash',
      from: '?locale=fr#pay',
      to: '?locale=fr&client_reference_id=clk_1#pay',
    },
    {
      case: 'escapes',
      from: '?prefilled_email=a%2Bb%40c.d',
      to: '?prefilled_email=a%2Bb%40c.d&client_reference_id=clk_1',
    },
    {
      case: 'a reference of the merchant',
      from: '?client_reference_id=user_7',
      to: '?client_reference_id=user_7',
    },
    {
      case: 'an older click',
      from: '?client_reference_id=clk_old&a=b',
      to: '?client_reference_id=clk_1&a=b',
    },
  ])('gets the click id in its payment links: $case', async ({ from, to }) => {
    await visit('/?via=anna', { body: link(from) })
    expect(await attribute('a', 'href')).toBe(`https://buy.stripe.com/test_1${to}`)
  })

  test('gets nothing in other links', async () => {
    const others = [
      'https://billing.stripe.com/1',
      'https://buy.stripe.com.example/1',
      'https://evil.example/?https://buy.stripe.com/',
      '/buy.stripe.com/',
    ]
    const svg = '<svg><a href="https://buy.stripe.com/1"></a></svg>'
    await visit('/?via=anna', {
      body: svg + others.map((href) => `<a href="${href}">x</a>`).join('') + link(''),
    })
    const hrefs = await page
      .locator('a')
      .evaluateAll((all) => all.map((one) => one.getAttribute('href')))
    expect(hrefs).toEqual([
      'https://buy.stripe.com/1',
      ...others,
      'https://buy.stripe.com/test_1?client_reference_id=clk_1',
    ])
  })

  test.each(['stripe-pricing-table', 'stripe-buy-button'])(
    'gets the click id in <%s>',
    async (tag) => {
      await visit('/?via=anna', {
        body: `<${tag} id="a"></${tag}><${tag} id="b" client-reference-id="user_7"></${tag}>`,
      })
      expect(await attribute('#a', 'client-reference-id')).toBe(tracking.id(1))
      expect(await attribute('#b', 'client-reference-id')).toBe('user_7')
    },
  )

  test('gets the click id in what is added or changed later', async () => {
    await visit('/?via=anna', { body: `<p id="plan">${link('')}</p><div id="more"></div>` })
    await page.evaluate(`document.querySelector('#plan a').href = 'https://buy.stripe.com/yearly'`)
    await page.waitForSelector('a[href="https://buy.stripe.com/yearly?client_reference_id=clk_1"]')
    await page.evaluate(
      `document.querySelector('#more').innerHTML = '${link('')}<stripe-buy-button></stripe-buy-button>'`,
    )
    await page.waitForSelector('#more a[href$="?client_reference_id=clk_1"]')
    await page.waitForSelector('stripe-buy-button[client-reference-id=clk_1]', {
      state: 'attached',
    })
  })

  test('gets the newer click id when there is one, and its elements hear of it once', async () => {
    await visit('/?via=anna', { body: `${link('')}<stripe-buy-button></stripe-buy-button>` })
    await page.evaluate(`
      heard = []
      new MutationObserver((changes) => {
        for (const { target } of changes) heard.push(target.nodeName)
      }).observe(document, { subtree: true, attributes: true })
    `)
    await goTo('/?via=bob')
    await page.waitForSelector('a[href="https://buy.stripe.com/test_1?client_reference_id=clk_2"]')
    await page.waitForSelector('stripe-buy-button[client-reference-id=clk_2]', {
      state: 'attached',
    })
    // One more change causes one more check, which must change neither.
    await page.evaluate(
      `document.body.insertAdjacentHTML('beforeend', '<input name="tributary_click">')`,
    )
    await page.waitForFunction(`document.querySelector('input').value`)
    expect(await page.evaluate('heard')).toEqual(['A', 'STRIPE-BUY-BUTTON'])
  })

  test('and all the rest cost one look for a burst of changes', async () => {
    await visit('/?via=anna')
    const looks = await page.evaluate(`(async () => {
      let looks = 0
      const all = document.querySelectorAll.bind(document)
      document.querySelectorAll = (selector) => {
        if (selector.includes('tributary_click')) looks++
        return all(selector)
      }
      for (let n = 0; n < 20; n++) {
        document.body.append('x')
        await new Promise(queueMicrotask) // so that each append is a change of its own
      }
      document.body.insertAdjacentHTML('beforeend', '<input name="tributary_click">')
      while (!document.querySelector('input').value) await new Promise(requestAnimationFrame)
      return looks
    })()`)
    expect(looks).toBe(1)
  })
})
