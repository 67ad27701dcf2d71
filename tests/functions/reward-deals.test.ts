/** The deals of docs/rewards.md: each is saved by the API, read by its partner, and earns. */
import { readFileSync } from 'node:fs'
import { expect, inject, test } from 'vitest'
import { daysBefore } from '../../lib/values/days.ts'
import { formatMoney } from '../../lib/values/money.ts'
import { useDatabase } from '../support/merchant.ts'
import { browse } from '../support/pages.ts'
import { createPartner } from '../support/portal.ts'

const database = useDatabase()
/** The longest ago that a report may be is 400 days. */
const MONTH_MS = 30.5 * 86_400_000

/** A report in the table: `lead` and `monthsAgo` are no fields of the API. */
type Reported = Record<string, unknown> & {
  lines?: { amountCents: number }[]
  lead?: boolean
  monthsAgo?: number
  sub?: string
}

/** Whose reward it is. */
type Owner = 'program' | 'group' | 'own'

const section = readFileSync('docs/rewards.md', 'utf8').split('\n## Twelve deals\n')[1] ?? ''
// The week of the launch is the present one.
const inThisWeek = (text: string) =>
  text
    .replace('2026-11-23', daysBefore(new Date(), 6))
    .replace('2026-11-29', daysBefore(new Date(), -1))

const blocksOf = (text: string) =>
  [...text.matchAll(/```json\n([\s\S]*?)```/g)].map(([, json = '']) => JSON.parse(inThisWeek(json)))

const deals = section
  .split(/\n(?=### )/)
  .slice(1)
  .map((text) => ({
    name: /^### (.*)/.exec(text)?.[1] ?? '',
    of: (/(own|group|program)/.exec(text.split('```').at(-3) ?? '')?.[1] ?? 'program') as Owner,
    isLead: text.includes('"lead": true'),
    // Of two, the first one is the program's tiers.
    tiers: blocksOf(text).at(-2) ?? null,
    reward: blocksOf(text).at(-1),
    words: /Partners read: ([\s\S]*?)\.\n\n/.exec(text)?.[1]?.replace(/\s+/g, ' ') ?? '',
    reports: [...text.matchAll(/^\| `(\{.*\})` \| (.*) \|$/gm)].map(([, report = '', earns]) => ({
      report: JSON.parse(report) as Reported,
      earns,
    })),
  }))

test('there are twelve of them', () => {
  expect(deals).toHaveLength(12)
})

test.each(deals)('$name', async ({ of, isLead, tiers, reward, words, reports }) => {
  const { merchant, workspaceId, partnerId, cookie } = await createPartner({
    program: { trusted_attribution: true, attribute_known_customers: true },
  })
  const { seed, programId } = merchant
  const manager = await merchant.asManager()
  await seed.addCoupon(workspaceId, partnerId, 'MAYA10')
  const groupId = await seed.addGroup(workspaceId, programId, {})
  await manager.patch(`/partners/${partnerId}`, { groupId })
  const saveAs = {
    program: () => manager.patch(`/programs/${programId}`, { reward }),
    group: () =>
      manager.patch(`/groups/${groupId}`, { [isLead ? 'leadReward' : 'saleReward']: reward }),
    own: () => manager.patch(`/partners/${partnerId}`, { reward }),
  }
  await manager.patch(`/programs/${programId}`, { tiers })
  const saved = await saveAs[of]()
  expect(saved, JSON.stringify(saved?.body)).toMatchObject({ status: 200 })
  // What was sold before counts too: the terms are as if they had always been these.
  for (const owner of ['program', 'group', 'partner']) {
    await database.query(`delete from former_${owner}_terms where workspace_id = $1`, [workspaceId])
    await database.query(`update ${owner}s set terms_since = null where workspace_id = $1`, [
      workspaceId,
    ])
  }

  const portal = await browse(await cookie(), inject('baseUrl'), '/portal').get('')
  const group = await browse(
    await merchant.manager(),
    inject('baseUrl'),
    `/app/${merchant.workspace.slug}/programs/${programId}`,
  ).get('')
  expect((isLead ? group : portal).text).toContain(words)

  for (const [n, { report, earns }] of reports.entries()) {
    const { lead, monthsAgo, ...fields } = report
    const { status, body } = await merchant[lead ? 'lead' : 'sale']({
      externalId: `report_${n}`,
      customerExternalId: `customer_${n}`,
      ...(!lead && {
        amountCents: fields.lines?.reduce((sum, line) => sum + line.amountCents, 0),
      }),
      ...(!fields.couponCode && { partnerSlug: 'ann' }),
      ...(monthsAgo && { occurredAt: new Date(Date.now() - monthsAgo * MONTH_MS).toISOString() }),
      ...fields,
    })
    expect(status, JSON.stringify(body)).toBe(200)
    const [commission] = await database.query<{ cents: string; currency: string }>(
      `select coalesce(sum(c.amount_cents), 0) as cents, coalesce(min(c.currency), 'USD') as currency
       from commissions c where c.event_id = $1`,
      [body.eventId],
    )
    expect(
      formatMoney(BigInt(commission?.cents ?? 0), commission?.currency ?? ''),
      JSON.stringify(report),
    ).toBe(earns)
  }
  expect(await database.violations(workspaceId)).toEqual([])
})
