import Stripe from 'stripe'
import { describe, expect, inject, test } from 'vitest'
import { everything } from '../support/imports.ts'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'
import { openPages, fieldsOf as otherFieldsOf } from '../support/pages.ts'
import { openReward } from '../support/reward-pages.ts'
import { stripeKey } from '../support/secrets.ts'

const database = useDatabase()

const rewardOf = async (merchant: Merchant) =>
  (await merchant.get(`/programs/${merchant.programId}`)).body.reward

const setReward = async (merchant: Merchant, rules: object[]) => {
  const manager = await merchant.asManager()
  const reward = { kind: 'percent', percent: 20, rules }
  expect((await manager.patch(`/programs/${merchant.programId}`, { reward })).status).toBe(200)
}

const rule = (name: string, when: object, pay: object = { kind: 'percent', percent: 30 }) => ({
  name,
  when,
  pay,
})

test('rules are built, tried, moved and compared without script, and nothing is saved until it is asked for', async () => {
  const merchant = await createMerchant()
  const { press, compare, save, shown, fields } = await openReward(merchant)
  const before = await everything(database, merchant)
  expect(shown().text).toContain('The base reward decides every sale.')
  expect(shown().text).toContain('The partner would earn $20.00.')

  expect((await press('rules.add')).status).toBe(200)
  await press('rules.0.add', { 'rules.0.name': 'Annual', 'rules.0.add': 'product' })
  await press('try', {
    'rules.0.when.0.in.add': 'prod_annual',
    'rules.0.pay.percent': '30',
    'try.product': 'prod_annual',
    'try.amount2': '50.00',
  })
  expect(shown().status).toBe(200)
  expect(shown().text).toContain('The partner would earn $40.00.')
  expect(shown().text).toMatch(/Line 1, prod_annual: the rule “Annual” pays 30%, \$30\.00/)
  expect(fields()['rules.0.when.0.in']).toBe('prod_annual')

  await press('rules.add')
  expect(shown().text).toContain('Complete the rules to see what this sale earns.')
  await press('rules.1.add', { 'rules.1.name': 'Renewals', 'rules.1.add': 'payment' })
  await press('rules.1.up', { 'rules.1.when.0.atLeast': '2', 'rules.1.pay.kind': 'none' })
  expect(fields()).toMatchObject({
    'rules.0.name': 'Renewals',
    'rules.0.when.0.atLeast': '2',
    'rules.1.name': 'Annual',
    'rules.1.pay.percent': '30',
  })
  await press('try', { 'try.payment': '3' })
  expect(shown().text).toContain('The partner would earn nothing.')
  expect((await compare()).status).toBe(200)
  expect(shown().text).toContain('No sale or lead')
  expect(await everything(database, merchant)).toEqual(before)

  expect((await save()).location).toContain('/reward?done=saved')
  expect(await rewardOf(merchant)).toEqual({
    kind: 'percent',
    percent: 20,
    rules: [
      rule('Renewals', { all: [{ fact: 'payment', atLeast: 2 }] }, { kind: 'none' }),
      rule('Annual', { all: [{ fact: 'product', in: ['prod_annual'] }] }),
    ],
  })
})

test('every condition, group and pay is shown as it was saved by API, and saves as it was', async () => {
  const merchant = await createMerchant()
  await setReward(merchant, [
    {
      ...rule('All', {
        all: [
          { fact: 'product', in: ['prod_1', 'price_2'] },
          { fact: 'payment', of: 'subscription', atLeast: 2, atMost: 12 },
          { fact: 'customerMonths', below: 12 },
          { fact: 'lineAmount', currency: 'JPY', atLeastCents: 500 },
          { any: [{ fact: 'quantity', atLeast: 5 }, { fact: 'coupon' }] },
          { fact: 'metadata', key: 'plan' },
        ],
      }),
      durationMonths: 24,
    },
    {
      ...rule(
        'Any',
        {
          any: [
            { fact: 'saleAmount', currency: 'USD', belowCents: 1050 },
            { fact: 'billingInterval', in: ['month', 'half_year'] },
            {
              all: [
                { fact: 'coupon', in: ['SPRING'] },
                { fact: 'country', in: ['DE', 'AT'] },
              ],
            },
            { fact: 'metadata', key: 'plan', in: ['a=b', 'c,d'] },
            { fact: 'link', in: ['maya'] },
            { fact: 'sub', in: ['video'] },
            { fact: 'day', from: '2026-11-01', until: '2026-11-30' },
            { fact: 'payment', of: 'customer', atMost: 1 },
          ],
        },
        { kind: 'flat', amountCents: 250, currency: 'USD', per: 'unit' },
      ),
      durationMonths: null,
    },
    // Spaces that the form would cut off.
    rule('Kept', { all: [{ fact: 'metadata', key: 'plan', in: [' spaced '] }] }),
  ])
  const before = await rewardOf(merchant)
  const changes = await database.audit(merchant)
  const { save, shown, press } = await openReward(merchant)
  expect(shown().text).toContain('This form cannot show the condition.')
  await press('try')
  await save()
  expect(shown().location).toContain('done=saved')
  expect(await rewardOf(merchant)).toEqual(before)
  expect(await database.audit(merchant)).toEqual(changes)
})

test('errors are beside their fields, and nothing is saved', async () => {
  const merchant = await createMerchant()
  const { press, save, shown } = await openReward(merchant)
  for (const [i, fact] of ['product', 'payment', 'customerMonths', 'saleAmount'].entries()) {
    await press('rules.add')
    await press(`rules.${i}.add`, { [`rules.${i}.add`]: fact, [`rules.${i}.name`]: 'Same' })
  }
  await save({
    'rules.0.pay.percent': '101',
    'rules.1.pay.kind': 'sale',
    'rules.1.pay.amountCents': 'ten',
    'rules.2.when.0.atLeast': '12',
    'rules.2.when.0.below': '12',
    'rules.3.when.0.atLeastCents': '1.234',
    'rules.3.duration': 'months',
    'reward.percent': '',
    'try.amount': 'x',
  })
  const { status, html, text } = shown()
  expect(status).toBe(400)
  const named = [...html.matchAll(/<li><a href="#([^"]*)"/g)].map(([, id]) => id)
  expect(named).toEqual([
    'reward.percent',
    'rules.0.when.0.in',
    'rules.0.pay.percent',
    'rules.1.when.0.atLeast',
    'rules.1.pay.amountCents',
    'rules.2.when.0.below',
    'rules.2.pay.percent',
    'rules.3.when.0.atLeastCents',
    'rules.3.durationMonths',
    'rules.3.pay.percent',
    'try.amount',
  ])
  for (const id of named) expect(html).toContain(` id="${id}"`)
  expect(text).toContain('Rule 2: Enter a lower limit, an upper limit, or both.')
  expect(await rewardOf(merchant)).toEqual({ kind: 'percent', percent: 20 })
})

test('rules that never apply are named, and may be saved', async () => {
  const merchant = await createMerchant()
  const first = { all: [{ fact: 'country', in: ['DE', 'FR'] }] }
  await setReward(merchant, [
    rule('Europe', first),
    rule('Germany', { all: [{ fact: 'country', in: ['DE'] }] }),
    rule('Nowhere', { all: [...first.all, { fact: 'country', in: ['US'] }] }),
    rule('Everything', { all: [{ fact: 'payment', atLeast: 1 }] }),
    rule('Left over', { all: [{ fact: 'coupon' }] }),
  ])
  const { shown, save } = await openReward(merchant)
  expect(shown().text).toContain('3 rules never apply: Rule 2 Rule 3 Rule 5')
  expect(shown().text).toContain('rule 1, “Europe”, already decides all that it matches.')
  expect(shown().text).toContain('nothing meets its conditions (Country).')
  expect(shown().text).toContain('rule 4, “Everything”, decides everything.')
  expect((await save()).location).toContain('done=saved')
})

describe('the sale to try', () => {
  test('knows the customer, the coupon, the click, metadata and the day', async () => {
    const merchant = await createMerchant()
    const all = [
      { fact: 'customerMonths', atLeast: 12 },
      { fact: 'payment', of: 'subscription', atLeast: 3 },
      { fact: 'country', in: ['DE'] },
      { fact: 'coupon', in: ['SPRING'] },
      { fact: 'link', in: ['maya'] },
      { fact: 'sub', in: ['video'] },
      { fact: 'metadata', key: 'plan', in: ['team'] },
      { fact: 'day', until: '2026-01-31' },
      { fact: 'billingInterval', in: ['year'] },
      { fact: 'quantity', atLeast: 3 },
    ]
    await setReward(merchant, [rule('Rare', { all })])
    const { press, shown } = await openReward(merchant)
    const sale = {
      'try.months': '13',
      'try.payment': '14',
      'try.subscription': '3',
      'try.country': 'de',
      'try.coupon': 'SPRING',
      'try.link': 'maya',
      'try.sub': 'video',
      'try.metadata': 'seats=3\nplan = team',
      'try.day': '2026-01-31',
      'try.interval': 'year',
      'try.quantity': '3',
    }
    await press('try', sale)
    expect(shown().text).toContain('The partner would earn $30.00.')
    for (const [name, other] of [
      ['try.months', '11'],
      ['try.subscription', '2'],
      ['try.day', '2026-02-01'],
      ['try.metadata', 'plan=solo'],
    ] as const) {
      await press('try', { ...sale, [name]: other })
      expect([name, shown().text.includes('$20.00')]).toEqual([name, true])
    }
    await press('try', { ...sale, 'try.metadata': 'plan', 'try.quantity': '0' })
    expect(shown().status).toBe(400)
    expect(shown().text).toContain('Must be key=value on each line.')
    expect(shown().text).toContain('Correct the fields of the sale')
  })

  test('is decided by the other terms of the program too', async () => {
    const merchant = await createMerchant({ program: { reward_interval: 'one-time' } })
    const { press, shown } = await openReward(merchant)
    await press('try', { 'try.payment': '2', 'try.months': '1' })
    expect(shown().text).toContain('rewards only a customer’s first sale')
  })
})

test('products of recent sales are offered, most sold first', async () => {
  const merchant = await createMerchant()
  const clickId = await merchant.click()
  for (const [i, lines] of [
    [{ productId: 'prod_1', name: 'Team', quantity: 1, amountCents: 4900 }],
    [
      { productId: 'prod_2', quantity: 1, amountCents: 900 },
      { productId: null, quantity: 1, amountCents: 4000 },
    ],
    [{ productId: 'prod_2', quantity: 1, amountCents: 4900 }],
    null,
  ].entries()) {
    const { body } = await merchant.sale({ externalId: `inv_${i}`, clickId })
    await database.query('update events set lines = $2 where id = $1', [
      body.eventId,
      lines && JSON.stringify(lines),
    ])
  }
  const { shown, press } = await openReward(merchant)
  expect(shown().html).toContain(
    '<datalist id="products"><option value="prod_2">prod_2</option><option value="prod_1">Team</option></datalist>',
  )
  await press('rules.add')
  await press('rules.0.add', { 'rules.0.add': 'quantity', 'rules.0.name': 'Seats' })
  await press('try', {
    'rules.0.when.0.atLeast': '5',
    'rules.0.pay.percent': '0',
    'try.product': 'prod_1',
  })
  expect(shown().text).toContain('Team (prod_1)')
})

test('products of Stripe’s catalogue are offered after those of sales, if the key may read them', async () => {
  const merchant = await createMerchant()
  const key = stripeKey()
  const { hostname: host, port } = new URL(inject('stripeUrl'))
  const stripe = new Stripe(key, { host, port, protocol: 'http', telemetry: false })
  const sold = await stripe.products.create({ name: 'Sold' })
  const other = await stripe.products.create({ name: 'Never sold <yet>' })
  const { body } = await merchant.sale({ externalId: 'inv_1', clickId: await merchant.click() })
  await database.query('update events set lines = $2 where id = $1', [
    body.eventId,
    JSON.stringify([{ productId: sold.id, quantity: 1, amountCents: 4900 }]),
  ])
  const saveKey = async (saved: string) => {
    const manager = await merchant.asManager()
    expect((await manager.put('/stripe/key', { key: saved })).status).toBe(200)
  }
  const offered = async () => {
    const { html } = (await openReward(merchant)).shown()
    const [, list = ''] = /<datalist id="products">(.*?)<\/datalist>/s.exec(html) ?? []
    return list
  }
  expect(await offered()).toBe(`<option value="${sold.id}">${sold.id}</option>`)
  await saveKey(key)
  const list = await offered()
  expect(list).toMatch(new RegExp(`^<option value="${sold.id}">Sold</option>`))
  expect(list).toContain(`<option value="${other.id}">Never sold &lt;yet&gt;</option>`)
  expect(list.match(new RegExp(sold.id, 'g'))).toHaveLength(1)
  await saveKey(`${key.replace('sk_', 'rk_')}_lacks_product_read`)
  expect(await offered()).toBe(`<option value="${sold.id}">${sold.id}</option>`)
})

test('the form of a program, and of a group, keeps the rules of its reward', async () => {
  const merchant = await createMerchant({ group: { name: 'Gold' } })
  const rules = [rule('Germany', { all: [{ fact: 'country', in: ['DE'] }] })]
  await setReward(merchant, rules)
  const pages = await openPages(merchant)
  const path = `/programs/${merchant.programId}`
  const page = await pages.get(path)
  expect(page.text).toContain('Reward rules (1)…')
  await pages.post(path, { ...otherFieldsOf(page.html), 'reward.percent': '25' })
  expect(await rewardOf(merchant)).toEqual({ kind: 'percent', percent: 25, rules })

  const manager = await merchant.asManager()
  const { body } = await manager.get(`${path}/groups`)
  const [group] = body.data as { id: string }[]
  const groupPath = `/groups/${group?.id}`
  const saleReward = { kind: 'percent', percent: 40, rules }
  await manager.patch(groupPath, { saleReward })
  const groupPage = await pages.get(groupPath)
  await pages.post(groupPath, { ...otherFieldsOf(groupPage.html), name: 'Silver' })
  expect((await manager.get(groupPath)).body).toMatchObject({ name: 'Silver', saleReward })
})

test('a group has a reward of its own, or its program’s', async () => {
  const merchant = await createMerchant({ group: { name: 'Gold' } })
  const manager = await merchant.asManager()
  const [group] = (await manager.get(`/programs/${merchant.programId}/groups`)).body.data as {
    id: string
  }[]
  const path = `/groups/${group?.id}`
  const { press, save, shown } = await openReward(merchant, path)
  expect(shown().text).toContain('The partner would earn $20.00.')
  await press('rules.add')
  await press('rules.0.add', { 'rules.0.add': 'coupon', 'rules.0.name': 'Coupons' })
  await save({ 'rules.0.pay.percent': '10' })
  expect(shown().text).toContain('Choose a reward, or remove the rules.')
  await save({ 'reward.kind': 'percent', 'reward.percent': '50' })
  expect((await manager.get(path)).body.saleReward).toEqual({
    kind: 'percent',
    percent: 50,
    rules: [rule('Coupons', { all: [{ fact: 'coupon' }] }, { kind: 'percent', percent: 10 })],
  })
  const again = await openReward(merchant, path)
  await again.press('rules.0.remove', { 'reward.kind': '' })
  expect((await again.save()).location).toContain('done=saved')
  expect((await manager.get(path)).body.saleReward).toBeNull()
})

test('a partner has a reward of its own, which is compared for this partner', async () => {
  const merchant = await createMerchant()
  await merchant.seed.addPartner(merchant.workspace.id, merchant.programId, { slug: 'leo' })
  for (const slug of ['maya', 'leo'])
    await merchant.sale({
      externalId: slug,
      customerExternalId: slug,
      clickId: await merchant.click(slug),
    })
  await merchant.sale({
    externalId: 'renewal',
    customerExternalId: 'maya',
    clickId: await merchant.click('maya'),
  })
  const path = `/partners/${merchant.partnerId}`
  const { pages, press, compare, save, shown } = await openReward(merchant, path)
  await press('rules.add', { 'reward.kind': 'percent', 'reward.percent': '40' })
  await press('rules.0.add', { 'rules.0.add': 'payment', 'rules.0.name': 'Renewals' })
  await press('try', { 'rules.0.when.0.atLeast': '2', 'rules.0.pay.percent': '10' })
  expect(shown().text).toContain('The partner would earn $40.00.')
  await compare()
  expect(shown().status).toBe(200)
  expect(shown().text).toMatch(/maya \$19\.60 \$24\.50 \+\$4\.90/)
  expect(shown().text).not.toContain('leo')
  expect((await save()).location).toContain('done=saved')
  const manager = await merchant.asManager()
  const reward = {
    kind: 'percent',
    percent: 40,
    rules: [
      rule(
        'Renewals',
        { all: [{ fact: 'payment', atLeast: 2 }] },
        { kind: 'percent', percent: 10 },
      ),
    ],
  }
  expect((await manager.get(path)).body.reward).toEqual(reward)
  const page = await pages.get(path)
  expect(page.text).toContain('Reward rules (1)…')

  const again = await openReward(merchant, path)
  await again.press('rules.0.remove', { 'reward.kind': '' })
  await again.compare()
  expect(again.shown().text).toMatch(/maya \$24\.50 \$19\.60 -\$4\.90/)
  await again.save()
  expect((await manager.get(path)).body.reward).toBeNull()
})
