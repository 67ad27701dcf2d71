// @module-tag thorough
/**
 * Merchants' sites as they are: what was seen to lose or misjudge a click on one. The service is a
 * fake, whose answers are those of tests/functions/standing-click.test.ts.
 */
import { describe, expect, test } from 'vitest'
import {
  attribute,
  clicked,
  context,
  goTo,
  PROGRAM,
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
} from '../snippet/visit.ts'

useShop()

const OTHER_PROGRAM = '0192f000-0000-7000-8000-000000000002'
const field =
  '<form action="/thanks"><input type="hidden" name="tributary_click"><button>Order</button></form>'

/** A tab of the same visitor, on a page of the shop. */
const inAnotherTab = async (path: string) => {
  const tab = await context.newPage()
  await tab.goto(url(path))
  await tab.evaluate('tributary.ready')
  await tab.close()
}

describe('a visitor with a click', () => {
  test('posts each further one with it, so that the service decides which stands', async () => {
    await visit('/?via=blogger')
    await visit('/?via=coupons')
    expect(tracking.clicks).toMatchObject([
      { slugs: ['blogger'] },
      { slugs: ['coupons'], clickId: tracking.id(1) },
    ])
  })

  test('keeps the earlier one where the service returns it', async () => {
    await visit('/?via=blogger')
    tracking.stands = tracking.id(1)
    expect(await visit('/?via=coupons')).toBe(tracking.id(1))
    expect((await context.cookies()).map(({ value }) => value)).toEqual([tracking.id(1)])
  })
})

describe('two programs on one site', () => {
  test.each([
    { case: 'in one tag', head: () => snippet().replace(PROGRAM, `${PROGRAM}, ${OTHER_PROGRAM}`) },
    { case: 'in two tags', head: () => snippet() + snippet().replace(PROGRAM, OTHER_PROGRAM) },
    {
      case: 'in two tags, of which one comes late',
      head: () =>
        `${snippet()}<script>setTimeout(() => {
          const tag = document.createElement('script')
          tag.src = document.querySelector('script').src
          tag.dataset.program = '${OTHER_PROGRAM}'
          document.body.append(tag)
        }, 100)</script>`,
    },
  ])('each get the click, with what the visitor has by then: $case', async ({ head }) => {
    await visit('/?via=anna', { head: head() })
    await clicked(tracking.id(2))
    expect(tracking.clicks).toMatchObject([
      { programId: PROGRAM, slugs: ['anna'] },
      { programId: OTHER_PROGRAM, slugs: ['anna'], clickId: tracking.id(1) },
    ])
    expect(tracking.clicks).toHaveLength(2)
  })

  test('pass both clicks on in one field', async () => {
    await visit('/?via=anna', { body: field })
    tracking.stands = 'clk_b_clk_a'
    await goTo('/?via=ben')
    await clicked('clk_b_clk_a')
    expect(await page.inputValue('input')).toBe('clk_b_clk_a')
  })

  test('of which one was not reached, send that click alone from the next page', async () => {
    tracking.answer = 500
    const head = snippet().replace(PROGRAM, `${PROGRAM},${OTHER_PROGRAM}`)
    await visit('/?via=anna', { head })
    await expect.poll(() => tracking.clicks.length).toBe(2)
    tracking.answer = 200
    await visit('/pricing', { head })
    await clicked(tracking.id(4))
    expect(tracking.clicks.slice(2)).toMatchObject([
      { programId: PROGRAM, slugs: ['anna'] },
      { programId: OTHER_PROGRAM, slugs: ['anna'] },
    ])
  })
})

describe('a form', () => {
  test('that was filled in before a click in another tab sends the newer one', async () => {
    await visit('/?via=anna', { body: field })
    await inAnotherTab('/?via=bob')
    expect(await page.inputValue('input')).toBe(tracking.id(1))
    await page.click('button')
    await page.waitForURL(`**/thanks?tributary_click=${tracking.id(2)}`)
  })

  test('that a framework has emptied is filled in again when it is sent, without a click too', async () => {
    await visit('/?via=anna', { body: field })
    await page.evaluate(
      `document.querySelector('input').value = ''; document.querySelector('form').requestSubmit()`,
    )
    await page.waitForURL(`**/thanks?tributary_click=${tracking.id(1)}`)
  })

  test('whose handler stops the event still gets its value before', async () => {
    await visit('/?via=anna', { body: field })
    await page.evaluate(`
      const [form, input] = [document.querySelector('form'), document.querySelector('input')]
      form.addEventListener('submit', (event) => { event.preventDefault(); event.stopImmediatePropagation(); sent = input.value }, true)
      input.value = ''
    `)
    await page.click('button')
    expect(await page.evaluate('sent')).toBe(tracking.id(1))
  })
})

test('a payment link that was opened before a click in another tab leads on with the newer one', async () => {
  await visit('/?via=anna', { body: '<a href="https://buy.stripe.com/1">Buy</a>' })
  await inAnotherTab('/?via=bob')
  await page.evaluate(
    `document.querySelector('a').addEventListener('click', (event) => event.preventDefault())`,
  )
  await page.click('a')
  expect(await attribute('a', 'href')).toBe(
    `https://buy.stripe.com/1?client_reference_id=${tracking.id(2)}`,
  )
})

describe('a click that could not be delivered', () => {
  const wait = (milliseconds: number) =>
    page.evaluate(`{
      const key = 'tributary_${PROGRAM}'
      const click = JSON.parse(localStorage[key])
      localStorage[key] = JSON.stringify({ ...click, at: click.at - ${milliseconds} })
    }`)

  test('is posted with its age, and with the newer click that the visitor has by then', async () => {
    tracking.answer = 500
    await visit('/?via=anna')
    tracking.answer = 200
    await visit(url('/?via=bob', 'checkout.example.co.uk'))
    tracking.stands = tracking.id(2)
    expect(await visit('/')).toBe(tracking.id(2))
    const retried = tracking.clicks[2]
    expect(retried).toMatchObject({ slugs: ['anna'], clickId: tracking.id(2) })
    expect(retried?.age).toBeGreaterThan(20)
  })

  test('is dropped after a day', async () => {
    tracking.answer = 500
    await visit('/?via=anna')
    await wait(25 * 60 * 60_000)
    tracking.answer = 200
    expect(await visit('/')).toBeUndefined()
    expect([tracking.clicks.length, await pending()]).toEqual([1, null])
  })
})

describe('a slug is found', () => {
  test('after the page has cleaned its URL before the script runs', async () => {
    const head = `<script>history.replaceState(null, '', '/clean')</script>${snippet()}`
    expect(await visit('/landing?via=anna', { head })).toBe(tracking.id(1))
    await goTo('/next')
    expect(tracking.slugs()).toEqual(['anna'])
  })

  test('among other parameters, all of which the service gets in order', async () => {
    await visit('/?ref=maya&via=email', { attributes: 'data-params="ref"' })
    expect(tracking.slugs()).toEqual(['email,maya'])
  })

  test('in the fragment of a single-page shop', async () => {
    await visit('/#/pricing?via=maya')
    expect(tracking.slugs()).toEqual(['maya'])
  })
})

describe('a tag manager', () => {
  const src = (query: string) => `http://track.example:${tracking.port}/via.js?${query}`

  test('that strips the data attributes can give them in the script’s URL', async () => {
    const query = `program=${PROGRAM}&params=ref`
    const head = `<script>{
      const tag = document.createElement('script')
      tag.src = '${src(query)}'
      document.head.append(tag)
    }</script>`
    await show('/?ref=anna', { head })
    await clicked(tracking.id(1))
    expect(tracking.clicks).toMatchObject([{ programId: PROGRAM, slugs: ['anna'] }])
  })

  test('that loads a module, where no script is the current one, is served by it too', async () => {
    const head = `<script type="module" src="${src(`program=${PROGRAM}`)}"></script>`
    await show('/?via=anna', { head })
    await clicked(tracking.id(1))
  })
})

describe('consent', () => {
  const stub = '<script>window.tributary = { consent() { this.agreed = 1 } }</script>'
  const required = 'data-consent="required"'

  test('may be given before the script is there', async () => {
    const head = `${stub}<script>tributary.consent()</script>${snippet(required)}`
    expect(await visit('/?via=anna', { head })).toBe(tracking.id(1))
  })

  test('that is not given yet is waited for with that line too', async () => {
    await show('/?via=anna', { head: stub + snippet(required) })
    await page.waitForFunction('Boolean(tributary.ready)')
    expect(tracking.clicks).toEqual([])
    await page.evaluate('tributary.consent()')
    await clicked(tracking.id(1))
  })

  test('on the second page of a visit still finds the slug of the first', async () => {
    await show('/?via=anna', { attributes: required, body: '<a href="/pricing">Pricing</a>' })
    await page.click('a')
    await page.waitForURL('**/pricing')
    await page.evaluate('tributary.consent()')
    expect(await ready()).toBe(tracking.id(1))
    expect(tracking.slugs()).toEqual(['anna'])
  })

  test('is no reason to take a slug from another site’s URL, nor one where none is required', async () => {
    shop.html = `<meta name="referrer" content="unsafe-url"><a href="${url('/')}">Shop</a>`
    await page.goto(url('/?via=bob', 'blog.partner.co.uk'))
    shop.html = snippet(required)
    await page.click('a')
    await page.waitForFunction('window.tributary')
    await page.evaluate('tributary.consent()')
    expect(await ready()).toBeUndefined()

    await visit('/?via=anna', { body: '<a href="/pricing">Pricing</a>' })
    await page.click('a')
    await page.waitForURL('**/pricing')
    await ready()
    expect(tracking.slugs()).toEqual(['anna'])
  })
})

test.each([
  'https://buy.stripe.com/1',
  'https://book.stripe.com/1',
  'https://donate.stripe.com/1',
  'https://pay.shop.example/1',
])('%s gets the click id as its client_reference_id', async (href) => {
  await visit('/?via=anna', {
    attributes: 'data-links="pay.shop.example"',
    body: `<a href="${href}" id="pay">Pay</a><a href="https://example.com/" id="other">x</a>`,
  })
  expect(await attribute('#pay', 'href')).toBe(`${href}?client_reference_id=clk_1`)
  expect(await attribute('#other', 'href')).toBe('https://example.com/')
})

describe('a checkout on another domain', () => {
  test('gets the click id in links to it, and asks the service whether it counts', async () => {
    const checkout = url('/cart?item=1', 'pay.co.uk')
    await visit('/?via=anna', {
      attributes: 'data-domains="pay.co.uk"',
      body: `<a href="${checkout}">Check out</a>`,
    })
    expect(await attribute('a', 'href')).toBe(`${checkout}&tributary_click=clk_1`)
    shop.html = snippet()
    tracking.stands = tracking.id(1)
    await page.click('a')
    await page.waitForURL('**/cart*')
    await clicked(tracking.id(1))
    expect(tracking.clicks[1]).toMatchObject({ programId: PROGRAM, slugs: [tracking.id(1)] })
  })
})

describe('a visitor', () => {
  test('whose clock is a year ahead keeps the click for as long as it counts', async () => {
    await page.clock.install({ time: Date.now() + 365 * 24 * 60 * 60_000 })
    await show('/?via=anna')
    await page.clock.resume()
    await clicked(tracking.id(1))
    const [cookie] = await context.cookies()
    expect(cookie?.expires).toBeGreaterThan(Date.now() / 1000 + 89 * 24 * 60 * 60)
  })

  test('who refuses cookies has the click on the page', async () => {
    await page.addInitScript({
      content: `Object.defineProperty(document, 'cookie', { get: () => '', set() {} })`,
    })
    expect(await visit('/?via=anna', { body: field })).toBe(tracking.id(1))
    expect(await page.inputValue('input')).toBe(tracking.id(1))
  })
})

describe('a strict Content-Security-Policy', () => {
  test('with a nonce and strict-dynamic runs the tag that has the nonce, and its request', async () => {
    shop.headers = {
      'Content-Security-Policy': `script-src 'nonce-abc' 'strict-dynamic'; connect-src http://track.example:${tracking.port}; object-src 'none'; base-uri 'none'`,
    }
    expect(await visit('/?via=anna', { attributes: 'nonce="abc"' })).toBe(tracking.id(1))
  })
})

describe('with tributary_debug in the URL', () => {
  const panel = () => page.getByRole('region', { name: 'Tributary' })
  const says = (text: string) => panel().getByText(text, { exact: true }).first().waitFor()

  test('a panel says what was found, sent, stored and filled in', async () => {
    await visit('/?via=anna&tributary_debug', {
      body: '<input type="hidden" name="tributary_click"><a href="https://buy.stripe.com/1">Buy</a>',
    })
    await says(PROGRAM)
    await says('via=anna')
    await says('200, recorded')
    await says(tracking.id(1))
    await says('1 of 1 filled in')
    await says('1 with the click ID')
    await panel().getByRole('button', { name: 'Close' }).click()
    await panel().waitFor({ state: 'detached' })
  })

  test('it says why a click was refused, and what is sent again', async () => {
    tracking.answer = 404
    await visit('/?via=nobody&tributary_debug=1')
    await says('404, refused: no active partner of this program has this slug')
    tracking.answer = 500
    await visit('/?via=anna&tributary_debug=1')
    await says('500, failed: it is sent again on the next page')
    await says('Not delivered')
  })

  test('it says what the page’s policy has blocked', async () => {
    const service = `http://track.example:${tracking.port}`
    shop.headers = { 'Content-Security-Policy': `script-src ${service}; style-src 'none'` }
    await visit('/?tributary_debug', { body: '<p>No connect-src is no limit.</p>' })
    await says('none in the URL (via)')
    shop.headers = {
      'Content-Security-Policy': `script-src ${service}; style-src 'none'; connect-src 'none'`,
    }
    await visit('/?via=anna&tributary_debug')
    await says(`${service}/api/track/click`)
  })

  test('nothing more is loaded without it', async () => {
    const loaded: string[] = []
    page.on('request', (request) => loaded.push(new URL(request.url()).pathname))
    await visit('/?via=anna')
    expect(loaded).not.toContain('/debug.js')
  })
})
