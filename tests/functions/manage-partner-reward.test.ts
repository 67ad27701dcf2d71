/** A partner's own reward for sales: who sets it, who sees it, and which sales it decides. */
import { describe, expect, test } from 'vitest'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'
import { openPages } from '../support/pages.ts'
import { newImport } from '../support/undo.ts'

const database = useDatabase()

const percent = (share: number) => ({ kind: 'percent', percent: share })
const five = { kind: 'flat', amountCents: 500, currency: 'USD' }
const withRule = {
  ...percent(50),
  rules: [
    {
      name: 'Large sales',
      when: { all: [{ fact: 'saleAmount', currency: 'USD', atLeastCents: 10_000 }] },
      pay: { kind: 'none' },
    },
  ],
}

const open = async () => {
  const merchant = await createMerchant({ group: {} })
  const as = await merchant.asManager()
  const { body } = await as.get(`/programs/${merchant.programId}/groups`)
  const [group] = body.data as { id: string }[]
  const set = (reward: unknown) => as.patch(`/partners/${merchant.partnerId}`, { reward })
  return { merchant, as, group: `/groups/${group?.id}`, set }
}

const former = async ({ partnerId }: Merchant) =>
  (await database.query('select from former_partner_terms where partner_id = $1', [partnerId]))
    .length

/** What a sale earned, and the step that names the reward. */
const decisionOf = async (merchant: Merchant, sale: Record<string, unknown>) => {
  const { body } = await merchant.sale(sale)
  const { commission, steps } = await merchant.explain(body.eventId)
  const step = steps.find(({ code }) => /^(partner|group|program)_reward$/.test(code))
  return [commission?.amountCents, step?.code]
}

describe('a partner’s own reward', () => {
  test('is null at first, and answered as it was set, by the partner and in lists', async () => {
    const { merchant, as, set } = await open()
    const path = `/partners/${merchant.partnerId}`
    expect((await as.get(path)).body.reward).toBeNull()
    expect(await set(withRule)).toMatchObject({ status: 200, body: { reward: withRule } })
    expect((await merchant.get(path)).body.reward).toEqual(withRule)
    expect((await merchant.get('/partners')).body.data).toMatchObject([{ reward: withRule }])
    const { body } = await as.get('/export/partners.csv')
    expect(body.text).toContain('"{""kind"":""percent"",""percent"":50')
    expect((await set(null)).body.reward).toBeNull()
  })

  test('is audited, and makes a new reward and former terms only if it differs', async () => {
    const { merchant, as, set } = await open()
    const count = await database.rewards(merchant)
    await set(percent(50))
    await set(percent(50))
    await as.patch(`/partners/${merchant.partnerId}`, { name: 'Maya' })
    expect(await database.rewards(merchant)).toBe(count + 1)
    expect(await former(merchant)).toBe(1)
    await set(null)
    await set(null)
    expect(await database.rewards(merchant)).toBe(count + 1)
    expect(await former(merchant)).toBe(2)
    const changes = (await database.audit(merchant)).filter(({ details }) => 'reward' in details)
    expect(changes).toMatchObject([
      {
        action: 'partner.changed',
        subject_id: merchant.partnerId,
        details: { reward: { from: null, to: percent(50) } },
      },
      { details: { reward: { from: percent(50), to: null } } },
    ])
  })

  test('decides sales instead of the group’s and the program’s, but no leads', async () => {
    const { merchant, as, group, set } = await open()
    await as.patch(group, { saleReward: percent(30), leadReward: five })
    const clickId = await merchant.click()
    expect(await decisionOf(merchant, { clickId, externalId: 'a' })).toEqual([
      1_470,
      'group_reward',
    ])
    await set(withRule)
    expect(await decisionOf(merchant, { clickId, externalId: 'b' })).toEqual([
      2_450,
      'partner_reward',
    ])
    const large = { clickId, externalId: 'c', amountCents: 10_000 }
    expect(await decisionOf(merchant, large)).toEqual([undefined, 'partner_reward'])
    const lead = await merchant.lead({ clickId, externalId: 'ann' })
    expect((await merchant.explain(lead.body.eventId)).commission?.amountCents).toBe(500)

    await set(null)
    expect(await decisionOf(merchant, { clickId, externalId: 'd' })).toEqual([
      1_470,
      'group_reward',
    ])
    await as.patch(`/partners/${merchant.partnerId}`, { groupId: null })
    expect(await decisionOf(merchant, { clickId, externalId: 'e' })).toEqual([
      980,
      'program_reward',
    ])
    expect(await database.violations(merchant.workspace.id)).toEqual([])
  })

  test('decides a sale that is reported late if it was in force when the sale was paid', async () => {
    const { merchant, set } = await open()
    const clickId = await merchant.click()
    /** Never a whole second, which stands for any time in it. */
    const now = () => new Date(Date.now() + (Date.now() % 1_000 ? 0 : 1)).toISOString()
    const moments = [now()]
    for (const reward of [withRule, percent(10), null]) {
      await set(reward)
      moments.push(now())
    }
    const decisions = []
    for (const [i, occurredAt] of moments.entries())
      decisions.push(await decisionOf(merchant, { clickId, externalId: `sale_${i}`, occurredAt }))
    expect(decisions).toEqual([
      [980, 'program_reward'],
      [2_450, 'partner_reward'],
      [490, 'partner_reward'],
      [980, 'program_reward'],
    ])
    expect(await database.violations(merchant.workspace.id)).toEqual([])
  })

  test('stays when the partner is banned, changes its group or is imported again', async () => {
    const { merchant, as, set } = await open()
    await set(five)
    const path = `/partners/${merchant.partnerId}`
    const { body } = await as.patch(path, { groupId: null, status: 'banned' })
    expect(body.reward).toEqual(five)
    const rows = [{ email: body.email }]
    await as.post('/partners/import', { programId: merchant.programId, rows })
    expect((await as.get(path)).body.reward).toEqual(five)
  })

  test('is a change: the import of the partner can’t be undone', async () => {
    const { merchant, as } = await open()
    const { importId } = newImport()
    const rows = [{ email: 'leo@x.example' }]
    await as.post('/partners/import', { programId: merchant.programId, importId, rows })
    const { body } = await as.get('/partners?email=leo@x.example')
    const [leo] = body.data as { id: string }[]
    await as.patch(`/partners/${leo?.id}`, { reward: five })
    expect((await as.post(`/imports/${importId}/undo`, {})).status).toBe(409)
    expect((await as.get(`/partners/${leo?.id}`)).body.reward).toEqual(five)
  })
})

describe('a partner’s own reward is refused', () => {
  test('if it is none, with the path of what is wrong', async () => {
    const { set } = await open()
    for (const [reward, path] of [
      [5, 'reward'],
      [percent(101), 'reward.percent'],
      [{ ...percent(1), rules: [{ name: 'A', when: {}, pay: five }] }, 'reward.rules.0.when'],
    ])
      expect(await set(reward)).toMatchObject({
        status: 400,
        body: { error: { code: 'invalid_body', details: [{ path }] } },
      })
  })

  test('of members without the right, of other workspaces and of keys that only read', async () => {
    const { merchant, as } = await open()
    const path = `/partners/${merchant.partnerId}`
    const change = { reward: percent(99) }
    const member = merchant.as(await merchant.member())
    expect(await member.patch(path, change)).toMatchObject({ status: 403 })
    const other = await (await createMerchant()).asManager()
    expect(await other.patch(path, change)).toMatchObject({ status: 404 })
    const { body } = await as.post('/api-keys', { name: 'Reads', scopes: ['read'] })
    const reader = merchant.withHeaders({ Authorization: `Bearer ${body.key}` })
    expect(await reader.patch(path, change)).toMatchObject({ status: 403 })
    expect((await as.get(path)).body.reward).toBeNull()
  })
})

test('the partner’s page sets an own reward, keeps its rules, and takes it away', async () => {
  const { merchant, as, set } = await open()
  const path = `/partners/${merchant.partnerId}`
  const pages = await openPages(merchant)
  const current = async () => (await as.get(path)).body.reward
  const save = (fields: Record<string, string>) => pages.post(path, { name: 'Maya', ...fields })

  expect(await save({ 'reward.kind': 'percent', 'reward.percent': '35' })).toMatchObject({
    status: 303,
  })
  expect(await current()).toEqual(percent(35))
  expect((await pages.get(path)).text).toContain('Own reward 35% of each sale')

  await set(withRule)
  await save({ 'reward.kind': 'percent', 'reward.percent': '40' })
  expect(await current()).toEqual({ ...withRule, percent: 40 })

  const refused = await save({ 'reward.kind': 'percent', 'reward.percent': '140' })
  expect(refused).toMatchObject({ status: 400, html: expect.stringContaining('0 to 100') })
  expect(await current()).toEqual({ ...withRule, percent: 40 })

  await save({})
  expect(await current()).toBeNull()
})
