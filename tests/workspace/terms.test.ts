/** The history of terms, which late sales are decided with. */
import { expect, inject, test } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { updateTerms } from '../../lib/programs/terms.queries.ts'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'

const database = useDatabase()

/**
 * The holding days of a merchant's program over time, oldest first, and until when they applied.
 */
const history = async ({ programId }: Merchant) =>
  database.query<{ days: number; until: Date | number }>(
    'select holding_days as days, until from program_terms t where t.id = $1 order by t.until',
    [programId],
  )

const formerTerms = async ({ workspace }: Merchant) =>
  (
    await database.query<{ programs: number; groups: number; partners: number }>(
      `select (select count(*) from former_program_terms where workspace_id = $1)::int as programs,
              (select count(*) from former_group_terms where workspace_id = $1)::int as groups,
              (select count(*) from former_partner_terms where workspace_id = $1)::int as partners`,
      [workspace.id],
    )
  )[0]

test('creating and renaming write no history, and a change of terms writes one row', async () => {
  const merchant = await createMerchant({ group: {} })
  const manager = await merchant.asManager()
  const rows = [{ email: 'ann@x.example' }, { email: 'bob@x.example' }]
  await manager.post('/partners/import', { programId: merchant.programId, rows })
  const { body } = await manager.get('/partners?email=ann@x.example')
  const [ann] = body.data as { id: string }[]
  const { body: groups } = await manager.get(`/programs/${merchant.programId}/groups`)
  const [group] = groups.data as { id: string }[]
  await manager.patch(`/programs/${merchant.programId}`, {
    name: 'Renamed',
    payoutSchedule: 'weekly',
  })
  await manager.patch(`/groups/${group?.id}`, { name: 'Renamed' })
  await manager.patch(`/partners/${ann?.id}`, { name: 'Renamed' })
  expect(await formerTerms(merchant)).toEqual({ programs: 0, groups: 0, partners: 0 })

  await manager.patch(`/programs/${merchant.programId}`, {
    holdingDays: 7,
    rewardInterval: 'one-time',
  })
  await manager.patch(`/groups/${group?.id}`, {
    leadReward: null,
    saleReward: { kind: 'percent', percent: 1 },
  })
  await manager.patch(`/partners/${ann?.id}`, { groupId: group?.id, status: 'banned' })
  expect(await formerTerms(merchant)).toEqual({ programs: 1, groups: 1, partners: 1 })
})

test('concurrent changes each leave the terms that they replaced', async () => {
  const merchant = await createMerchant()
  const manager = await merchant.asManager()
  const days = [1, 2, 3, 4, 5, 6, 7, 8]
  const answers = await Promise.all(
    days.map((holdingDays) => manager.patch(`/programs/${merchant.programId}`, { holdingDays })),
  )
  expect(answers.map(({ status }) => status)).toEqual(days.map(() => 200))
  const terms = await history(merchant)
  expect(terms[0]?.days).toBe(30)
  expect(terms.map((row) => row.days).sort((a, b) => a - b)).toEqual([...days, 30])
  const { body } = await manager.get(`/programs/${merchant.programId}`)
  expect(terms.at(-1)?.days).toBe(body.holdingDays)
})

test('changes apply in the order in which they are committed, also if the clocks of two Workers differ or one is retried', async () => {
  const merchant = await createMerchant()
  const db = connect(inject('database'))
  const change = (now: string, holding_days: number) =>
    db.batch([
      updateTerms(
        db,
        { workspaceId: merchant.workspace.id, actor: 'ann@x.example', now: new Date(now) },
        'programs',
        [merchant.programId],
        { holding_days },
      ),
    ])
  await change('2026-06-01T12:00:01Z', 10)
  await change('2026-06-01T12:00:00Z', 20)
  await change('2026-06-01T12:00:00Z', 20)
  const terms = await history(merchant)
  expect(terms.map(({ days }) => days)).toEqual([30, 10, 20, 20])
  expect(terms[0]?.until).toEqual(new Date('2026-06-01T12:00:01Z'))
  expect(terms.at(-1)?.until).toBe(Number.POSITIVE_INFINITY)
})
