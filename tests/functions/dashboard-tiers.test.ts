import { expect, test } from 'vitest'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'
import { fieldsOf, openPages } from '../support/pages.ts'
import { openReward } from '../support/reward-pages.ts'

const database = useDatabase()

const pathOf = (merchant: Merchant) => `/programs/${merchant.programId}`

const termsOf = async (merchant: Merchant) => (await merchant.get(pathOf(merchant))).body

/** The fields of a page with errors, in the order of the summary. */
const named = (html: string) => [...html.matchAll(/<li><a href="#([^"]*)"/g)].map(([, id]) => id)

const groupIdOf = async (merchant: Merchant) => {
  const [group] = await database.query<{ id: string }>(
    'select id from groups where program_id = $1',
    [merchant.programId],
  )
  return group?.id ?? ''
}

test('tiers are added, removed and saved without script, as by the API', async () => {
  const merchant = await createMerchant({ group: { name: 'Stars' } })
  const groupId = await groupIdOf(merchant)
  const { press, save, shown, fields } = await openReward(merchant, pathOf(merchant), 'tiers')
  expect(shown().text).toContain('No tiers yet.')
  for (const _ of [1, 2, 3]) await press('levels.add')
  await press('levels.1.remove', {
    'levels.0.name': 'Silver',
    'levels.0.from': '1000.00',
    'levels.1.name': 'Mistake',
    'levels.2.name': 'Gold',
    'levels.2.from': '12300.5',
    'levels.2.groupId': groupId,
    'levels.2.movesBack': 'on',
    period: 'quarter',
    timeZone: 'Europe/Berlin',
  })
  expect(fields()).toMatchObject({ 'levels.1.name': 'Gold', 'levels.1.movesBack': 'on' })
  expect((await termsOf(merchant)).tiers).toBeNull()

  expect((await save()).location).toContain('/tiers?done=saved')
  const levels = [
    { name: 'Silver', atLeastCents: 100_000 },
    { name: 'Gold', atLeastCents: 1_230_050, groupId, movesBack: true },
  ]
  const shared = { period: 'quarter', timeZone: 'Europe/Berlin' }
  expect((await termsOf(merchant)).tiers).toEqual({
    by: 'netSales',
    currency: 'USD',
    ...shared,
    levels,
  })
  const pages = await openPages(merchant)
  expect((await pages.get('/audit')).text).toContain(
    'tiers from none to “Silver” from $1,000.00, “Gold” from $12,300.50 with a group until it falls below, by net sales in the calendar quarter (Europe/Berlin)',
  )
  const changes = await database.audit(merchant)
  await (await openReward(merchant, pathOf(merchant), 'tiers')).save()
  expect(await database.audit(merchant)).toEqual(changes)
  const again = await openReward(merchant, pathOf(merchant), 'tiers')
  await again.press('levels.0.remove')
  await again.save({ by: 'customers', 'levels.0.from': '10', 'levels.0.groupId': '' })
  expect((await termsOf(merchant)).tiers).toEqual({
    by: 'customers',
    ...shared,
    levels: [{ name: 'Gold', atLeast: 10 }],
  })
  const last = await openReward(merchant, pathOf(merchant), 'tiers')
  await last.press('levels.0.remove')
  await last.save()
  expect((await termsOf(merchant)).tiers).toBeNull()
})

test('wrong tiers have their errors beside their fields', async () => {
  const merchant = await createMerchant()
  const { press, save, shown } = await openReward(merchant, pathOf(merchant), 'tiers')
  for (const _ of [1, 2, 3, 4]) await press('levels.add')
  await save({
    currency: 'NOPE',
    timeZone: 'Nowhere',
    'levels.0.name': 'Silver',
    'levels.0.from': '10',
    'levels.1.name': 'Silver',
    'levels.1.from': '1.234',
    'levels.2.from': '9',
    'levels.3.name': 'Gold',
    'levels.3.from': '9',
  })
  expect(shown().status).toBe(400)
  expect(named(shown().html)).toEqual([
    'currency',
    'timeZone',
    'levels.1.from',
    'levels.1.name',
    'levels.2.name',
    'levels.3.from',
  ])
  for (const id of named(shown().html)) expect(shown().html).toContain(` id="${id}"`)
  expect(shown().text).toContain('Tier 4: Must be more than the tier before.')
  const right = { currency: 'USD', timeZone: 'UTC', 'levels.1.name': 'Better' }
  const from = { 'levels.1.from': '11', 'levels.2.from': '12', 'levels.3.from': '13' }
  const other = '00000000-0000-4000-8000-000000000000'
  await save({ ...right, ...from, 'levels.2.name': 'Best', 'levels.3.groupId': other })
  expect(named(shown().html)).toEqual(['levels.3.groupId'])
  expect(shown().text).toContain('Tier 4: Must be the id of a group of the program.')
  await save({ by: 'sales', 'levels.0.from': '1.5' })
  expect(shown().text).toContain('Tier 1: Must be a whole number from 1.')
  expect((await termsOf(merchant)).tiers).toBeNull()
})

test('bonuses are added and saved without script, and say since when', async () => {
  const merchant = await createMerchant()
  const { press, save, shown } = await openReward(merchant, pathOf(merchant), 'bonuses')
  await press('bonuses.add')
  await press('bonuses.add', {
    'bonuses.0.name': 'First ten',
    'bonuses.0.by': 'customers',
    'bonuses.0.from': '10',
    'bonuses.0.amount': '250',
    'bonuses.0.paysCurrency': 'eur',
  })
  await save({ 'bonuses.1.name': 'First ten' })
  expect(shown().status).toBe(400)
  expect(named(shown().html)).toEqual(['bonuses.1.amount', 'bonuses.1.from', 'bonuses.1.name'])
  await save({ 'bonuses.1.name': 'Sold', 'bonuses.1.from': '5000', 'bonuses.1.amount': '99.95' })
  expect(shown().location).toContain('/bonuses?done=saved')
  const saved = await termsOf(merchant)
  expect(saved.bonuses).toMatchObject([
    {
      by: 'customers',
      atLeast: 10,
      name: 'First ten',
      pays: { amountCents: 25_000, currency: 'EUR' },
    },
    {
      by: 'netSales',
      currency: 'USD',
      atLeastCents: 500_000,
      name: 'Sold',
      pays: { amountCents: 9_995, currency: 'USD' },
    },
  ])
  const pages = await openPages(merchant)
  expect((await pages.get('/audit')).text).toContain(
    'bonuses from none to 250.00 EUR for 10 customers (“First ten”), 99.95 USD for 5,000.00 USD in net sales (“Sold”)',
  )
  const again = await openReward(merchant, pathOf(merchant), 'bonuses')
  expect(again.shown().text.match(/Added on/g)).toHaveLength(2)
  await again.save()
  expect(await termsOf(merchant)).toEqual(saved)
})

test('the form of a program has the budget and one-time rewards per product, and keeps the rest', async () => {
  const merchant = await createMerchant()
  const manager = await merchant.asManager()
  const path = pathOf(merchant)
  const tiers = {
    by: 'sales',
    period: 'ever',
    timeZone: 'UTC',
    levels: [{ name: 'Gold', atLeast: 5 }],
  }
  const caps = [{ per: 'customer', amountCents: 50_000, currency: 'USD' }]
  await manager.patch(path, {
    tiers,
    bonuses: [
      { by: 'sales', atLeast: 3, name: 'Three', pays: { amountCents: 100, currency: 'USD' } },
    ],
    reward: { kind: 'percent', percent: 20, caps },
  })
  const before = await termsOf(merchant)
  const pages = await openPages(merchant)
  const page = await pages.get(path)
  expect(page.text).toContain('Tiers (1)…')
  expect(page.text).toContain('Bonuses (1)…')
  const fields = fieldsOf(page.html)
  const budget = { ...fields, 'monthlyBudget.amountCents': '5000', rewardInterval: 'one-time' }
  const refused = { ...budget, 'monthlyBudget.amountCents': '5,000' }
  expect((await pages.post(path, refused)).text).toContain('Must be an amount such as 5000.00.')
  await pages.post(path, { ...budget, oneTimePer: 'product', 'monthlyBudget.currency': 'eur' })
  expect(await termsOf(merchant)).toEqual({
    ...before,
    rewardInterval: 'one-time',
    oneTimePer: 'product',
    monthlyBudget: { amountCents: 500_000, currency: 'EUR' },
  })
  expect((await pages.get('/audit')).text).toContain(
    'one-time reward once per from customer to product, monthly budget from none to 5,000.00 EUR',
  )
  const asMember = await (await openPages(merchant, 'member')).get(path)
  expect(asMember.text).toContain('“Gold” from 5 sales, by sales in all (UTC)')
  expect(asMember.text).toContain('A customer’s first sale of each product')
  await pages.post(path, fields)
  expect(await termsOf(merchant)).toEqual(before)
})

test('rules that ask for a tier which the program does not have are named', async () => {
  const merchant = await createMerchant()
  const manager = await merchant.asManager()
  const path = pathOf(merchant)
  const rule = (name: string, ...tiers: string[]) => ({
    name,
    when: { all: [{ fact: 'tier', in: tiers }] },
    pay: { kind: 'percent', percent: 30 },
  })
  const levels = ['Silver', 'Gold'].map((name, i) => ({ name, atLeast: i + 1 }))
  const reward = {
    kind: 'percent',
    percent: 20,
    rules: [rule('Old', 'Platinum'), rule('Best', 'Gold', 'Silver', 'Platinum')],
    caps: [{ per: 'sale', amountCents: 2_500, currency: 'USD' }],
  }
  await manager.patch(path, {
    tiers: { by: 'sales', period: 'ever', levels },
    reward,
  })
  const pages = await openPages(merchant)
  const unknown = 'Rules of rewards ask for a tier that the program does not have: “Platinum”.'
  expect((await pages.get(`${path}/tiers`)).text).toContain(unknown)

  const { press, save, shown, fields } = await openReward(merchant)
  expect(shown().text).toContain('Never applies: the program has no tier “Platinum”.')
  expect(shown().text).toContain('A rule never applies: Rule 1')
  expect(shown().text).toContain('Platinum (no tier of the program)')
  await press('try', { 'try.tier': 'Gold' })
  expect(shown().text).toContain('The sale: the rule “Best” pays 30%, $30.00')
  const changes = await database.audit(merchant)
  await (await openReward(merchant)).save()
  expect(await database.audit(merchant)).toEqual(changes)

  await press('caps.add')
  await save({ 'caps.1.amountCents': '1', 'caps.1.per': 'sale' })
  expect(named(shown().html)).toEqual(['caps.1'])
  expect(shown().text).toContain('Cap 2: Must be unique')
  await press('caps.0.remove', { 'rules.1.when.0.in.2': '' })
  expect(fields()).toMatchObject({ 'caps.0.amountCents': '1', 'caps.0.per': 'sale' })
  await save({ 'caps.0.per': 'partner_month', 'caps.0.amountCents': '1000.00' })
  expect(shown().location).toContain('done=saved')
  expect((await termsOf(merchant)).reward).toEqual({
    ...reward,
    rules: [rule('Old', 'Platinum'), rule('Best', 'Gold', 'Silver')],
    caps: [{ per: 'partner_month', amountCents: 100_000, currency: 'USD' }],
  })
})
