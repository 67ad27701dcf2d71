// @module-tag thorough
import { describe, expect, test } from 'vitest'
import { inspect, useBrowser, WALKS } from '../support/browser.ts'
import { createMerchant } from '../support/merchant.ts'
import { signIn, somebody } from '../support/people.ts'
import { addReceived } from '../support/received.ts'
import { SECRETS_KEY, signingSecret } from '../support/secrets.ts'

const browser = useBrowser()

/** A merchant with everything that the set-up pages show, long names included. */
const createShowcase = async () => {
  const merchant = await createMerchant({ program: { name: 'Friends of the shop' } })
  const { workspace, programId, seed } = merchant
  const longName = `A very long name of a program ${'that goes on '.repeat(6)}`
  await seed.addProgram(workspace.id, {
    name: longName,
    site_url: `https://shop.example/${'x'.repeat(120)}`,
  })
  await seed.addGroup(workspace.id, programId, {
    name: 'Gold',
    saleReward: { percent: 30 },
    leadReward: { amountCents: 250n, currency: 'EUR' },
  })
  await seed.addGroup(workspace.id, programId, { name: 'Silver' })
  await seed.addApiKey(workspace.id, { name: 'An old key', revokedAt: new Date() })
  await seed.addMember(
    workspace.id,
    'a-very-long-address.of-somebody@sub.domain.shop.example',
    'member',
  )
  const clickId = await merchant.click()
  await merchant.sale({ externalId: 'inv_1', clickId, amountCents: 1_234_567 })
  const sale = await merchant.sale({ externalId: 'inv_2', clickId, currency: 'JPY' })
  const facts = { externalId: 'inv_2', amountCents: 4_900, currency: 'JPY' }
  await addReceived(workspace.id, {
    processor_event_id: 'evt_1QxYzLkdIwHu7ixUEgbFdYf2aB3cD4eF5gH6',
    type: 'checkout.session.async_payment_succeeded',
    event_id: sale.body.eventId ?? null,
    outcome: { code: 'sale_credited', facts: { ...facts, slug: 'maya' } },
  })
  await addReceived(workspace.id, {
    type: 'charge.dispute.funds_withdrawn',
    livemode: false,
    event_id: sale.body.eventId ?? null,
    outcome: { code: 'commission_changed', facts: { ...facts, slug: 'maya', amountCents: -980 } },
  })
  return { merchant, programId, base: `/app/${workspace.slug}` }
}

let shown: ReturnType<typeof createShowcase> | undefined

/** One for all tests that leave what it shows as it is. */
const sharedShowcase = () => {
  shown ??= createShowcase()
  return shown
}

describe.each(WALKS)('at $width pixels, in $scheme colours', (screen) => {
  test('no page has axe violations or horizontal overflow', async () => {
    const { merchant, base, programId } = await createShowcase()
    const look = (name: string) => inspect(page, name)
    const follow = (name: string | RegExp) => page.getByRole('link', { name }).first().click()
    const press = (name: string) => page.getByRole('button', { name }).click()
    const goTo = async (section: string) => {
      // On a phone the sections are a menu.
      if (screen.width < 900) {
        await press('Menu')
        await look(`menu-to-${section}`)
      }
      await page.getByRole('navigation').getByRole('link', { name: section, exact: true }).click()
    }
    let page = await browser.as(await signIn(somebody('newcomer')), screen)
    await page.goto('/app')
    await look('workspaces-none')
    await page.getByRole('textbox', { name: 'Name' }).fill('日本')
    await press('Create workspace')
    await page.getByRole('alert').waitFor()
    await look('workspaces-error')
    await page.getByLabel('Slug').fill(`new-${crypto.randomUUID().slice(0, 8)}`)
    await press('Create workspace')
    await page.getByText('Workspace created.').waitFor()
    await look('overview-new')
    await goTo('Programs')
    await look('programs-none')
    await page.context().close()

    page = await browser.as(await merchant.manager(), screen)
    for (const [name, path] of [
      ['workspaces', '/app'],
      ['overview', base],
      ['programs', `${base}/programs`],
      ['program-new', `${base}/programs/new`],
      ['program', `${base}/programs/${programId}`],
      ['group-new', `${base}/programs/${programId}/groups/new`],
      ['members', `${base}/members`],
      ['settings', `${base}/settings`],
      ['api-keys', `${base}/api-keys`],
      ['not-found', `${base}/nothing`],
    ] as const) {
      await page.goto(path)
      await look(name)
    }
    await goTo('Programs')
    await follow('Friends of the shop')
    await follow('Gold')
    await look('group')
    await press('Preview the difference')
    await page.getByRole('heading', { name: 'Preview' }).waitFor()
    await look('group-preview')

    await page.goto(`${base}/programs/${programId}`)
    await page.getByLabel('Percentage of the sale').fill('35')
    await press('Preview the difference')
    await page
      .getByRole('row', { name: /^All partners/ })
      .first()
      .waitFor()
    await look('program-preview')
    await page.goto(`${base}/programs/${programId}`)
    await page.getByLabel('Type').selectOption('flat')
    await page.getByLabel('Amount', { exact: true }).fill('a lot')
    await page.getByLabel('Attribution window (days)').fill('0')
    await press('Save program')
    await page.getByRole('alert').waitFor()
    await look('program-error')

    await page.goto(`${base}/members`)
    await follow(/^Edit a-very-long/)
    await look('member')
    await follow('Remove from workspace')
    await look('member-remove')

    await page.goto(`${base}/api-keys`)
    await page.getByRole('textbox', { name: 'Name' }).fill('Checkout')
    await press('Create API key')
    await page.getByRole('heading', { name: 'Your new API key' }).waitFor()
    await look('api-key-new')
    await follow('Back to API keys')
    await follow('Revoke Checkout')
    await look('api-key-revoke')

    await page.goto(`${base}/stripe`)
    await look('stripe-not-connected')
    await page.getByLabel('Signing secret', { exact: true }).fill('sk_live_1234')
    await press('Add secret')
    await page.getByRole('alert').waitFor()
    await look('stripe-error')
    await page.getByLabel('Signing secret', { exact: true }).fill(signingSecret())
    await page.keyboard.press('Enter')
    await page.getByText('Signing secret added').waitFor()
    await merchant.seed.addStripeSecret(merchant.workspace.id, signingSecret(), SECRETS_KEY, 2)
    await page.goto(`${base}/stripe`)
    await look('stripe')
    await follow(/^Remove the secret/)
    await look('stripe-remove')
    await press('Remove secret')
    await page.getByText('Signing secret removed').waitFor()
    await look('stripe-removed')
    await page.context().close()

    page = await browser.as(await merchant.member(), screen)
    await page.goto(`${base}/programs/${programId}`)
    await look('program-member')
    await page.goto(`${base}/members`)
    await look('members-refused')
    await page.context().close()
  })
})

test('the reward form shows the fields of its type, and all fields without styles', async () => {
  const { merchant, base } = await sharedShowcase()
  const page = await browser.as(await merchant.manager())
  await page.goto(`${base}/programs/new`)
  const [percent, amount] = [
    page.getByLabel('Percentage of the sale'),
    page.getByLabel('Amount', { exact: true }),
  ]
  expect([await percent.isVisible(), await amount.isVisible()]).toEqual([true, false])
  await page.getByLabel('Type').selectOption('Flat amount per sale')
  expect([await percent.isVisible(), await amount.isVisible()]).toEqual([false, true])
  await page.context().close()
})

test('an error in the summary links to its field', async () => {
  const { merchant, base } = await sharedShowcase()
  const page = await browser.as(await merchant.manager())
  await page.goto(`${base}/programs/new`)
  await page.getByRole('textbox', { name: 'Name' }).fill('Friends')
  await page.getByLabel('Site').fill('shop.example')
  await page.getByLabel('Percentage of the sale').fill('20')
  await page.getByLabel('Who reports renewals?').selectOption('processor')
  await page.getByRole('button', { name: 'Create program' }).click()
  await page.getByRole('alert').getByRole('link').click()
  expect(await page.evaluate('document.activeElement.id')).toBe('siteUrl')
  await page.getByLabel('Site').fill('https://shop.example')
  await page.getByRole('button', { name: 'Create program' }).click()
  await page.getByRole('heading', { name: 'Friends' }).waitFor()
  await page.context().close()
})

test('the example of a reward is renewed while the form is filled in', async () => {
  const { merchant, base, programId } = await sharedShowcase()
  const page = await browser.as(await merchant.manager())
  const example = (name: string) => page.locator(`output[name="${name}"]`)
  const reads = (name: string, words: string) =>
    example(name).filter({ hasText: words }).waitFor({ timeout: 5_000 })
  const fill = (label: string, value: string) => page.getByLabel(label, { exact: true }).fill(value)

  await page.goto(`${base}/programs/${programId}`)
  await reads('reward', 'As saved: A sale of 100.00 USD today earns 20.00 USD.')
  await fill('Percentage of the sale', '12,5 %')
  await reads('reward', 'As entered: A sale of 100.00 USD today earns 12.50 USD.')
  for (const value of ['', '101', 'x']) {
    await fill('Percentage of the sale', value)
    expect(await example('reward').isHidden()).toBe(true)
  }
  await page.getByLabel('Type').selectOption('flat')
  expect(await example('reward').isHidden()).toBe(true)
  await fill('Amount', '500')
  await fill('Currency', 'jp')
  expect(await example('reward').isHidden()).toBe(true)
  await fill('Currency', 'jpy')
  await reads('reward', 'As entered: A sale of 1,000 JPY today earns 500 JPY.')
  await page.getByLabel('Rewarded sales').selectOption('one-time')
  await reads(
    'reward',
    'As entered: A customer’s first sale of 1,000 JPY earns 500 JPY. Later sales earn nothing.',
  )
  await page.getByLabel('Rewarded sales').selectOption('recurring')
  for (const months of ['0', '99999999', 'a']) {
    await fill('Reward duration (months)', months)
    expect(await example('reward').isHidden()).toBe(true)
  }
  await fill('Reward duration (months)', '12')
  await reads('reward', 'The same customer’s sales earn until')

  // A group's terms are those of its program but for the reward.
  await page.goto(`${base}/programs/${programId}/groups/new`)
  expect(await example('saleReward').isHidden()).toBe(true)
  await fill('Name', 'Platinum')
  await reads('saleReward', 'As entered: A sale of $100.00 today earns $20.00.')
  await reads('leadReward', 'As entered: A lead earns nothing.')
  await page.getByLabel('Type').first().selectOption('percent')
  await fill('Percentage of the sale', '40')
  await reads('saleReward', 'As entered: A sale of $100.00 today earns $40.00.')

  const plain = await browser.as(await merchant.manager(), {
    width: 1280,
    scheme: 'light',
    javaScriptEnabled: false,
  })
  await plain.goto(`${base}/programs/${programId}`)
  await plain.getByText('As saved: A sale of 100.00 USD today earns 20.00 USD.').waitFor()
})
