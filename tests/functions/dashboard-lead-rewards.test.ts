import { expect, test } from 'vitest'
import { everything } from '../support/imports.ts'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'
import { openReward } from '../support/reward-pages.ts'

const database = useDatabase()

/** The page of a group's reward for leads. */
const openLeadReward = async (merchant: Merchant) => {
  const manager = await merchant.asManager()
  const { body } = await manager.get(`/programs/${merchant.programId}/groups`)
  const [group] = body.data as { id: string }[]
  const path = `/groups/${group?.id}`
  const saved = async () => (await manager.get(path)).body.leadReward
  return { manager, group: path, saved, ...(await openReward(merchant, path, 'lead-reward')) }
}

const countries = (...codes: string[]) => ({ all: [{ fact: 'country', in: codes }] })
const flat = (amountCents: number, currency = 'USD') => ({ kind: 'flat', amountCents, currency })

test('rules of leads are built, tried and compared, and nothing is saved until it is asked for', async () => {
  const merchant = await createMerchant({ group: { name: 'Gold' } })
  const { group, pages, press, compare, save, saved, shown } = await openLeadReward(merchant)
  for (const country of ['US', 'DE'])
    await merchant.lead({
      externalId: country,
      customerExternalId: country,
      customerCountry: country,
      clickId: await merchant.click(),
    })
  const before = await everything(database, merchant)
  expect(shown().text).toContain('Lead reward of Gold')
  expect(shown().text).toContain('No rules yet. The base reward decides every lead.')
  expect(shown().text).toContain('The partner would earn nothing.')

  await press('rules.add')
  expect(shown().text).toContain('Complete the rules to see what this lead earns.')
  const [, offered = ''] = /name="rules.0.add"[^>]*>(.*?)<\/select>/s.exec(shown().html) ?? []
  expect([...offered.matchAll(/value="(\w+)"/g)].map(([, fact]) => fact)).toEqual([
    'coupon',
    'metadata',
    'country',
    'link',
    'sub',
    'tier',
    'day',
    'group',
  ])
  expect(shown().html).not.toMatch(/name="rules\.0\.(pay\.percent|duration)"|value="unit"/)

  await press('rules.0.add', { 'rules.0.name': 'United States', 'rules.0.add': 'country' })
  await press('try', {
    'rules.0.when.0.in': 'us',
    'rules.0.pay.amountCents': '15',
    'reward.kind': 'flat',
    'reward.amountCents': '1.00',
    'try.country': 'us',
  })
  expect(shown().status).toBe(200)
  expect(shown().text).toContain('The partner would earn $15.00.')
  expect(shown().text).toContain('the rule “United States” pays')
  expect(shown().text).toContain('pays $15.00 per lead')
  await press('try', { 'try.country': 'de' })
  expect(shown().text).toContain('The partner would earn $1.00.')
  await compare()
  expect(shown().status).toBe(200)
  expect(shown().text).toMatch(/maya \$0\.00 \$16\.00 \+\$16\.00/)
  expect(await everything(database, merchant)).toEqual(before)

  expect((await save()).location).toMatch(/\/lead-reward\?done=saved$/)
  expect((await pages.get(`${group}/lead-reward?done=saved`)).text).toContain('Reward saved.')
  const rules = [{ name: 'United States', when: countries('US'), pay: flat(1500) }]
  expect(await saved()).toEqual({ ...flat(100), rules })
  expect((await pages.get(group)).text).toContain('Lead reward rules (1)…')
})

test('the lead to try knows the country, coupon, click, tier, metadata and day', async () => {
  const merchant = await createMerchant({ group: { name: 'Gold' } })
  const { manager, group } = await openLeadReward(merchant)
  const levels = [
    { name: 'Silver', atLeast: 10 },
    { name: 'Gold', atLeast: 50 },
  ]
  const tiers = { by: 'sales', period: 'ever', levels }
  expect((await manager.patch(`/programs/${merchant.programId}`, { tiers })).status).toBe(200)
  const all = [
    { fact: 'country', in: ['DE'] },
    { fact: 'coupon', in: ['SPRING'] },
    { fact: 'link', in: ['maya'] },
    { fact: 'sub', in: ['video'] },
    { fact: 'tier', in: ['Gold'] },
    { fact: 'metadata', key: 'plan', in: ['team'] },
    { fact: 'day', until: '2026-01-31' },
  ]
  const rules = [{ name: 'Rare', when: { all }, pay: flat(900, 'EUR') }]
  const leadReward = { ...flat(100), rules }
  expect((await manager.patch(group, { leadReward })).status).toBe(200)
  const { press, shown, save, saved } = await openLeadReward(merchant)
  const lead = {
    'try.country': 'de',
    'try.coupon': 'spring',
    'try.link': 'maya',
    'try.sub': 'video',
    'try.tier': 'Gold',
    'try.metadata': 'seats=3\nplan = team',
    'try.day': '2026-01-31',
  }
  await press('try', lead)
  expect(shown().text).toMatch(/The partner would earn (€9\.00|9\.00 EUR)\./)
  for (const [name, other] of [
    ['try.country', 'FR'],
    ['try.coupon', ''],
    ['try.link', 'leo'],
    ['try.sub', 'blog'],
    ['try.tier', 'Silver'],
    ['try.metadata', 'plan=solo'],
    ['try.day', '2026-02-01'],
  ] as const) {
    await press('try', { ...lead, [name]: other })
    expect([name, /would earn (\$1\.00|1\.00 USD)/.test(shown().text)]).toEqual([name, true])
  }
  await press('try', { ...lead, 'try.day': 'soon' })
  expect(shown().status).toBe(400)
  expect(shown().text).toContain('Correct the fields of the lead to see what it earns.')
  await save()
  expect(await saved()).toEqual(leadReward)
})

test('a rule may pay nothing, errors are beside their fields, and the reward can be removed', async () => {
  const merchant = await createMerchant({ group: { name: 'Gold' } })
  const { press, save, saved, shown } = await openLeadReward(merchant)
  await press('rules.add')
  await press('rules.0.add', { 'rules.0.name': 'Tests', 'rules.0.add': 'sub' })
  await save({ 'rules.0.when.0.in': 'test', 'rules.0.pay.kind': 'none' })
  expect(shown().text).toContain('Choose a reward, or remove the rules.')
  await save({ 'reward.kind': 'flat', 'reward.amountCents': '', 'rules.0.pay.kind': 'sale' })
  expect(shown().status).toBe(400)
  expect([...shown().html.matchAll(/<li><a href="#([^"]*)"/g)].map(([, id]) => id)).toEqual([
    'reward.amountCents',
    'rules.0.pay.amountCents',
  ])
  expect(await saved()).toBeNull()
  await save({ 'reward.amountCents': '2.50', 'rules.0.pay.kind': 'none' })
  expect(await saved()).toEqual({
    ...flat(250),
    rules: [
      {
        name: 'Tests',
        when: { all: [{ fact: 'sub', in: ['test'] }] },
        pay: { kind: 'none' },
      },
    ],
  })
  const again = await openLeadReward(merchant)
  await again.press('rules.0.remove', { 'reward.kind': '' })
  expect((await again.save()).location).toContain('done=saved')
  expect(await saved()).toBeNull()
})
