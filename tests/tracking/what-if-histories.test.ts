import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { WhatIfResponse } from '../../lib/tracking/what-if/what-if.responses.ts'
import {
  account,
  addPartners,
  bodyOf,
  programOf,
  report,
  type Slug,
  type Terms,
  terms,
} from '../support/account.ts'
import { createMerchant, useDatabase } from '../support/merchant.ts'
import { SEEDS, timesOver } from '../support/thorough.ts'

const database = useDatabase()

/** What each partner earns: 20% of each sale of 49.00, and 5.00 for each lead of Maya's group. */
const earningsOf = (commissions: string[]): Record<Slug, number> => {
  const sum = { maya: 0, leo: 0 }
  for (const commission of commissions) {
    const [kind, , slug = ''] = commission.split(' ')
    sum[slug as Slug] += kind === 'lead' ? 500 : 980
  }
  return sum
}

const patchOf = ({ attribution, interval, knownCustomers, lateDays }: Terms) => ({
  attribution,
  rewardInterval: interval,
  attributeKnownCustomers: knownCustomers,
  lateLeadDays: lateDays,
})

test('what any history would have earned under other terms is what it earns where those are in force', {
  tags: 'sampled',
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      terms,
      terms,
      fc.array(report, { minLength: 1, maxLength: 14 }),
      async (present, changed, history) => {
        const merchant = await createMerchant({
          program: programOf(present),
          group: { leadReward: { amountCents: 500n, currency: 'USD' } },
        })
        const names = await addPartners(merchant)
        for (const event of history) await merchant[event.kind](bodyOf(event, names))
        const ask = await merchant.asManager()
        const { status, body } = await ask.post(
          `/programs/${merchant.programId}/what-if`,
          patchOf(changed),
        )
        expect(status).toBe(200)

        const [current, would] = [
          earningsOf(account(present, history).commissions),
          // What reports may name is no term.
          earningsOf(account({ ...changed, trusted: present.trusted }, history).commissions),
        ]
        const { currencies } = body as unknown as WhatIfResponse
        const [usd] = currencies
        expect(usd?.currentCents ?? 0).toBe(current.maya + current.leo)
        expect(usd?.changedCents ?? 0).toBe(would.maya + would.leo)
        const differences = Object.fromEntries(
          usd?.partners.map(({ slug, differenceCents }) => [slug, differenceCents]) ?? [],
        )
        for (const slug of ['maya', 'leo'] as const) {
          expect(differences[slug] ?? 0).toBe(would[slug] - current[slug])
        }
      },
    ),
    { seed: SEEDS[0], numRuns: timesOver({ quick: 6, thorough: 60, exhaustive: 1_000 }) },
  )
})

// But for the totals, which a cron in another test may fold meanwhile.
test('looking changes no row of any table', async () => {
  const merchant = await createMerchant({ group: {} })
  const clickId = await merchant.click()
  await merchant.lead({ clickId })
  await merchant.sale({ clickId })
  const { post } = await merchant.asManager()
  const tables = await database.query<{ name: string }>(
    `select c.table_name as name from information_schema.columns c
     join information_schema.tables t using (table_schema, table_name)
     where c.table_schema = 'public' and c.column_name = 'workspace_id' and t.table_type = 'BASE TABLE'
       and c.table_name !~ 'total|balance|bonus_checks' order by 1`,
  )
  expect(tables.length).toBeGreaterThan(40)
  const rows = async () =>
    Promise.all(
      tables.map(async ({ name }) => {
        const [row] = await database.query(
          `select count(*)::integer as count, md5(string_agg(t::text, ',' order by t::text)) as rows
           from ${name} t where workspace_id = $1`,
          [merchant.workspace.id],
        )
        return { name, ...row }
      }),
    )
  const before = await rows()
  const patch = {
    attribution: 'first',
    attributionDays: 1,
    reward: { kind: 'percent', percent: 50 },
  }
  expect((await post(`/programs/${merchant.programId}/what-if`, patch)).body).toMatchObject({
    isWhole: true,
    currencies: [
      { currency: 'USD', currentCents: 980, changedCents: 2_450, differenceCents: 1_470 },
    ],
  })
  const [group] = await database.query<{ id: string }>(
    'select id from groups where program_id = $1',
    [merchant.programId],
  )
  const flat = { kind: 'flat', amountCents: 300, currency: 'EUR' }
  expect((await post(`/groups/${group?.id}/what-if`, { leadReward: flat })).body).toMatchObject({
    currencies: [
      { currency: 'USD', currentCents: 980, changedCents: 980, partners: [], others: { count: 1 } },
      {
        currency: 'EUR',
        currentCents: 0,
        changedCents: 300,
        partners: [{ slug: 'maya' }],
        others: { count: 0 },
      },
    ],
  })
  expect(await rows()).toEqual(before)
})

/** Inserts so many leads that nobody is credited with. */
const addLeads = (workspaceId: string, count: number) =>
  database.query(
    `insert into events (id, workspace_id, kind, external_id, event_name, customer_external_id, steps, occurred_at)
     select uuidv7(), $1, 'lead', gen_random_uuid(), 'lead', 'nobody', '[]', now() from generate_series(1, $2)`,
    [workspaceId, count],
  )

/** Moves an event into the past. */
const move = (workspaceId: string, externalId: string, ago: string) =>
  database.query(
    'update events set occurred_at = now() - $3::interval where workspace_id = $1 and external_id = $2',
    [workspaceId, externalId, ago],
  )

test('what was rewarded before the 90 days uses up a one-time reward, and does not count', async () => {
  const merchant = await createMerchant()
  const clickId = await merchant.click()
  await merchant.sale({ externalId: 'old', clickId })
  await merchant.sale({ externalId: 'new', clickId })
  await move(merchant.workspace.id, 'old', '91 days')
  const { post } = await merchant.asManager()
  const path = `/programs/${merchant.programId}/what-if`
  expect((await post(path, { rewardInterval: 'one-time' })).body).toMatchObject({
    isWhole: true,
    currencies: [{ currentCents: 980, changedCents: 0 }],
  })
  await move(merchant.workspace.id, 'old', '89 days')
  expect((await post(path, { rewardInterval: 'one-time' })).body).toMatchObject({
    currencies: [{ currentCents: 1_960, changedCents: 980 }],
  })
  expect((await post(path, { rewardDurationMonths: 1 })).body).toMatchObject({
    currencies: [{ currentCents: 1_960, changedCents: 980 }],
  })
})

test('of more than 20,000 events the latest count, and what was rewarded before them is known', {
  tags: 'thorough',
}, async () => {
  const merchant = await createMerchant()
  const { id } = merchant.workspace
  const clickId = await merchant.click()
  await merchant.sale({ externalId: 'inv_1', clickId })
  await addLeads(id, 19_998)
  await merchant.sale({ externalId: 'inv_2', clickId })
  const { post } = await merchant.asManager()
  const ask = async (patch: object) =>
    (await post(`/programs/${merchant.programId}/what-if`, patch)).body as unknown as WhatIfResponse
  const oneTime = { rewardInterval: 'one-time' }
  const both = [oneTime, { ...oneTime, attribution: 'first' }]
  for (const patch of both) {
    expect(await ask(patch)).toMatchObject({
      isWhole: true,
      currencies: [{ currentCents: 1_960, changedCents: 980 }],
    })
  }
  const began = Date.now()
  await addLeads(id, 1)
  for (const patch of both) {
    const { from, ...cut } = await ask(patch)
    expect(cut).toMatchObject({
      isWhole: false,
      currencies: [{ currentCents: 980, changedCents: 0 }],
    })
    expect(began - Number(new Date(from))).toBeLessThan(120_000)
  }
})
