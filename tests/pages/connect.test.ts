// @module-tag thorough
import { describe, expect, inject, test } from 'vitest'
import { inspect, useBrowser, WALKS } from '../support/browser.ts'
import { createConnecting } from '../support/connecting.ts'
import { signIn } from '../support/people.ts'

const browser = useBrowser()

describe.each(WALKS)('at $width pixels, in $scheme colours', (screen) => {
  test.each([true, false])(
    'a partner connects, leaves half-way, goes on and disconnects (JavaScript: %s)',
    async (javaScriptEnabled) => {
      const { email, merchant } = await createConnecting()
      const page = await browser.as(await signIn(email), { ...screen, javaScriptEnabled })
      const look = async (name: string) => {
        // Axe is a script.
        if (javaScriptEnabled) await inspect(page, name)
      }
      const heading = (name: string) => page.getByRole('heading', { name }).waitFor()
      const press = (name: string | RegExp) => page.getByRole('button', { name }).click()
      const atStripe = () => page.waitForURL((url) => url.origin === inject('stripeUrl'))

      await page.goto('/portal')
      await heading('Connect an account to be paid')
      await look('connect-none')
      await page.getByLabel('Country').selectOption({ label: 'Germany' })
      await press('Connect with Stripe')
      await atStripe()

      await press(/half-way/)
      await page.getByText('Account setup is not finished').waitFor()
      await look('connect-onboarding')
      await page.getByRole('link', { name: 'Continue setup' }).click()
      await atStripe()
      await press('Finish')
      await page.getByText('Account connected').waitFor()
      expect(new URL(page.url()).origin).toBe(inject('baseUrl'))
      await look('connect-enabled')

      await page.getByRole('link', { name: 'Disconnect' }).click()
      await heading('Disconnect your account?')
      await look('connect-disconnect')
      await press('Disconnect account')
      await heading('Connect an account to be paid')

      if (!javaScriptEnabled) return
      const manager = await browser.as(await merchant.manager(), screen)
      await manager.goto(`/app/${merchant.workspace.slug}/stripe`)
      await inspect(manager, 'stripe-key')
    },
  )
})
