// @module-tag thorough
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { findViolations, sharedBrowser, tabTo } from '../../support/browser.ts'
import { type SharedSystem, sharedSystem } from '../../support/shared-system.ts'

describe('the shop in a browser', () => {
  let system: SharedSystem
  let browser: Browser
  /** Errors in the pages' consoles: blocked scripts, exceptions. */
  const complaints: string[] = []

  beforeAll(async () => {
    ;[system, browser] = await Promise.all([sharedSystem(), sharedBrowser()])
  })

  afterEach(async () => {
    for (const context of browser.contexts()) await context.close()
    expect(complaints.splice(0)).toEqual([])
  })

  const newVisitor = async (options: BrowserContextOptions = {}): Promise<Page> => {
    const context = await browser.newContext({ baseURL: system.demo.shopUrl, ...options })
    context.setDefaultTimeout(15_000)
    const page = await context.newPage()
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('console', (message) => {
      // Chromium also logs pages with status 400 (a form shown again) or 404.
      if (message.type() === 'error' && !message.text().includes('status of 40'))
        complaints.push(message.text())
    })
    return page
  }

  const comeThrough = async (page: Page, slug: string): Promise<void> => {
    await page.goto(`/?via=${slug}`)
    await page.getByText('This browser remembers the click clk_').waitFor()
  }

  const signUpByForm = async (
    page: Page,
    name = 'Ada Verne',
    email = 'ada@example.com',
  ): Promise<void> => {
    await page.goto('/sign-up?plan=grove')
    await page.getByText('This browser remembers').waitFor()
    await page.getByLabel('Name').fill(name)
    await page.getByLabel('Email').fill(email)
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.waitForURL('**/account?plan=grove')
  }

  /** Sends the form without showing it, with the click that the snippet has stored. */
  const signUp = async (
    page: Page,
    name = 'Ada Verne',
    email = 'ada@example.com',
  ): Promise<void> => {
    const cookies = await page.context().cookies()
    const clickId = cookies.find((cookie) => cookie.name === 'tributary_click')?.value ?? ''
    const answer = await page.request.post('/sign-up', {
      form: { name, email, plan: 'grove', tributary_click: clickId },
      headers: { Origin: system.demo.shopUrl },
      maxRedirects: 0,
    })
    expect(answer.headers().location).toBe('/account?plan=grove')
  }

  const buy = async (page: Page): Promise<string> => {
    await page.goto('/checkout?plan=grove')
    await page.getByRole('button', { name: 'Pay and subscribe' }).click()
    await page.waitForURL('**/receipts/*')
    return page.url().split('/').at(-1) ?? ''
  }

  /** Pays on Stripe's page. @returns Stripe's id of the invoice */
  const buyAtStripe = async (page: Page): Promise<string> => {
    await page.goto('/checkout?plan=grove')
    await page.getByRole('button', { name: 'Pay with Stripe' }).click()
    await page.getByRole('button', { name: /^Subscribe for/ }).click()
    await page.waitForURL('**/receipts/in_*')
    // On a busy machine, Stripe's events arrive later than the buyer.
    await vi.waitFor(async () => {
      if (!(await story(page)).includes('has not received this sale yet')) return
      await page.reload()
      throw new Error('Stripe’s events have not arrived.')
    }, 60_000)
    return page.url().split('/').at(-1) ?? ''
  }

  /** The panel's text, with collapsed white space. */
  const story = async (page: Page): Promise<string> =>
    (
      await page.getByRole('region', { name: 'What Tributary made of this' }).innerText()
    ).replaceAll(/\s+/g, ' ')

  const steps = (page: Page): Promise<string[]> => page.locator('.steps code').allInnerTexts()

  const salesOf = async (externalId: string) => {
    const { baseUrl, workspace, apiKey } = system.demo
    const response = await fetch(
      `${baseUrl}/api/workspaces/${workspace}/events?kind=sale&externalId=${externalId}`,
      { headers: { Authorization: `Bearer ${apiKey}` } },
    )
    const { data } = (await response.json()) as {
      data: { commission: { amountCents: number } | null }[]
    }
    return data
  }

  test('a sale to a visitor of Maya’s link earns her 20%, and the receipt explains it', async () => {
    const page = await newVisitor()
    await comeThrough(page, 'maya')
    await signUpByForm(page)
    expect(await story(page)).toContain('This sign-up is credited to Maya Lindqvist')
    await page.getByRole('link', { name: 'Continue to checkout' }).click()
    await page.getByRole('button', { name: 'Pay and subscribe' }).click()
    await page.waitForURL('**/receipts/*')
    const invoice = page.url().split('/').at(-1) ?? ''

    expect(await steps(page)).toEqual(['click', 'program_reward', 'commission_created'])
    const panel = await story(page)
    expect(panel).toContain('POST /api/track/sale { "externalId"')
    expect(panel).toContain('"attributed": true')
    expect(panel).toContain('Maya Lindqvist earned 5.80 USD pending')
    expect(panel).toContain('The visitor clicked the link of “maya”')
    expect(panel).toContain('20% of the sale')
    expect(await salesOf(invoice)).toMatchObject([{ commission: { amountCents: 580 } }])
  })

  test('a renewal is reported with the click of the sign-up, even if the browser has lost it', async () => {
    const page = await newVisitor()
    await comeThrough(page, 'maya')
    await signUp(page)
    const first = await buy(page)
    await page.context().clearCookies({ name: 'tributary_click' })
    await page.goto('/account')
    await page.getByRole('button', { name: 'Renew now' }).click()
    await page.waitForURL('**/receipts/*')

    expect(page.url()).not.toContain(first)
    expect(await story(page)).toMatch(/Maya Lindqvist earned 5\.80 USD.*"eventName": "renewal"/)
    await page.goto('/account')
    expect(await page.getByRole('listitem').filter({ hasText: 'PN-' }).count()).toBe(2)
  })

  test('sending the same sale again gets the same response, and earns nothing more', async () => {
    const page = await newVisitor()
    await comeThrough(page, 'maya')
    await signUp(page)
    const invoice = await buy(page)
    await page.getByRole('button', { name: 'Send the same sale again' }).click()

    await page.getByText('The answer is the very same as the first.').waitFor()
    expect(await story(page)).toContain(
      'Tributary still has one sale under this id: nothing doubled.',
    )
    expect(await salesOf(invoice)).toMatchObject([{ commission: { amountCents: 580 } }])
  })

  test('a visitor without a link can buy, and sees that no partner is credited', async () => {
    const page = await newVisitor()
    await signUp(page)
    await buy(page)

    expect(await steps(page)).toEqual(['no_click'])
    const panel = await story(page)
    expect(panel).toContain('No partner is credited with this sale.')
    expect(panel).toContain('{ "eventId": null, "attributed": false }')
    expect(panel).toContain('The report has no click ID')
  })

  test('Leo’s group earns him 5.00 USD for the sign-up, and 30% of the sale', async () => {
    const page = await newVisitor()
    await comeThrough(page, 'leo')
    await signUpByForm(page)
    expect(await story(page)).toContain('Leo Okafor earned 5.00 USD')
    await buy(page)

    expect(await steps(page)).toEqual(['click', 'group_reward', 'commission_created'])
    expect(await story(page)).toMatch(
      /Leo Okafor earned 8\.70 USD.*group “Insiders” sets the reward: 30%/,
    )
  })

  describe('a customer who pays with Stripe', () => {
    test('is the customer of the lead, and the receipt shows how the two are tied', async () => {
      const page = await newVisitor()
      await comeThrough(page, 'maya')
      await signUp(page, 'Ines', 'ines@example.com')
      const invoice = await buyAtStripe(page)

      const panel = await story(page)
      expect(panel).toContain('Maya Lindqvist earned 5.80 USD pending')
      expect(panel).toMatch(
        /The shop’s lead user_\d{10} ines@example\.com, referred by Maya Lindqvist tied by customerExternalId Stripe’s customer cus_\w+ paid invoice in_/,
      )
      expect(panel).toMatch(
        /The checkout names both, so Tributary knows that cus_\w+ is user_\d{10}/,
      )
      expect(await steps(page)).toEqual(['customer', 'program_reward', 'commission_created'])
      expect(await salesOf(invoice)).toMatchObject([{ commission: { amountCents: 580 } }])
    })

    test('renews without a report, for the same partner', async () => {
      const page = await newVisitor()
      await comeThrough(page, 'leo')
      await signUp(page, 'Tom', 'tom@example.com')
      const invoice = await buyAtStripe(page)
      await page.goto('/account')
      await page.getByRole('button', { name: 'Renew now' }).click()
      await page.waitForURL(
        (url) => /\/receipts\/in_/.test(url.pathname) && !url.href.includes(invoice),
      )

      const panel = await story(page)
      expect(panel).toContain('Leo Okafor earned 8.70 USD pending')
      expect(panel).toMatch(
        /renewal names only cus_\w+\. Tributary has known .* that this is user_\d{10}/,
      )
      expect(panel).toContain('To Tributary, for this renewal Nothing. Stripe reported it.')
    })

    test('gets half refunded, and the receipt shows what that reversed', async () => {
      const page = await newVisitor()
      await comeThrough(page, 'maya')
      await signUp(page, 'Uma', 'uma@example.com')
      const invoice = await buyAtStripe(page)
      await page.getByRole('link', { name: 'the Stripe fake' }).click()
      await page.getByRole('button', { name: 'Refund half: 29.00 USD of uma@example.com' }).click()
      await page.getByText('14.50 USD refunded').waitFor()

      await page.goto(`/receipts/${invoice}`)
      expect(await story(page)).toContain('earned 5.80 USD pending 2.90 USD of it was reversed')
    })

    test('who returns by another partner’s link brings that click to the checkout', async () => {
      const page = await newVisitor()
      await signUp(page, 'Olga', 'olga@example.com')
      await comeThrough(page, 'leo')
      await page.goto('/checkout?plan=grove')
      await page.getByText('This browser remembers the click clk_').waitFor()
      await page.getByRole('button', { name: 'Pay with Stripe' }).click()
      await page.getByRole('button', { name: /^Subscribe for/ }).click()
      await page.waitForURL('**/receipts/in_*')

      const panel = await story(page)
      expect(panel).toContain('Leo Okafor earned 8.70 USD pending')
      expect(panel).toMatch(
        /metadata: \{ customerExternalId: 'user_\d{10}', tributary_click: 'clk_\w+' \}/,
      )
      expect((await steps(page))[0]).toBe('click')
    })

    test('came by no link: nobody is credited, and the two are tied all the same', async () => {
      const page = await newVisitor()
      await signUp(page, 'Nora', 'nora@example.com')
      const invoice = await buyAtStripe(page)

      const panel = await story(page)
      expect(panel).toContain('No partner is credited with this sale.')
      expect(panel).toMatch(/nora@example\.com, referred by nobody tied by customerExternalId/)
      expect(await salesOf(invoice)).toMatchObject([{ commission: null }])
    })

    test('is found in the dashboard by the link of the receipt', async () => {
      const page = await newVisitor()
      await comeThrough(page, 'maya')
      await signUp(page, 'Vera', 'vera@example.com')
      const invoice = await buyAtStripe(page)
      const link = await page
        .getByRole('link', { name: 'Open this sale in the dashboard' })
        .getAttribute('href')
      const answer = await fetch(link ?? '', { headers: { Cookie: system.demo.managerCookie } })
      expect(await answer.text()).toContain(`Sale ${invoice}`)
    })
  })

  test('starting over makes a new visitor: no account, no click', async () => {
    const page = await newVisitor()
    await comeThrough(page, 'maya')
    await signUp(page)
    await page.goto('/account')
    await page.getByRole('button', { name: 'Start over' }).click()
    await page.getByText('This browser remembers no click.').waitFor()
    await page.getByRole('link', { name: 'Sign up' }).waitFor()
  })

  test('a double click on the pay button pays once', async () => {
    const page = await newVisitor()
    await signUp(page)
    await page.goto('/checkout?plan=forest')
    const invoice = await page.locator('[name=invoice]').inputValue()
    await page.getByRole('button', { name: 'Pay and subscribe' }).dblclick()
    // The second click aborts the navigation of the first, which fails a wait for the URL.
    await page.getByRole('heading', { name: /^Thank you/ }).waitFor()
    expect(new URL(page.url()).pathname).toBe(`/receipts/${invoice}`)
    await page.goto('/account')
    expect(await page.getByRole('listitem').filter({ hasText: 'PN-' }).count()).toBe(1)
  })

  test('a name with markup is escaped on every page', async () => {
    const page = await newVisitor()
    const name = `<script>alert("1")</script>'&amp;`
    await signUpByForm(page, name)
    await page.getByRole('heading', { name: `Welcome, ${name}.` }).waitFor()
    await buy(page)
    await page.getByRole('heading', { name: `Thank you, ${name}.` }).waitFor()
  })

  test.each([
    ['no name', ' ', 'ada@example.com', 'Tell us what to call you.'],
    ['no email', 'Ada', '', 'Enter your email address.'],
    ['an email that is none', 'Ada', 'ada', 'Enter an address like'],
  ])(
    '%s: the form comes again with a message and with what was typed',
    async (_case, name, email, says) => {
      const page = await newVisitor()
      await page.goto('/sign-up')
      await page.getByLabel('Name').fill(name)
      await page.getByLabel('Email').fill(email)
      await page.getByRole('button', { name: 'Create account' }).click()
      await page.getByText(says).waitFor()
      expect(await page.getByLabel('Name').inputValue()).toBe(name)
      expect(await page.getByLabel('Email').inputValue()).toBe(email)
    },
  )

  test('a form posted from another site is refused, and opens no session', async () => {
    const response = await fetch(`${system.demo.shopUrl}/sign-up`, {
      method: 'POST',
      headers: { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' },
      body: new URLSearchParams({ name: 'Ada', email: 'ada@example.com' }),
    })
    expect(response.status).toBe(403)
    expect(response.headers.get('Set-Cookie')).toBeNull()
  })

  test('the session cookie is HttpOnly and SameSite', async () => {
    const page = await newVisitor()
    await signUp(page)
    const cookies = await page.context().cookies()
    expect(cookies.find(({ name }) => name === 'pine_session')).toMatchObject({
      httpOnly: true,
      sameSite: 'Lax',
    })
  })

  test('nobody sees another customer’s receipt', async () => {
    const [ada, eve] = [await newVisitor(), await newVisitor()]
    await signUp(ada)
    const invoice = await buy(ada)
    await signUp(eve)
    expect((await eve.request.get(`/receipts/${invoice}`)).status()).toBe(404)
  })

  test('Tab, Space and Enter are enough to sign up and buy', async () => {
    const page = await newVisitor()
    await comeThrough(page, 'maya')
    await tabTo(page, 'link', 'See the plans')
    await page.keyboard.press('Enter')
    await tabTo(page, 'link', 'Choose Grove')
    await page.keyboard.press('Enter')
    await tabTo(page, 'textbox', 'Name')
    await page.keyboard.type('Ada Verne')
    await page.keyboard.press('Tab')
    await page.keyboard.type('ada@example.com')
    await page.keyboard.press('Enter')
    await tabTo(page, 'link', 'Continue to checkout')
    await page.keyboard.press('Enter')
    await tabTo(page, 'button', 'Pay and subscribe')
    await page.keyboard.press('Space')
    await page.waitForURL('**/receipts/*')
    expect(await story(page)).toContain('Maya Lindqvist earned 5.80 USD')
  })

  test('axe finds nothing on any page, in light and in dark colours', async () => {
    const page = await newVisitor()
    const check = async (name: string) => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        const violations = await findViolations(page, colorScheme === 'dark')
        expect({ name, colorScheme, violations }).toEqual({ name, colorScheme, violations: [] })
      }
    }
    await comeThrough(page, 'maya')
    await check('home')
    await page.goto('/pricing')
    await check('pricing')
    await page.goto('/sign-up')
    await check('sign-up')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByRole('alert').waitFor()
    await check('sign-up, shown again')
    await signUpByForm(page)
    await check('account')
    await page.goto('/checkout')
    await check('checkout')
    await page.getByRole('button', { name: 'Pay and subscribe' }).click()
    await page.getByRole('button', { name: 'Send the same sale again' }).click()
    await page.getByText('nothing doubled').waitFor()
    await check('receipt')
    await buyAtStripe(page)
    await check('receipt of a payment at Stripe')
    await page.goto('/account')
    await check('account with a plan')
    await page.goto('/nowhere')
    await check('a page that is not there')
  })
})
