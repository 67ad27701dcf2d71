/**
 * The rewards of another platform, as their page shows them and as programs and groups take them.
 * Workers and a database of their own, because the queue of readings is read by all.
 */
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { applySchema } from '../../cli/schema.ts'
import { type OldProgram, oldProgram } from '../../dev/fakes/sources/program.ts'
import { type SourcesFake, startSources } from '../../dev/fakes/sources.ts'
import { startSqlEndpoint } from '../../dev/runtime/sql-endpoint.ts'
import type { Workers } from '../../dev/runtime/workers.ts'
import { newId } from '../../lib/db/ids.ts'
import { createDatabase, dropDatabase, TEMPLATE } from '../support/databases.ts'
import { createMerchant } from '../support/merchant.ts'
import { browse, formsOf } from '../support/pages.ts'
import { startOwnWorkers } from '../support/workers.ts'

const name = `import_rewards_${newId().replaceAll('-', '')}`
let database: { DATABASE_URL: string; SQL_ENDPOINT: string }
let endpoint: Awaited<ReturnType<typeof startSqlEndpoint>>
let fake: SourcesFake
let workers: Workers

beforeAll(async () => {
  const url = await createDatabase(inject('database').DATABASE_URL, name, TEMPLATE)
  await applySchema(url)
  ;[endpoint, fake] = await Promise.all([
    startSqlEndpoint({ databaseUrl: url, keepPlans: true }),
    startSources(),
  ])
  database = { DATABASE_URL: url, SQL_ENDPOINT: endpoint.url }
  workers = await startOwnWorkers(['auth', 'dashboard', 'import-source', 'manage'], {
    ...database,
    SOURCES_URL: fake.url,
  })
})
afterAll(async () => {
  await workers?.stop()
  await fake?.stop()
  await endpoint?.stop()
  await dropDatabase(inject('database').DATABASE_URL, name)
})

let tokens = 0

/** A merchant, its API as a manager, and its pages. */
const openShop = async () => {
  const merchant = await createMerchant({ baseUrl: workers.url.origin, database })
  const base = `/${merchant.workspace.slug}`
  const pagesOf = (cookie: string) => {
    const { get, post } = browse(cookie, workers.url.origin)
    return {
      get: (path: string) => get(base + path),
      post: (path: string, fields: Record<string, string>) => post(base + path, fields),
    }
  }
  const manager = await merchant.asManager()
  return { merchant, base, manager, pagesOf, pages: pagesOf(await merchant.manager()) }
}

type Shop = Awaited<ReturnType<typeof openShop>>

/** Reads a program by API to its end. */
const readProgram = async (
  { merchant, manager }: Shop,
  platform: 'rewardful' | 'dub',
  program: OldProgram,
) => {
  const token = `secret_${tokens++}`
  fake.addAccount(platform, token, program)
  const { body } = await manager.post('/import-sources', {
    programId: merchant.programId,
    platform,
    token,
  })
  await vi.waitFor(
    async () => expect((await manager.get(`/import-sources/${body.id}`)).body.status).toBe('ready'),
    { timeout: 60_000, interval: 20 },
  )
  return body.id
}

/** The fields of the forms that use a reward, in the order of the page. */
const usesIn = (html: string) =>
  formsOf(html).flatMap(({ action, fields }) => (action.endsWith('/use') ? [fields] : []))

const SIZE = { partners: 10, links: 10, customers: 5 }
const GERMANY = { entity: 'customer', attribute: 'country', operator: 'equals_to', value: 'DE' }

test('Dub’s rewards are shown with their groups, and a program and a group take them', async () => {
  const shop = await openShop()
  const { merchant, base, manager, pages } = shop
  const program = oldProgram(SIZE)
  const [vip, standard] = program.rewards
  if (!vip || !standard) throw new Error('The program has two rewards.')
  vip.modifiers = [
    { type: 'percentage', amountInPercentage: 40, conditions: [GERMANY] },
    {
      type: 'percentage',
      amountInPercentage: 50,
      conditions: [GERMANY, { ...GERMANY, entity: 'partner' }],
    },
  ]
  const sourceId = await readProgram(shop, 'dub', program)
  const { body: group } = await manager.post(`/programs/${merchant.programId}/groups`, {
    name: 'VIP',
  })
  const { body: before } = await manager.get(`/programs/${merchant.programId}`)

  const { text, html } = await pages.get('/import/rewards')
  expect(text).toContain(
    'Reward of Default Dub Default (8 partners) Here 20% of each sale Duration Every sale for 12 months',
  )
  expect(text).toContain(
    'Reward of VIP Dub VIP (2 partners) Here 40% for “Country DE”, 30% for everything else Duration Every sale, without end ' +
      'What is not taken over, or works differently: Condition 2 (50%) is not taken over: the condition on “partner.country” has no counterpart here.',
  )
  expect(html).toContain('&quot;attribute&quot;: &quot;country&quot;')

  // Reading and importing change no reward.
  expect((await manager.get(`/programs/${merchant.programId}`)).body).toEqual(before)

  const [toProgram, toGroup] = usesIn(html)
  const done = await pages.post('/import/rewards/use', toProgram ?? {})
  expect([done.status, done.location]).toEqual([
    303,
    `/app${base}/programs/${merchant.programId}?done=saved`,
  ])
  expect((await manager.get(`/programs/${merchant.programId}`)).body).toEqual({
    ...before,
    reward: { kind: 'percent', percent: 20 },
    rewardInterval: 'recurring',
    rewardDurationMonths: 12,
  })
  const saved = await pages.post('/import/rewards/use', {
    ...toGroup,
    target: `group/${group.id}`,
  })
  expect(saved.location).toBe(`/app${base}/groups/${group.id}?done=saved`)
  expect((await manager.get(`/groups/${group.id}`)).body).toMatchObject({
    saleReward: {
      kind: 'percent',
      percent: 30,
      rules: [
        {
          name: 'Country DE',
          when: { all: [{ fact: 'country', in: ['DE'] }] },
          pay: { kind: 'percent', percent: 40 },
        },
      ],
    },
  })

  // What was read is discarded, and its rewards with it.
  expect((await manager.delete(`/import-sources/${sourceId}`)).status).toBe(204)
  expect((await pages.get('/import/rewards')).text).toContain('No rewards have been read.')
})

test('Rewardful’s campaigns are shown with the affiliates in them, and the API lists them', async () => {
  const shop = await openShop()
  const sourceId = await readProgram(shop, 'rewardful', oldProgram(SIZE))
  const { text } = await shop.pages.get('/import/rewards')
  expect(text).toContain('VIP Rewardful VIP (2 partners) Here 30% of each sale')
  expect(text).toContain(
    'Set the program’s attribution window by hand: referrals expire after 30 days.',
  )
  const { body } = await shop.manager.get(`/import-sources/${sourceId}/rows?limit=1000`)
  const rows = body.data as { kind: string; name: string }[]
  expect(rows.filter(({ kind }) => kind === 'reward')).toMatchObject([
    { name: 'VIP', group: 'VIP', reward: { kind: 'percent', percent: 30 } },
    { name: 'Default', rewardInterval: 'recurring', rewardDurationMonths: 12 },
  ])
})

test('pasted rewards are shown as read ones are, and a reward of leads is for groups only', async () => {
  const { merchant, manager, pages } = await openShop()
  const lead = {
    id: 'rw_1',
    event: 'lead',
    description: 'Trials',
    type: 'flat',
    amountInCents: 500,
  }
  const paste = (text: string) =>
    pages.post('/import/rewards', { programId: merchant.programId, platform: 'dub', text })
  expect((await paste(JSON.stringify([lead]))).text).toContain(
    'Trials Dub No partner who was read has it Here $5.00 for each lead A reward for leads belongs to a group.',
  )
  const { body: group } = await manager.post(`/programs/${merchant.programId}/groups`, {
    name: 'Scouts',
  })
  const { html } = await paste(JSON.stringify(lead))
  const fields = usesIn(html)[0] ?? {}
  expect(fields).toMatchObject({ event: 'lead', target: `group/${group.id}` })
  expect((await pages.post('/import/rewards/use', fields)).status).toBe(303)
  expect((await manager.get(`/groups/${group.id}`)).body.leadReward).toEqual({
    kind: 'flat',
    amountCents: 500,
    currency: 'USD',
  })
  const refused = await paste('{"rewards": []')
  expect(refused.status).toBe(400)
  expect(refused.text).toContain('Must be JSON with at least one reward that has an id.')
  expect(refused.html).toContain('{&quot;rewards&quot;: []')
})

test('a form with other terms than the API takes changes nothing', async () => {
  const { merchant, manager, pages } = await openShop()
  const { body: before } = await manager.get(`/programs/${merchant.programId}`)
  const valid = {
    target: `program/${merchant.programId}`,
    event: 'sale',
    reward: '{"kind": "percent", "percent": 20}',
    rewardInterval: 'recurring',
  }
  for (const wrong of [
    { reward: '{"kind": "percent", "percent": 200}' },
    { reward: 'x' },
    { rewardInterval: 'sometimes' },
    { rewardDurationMonths: 'x' },
  ])
    expect((await pages.post('/import/rewards/use', { ...valid, ...wrong })).status).toBe(400)
  const other = await openShop()
  expect((await other.pages.post('/import/rewards/use', valid)).status).toBe(404)
  for (const target of ['group/x', 'program/x', 'nobody', ''])
    expect([400, 404]).toContain(
      (await pages.post('/import/rewards/use', { ...valid, target })).status,
    )
  expect((await manager.get(`/programs/${merchant.programId}`)).body).toEqual(before)
})

test('only managers of the workspace see the rewards that were read', async () => {
  const shop = await openShop()
  await readProgram(shop, 'rewardful', oldProgram(SIZE))
  const { merchant, pagesOf } = shop
  expect((await pagesOf(await merchant.member()).get('/import/rewards')).status).toBe(403)
  expect((await pagesOf(await merchant.stranger()).get('/import/rewards')).status).toBe(404)
  const other = await openShop()
  expect((await other.pages.get('/import/rewards')).text).toContain('No rewards have been read.')
  // The page that signing in again returns to.
  expect((await shop.pages.get('/import/rewards/use')).location).toBe(
    `/app${shop.base}/import/rewards`,
  )
})
