/** Tiers of a program by the API. docs/tiers.md. */
import { describe, expect, test } from 'vitest'
import { MAX_TIERS } from '../../lib/rules/tiers/tiers.schemas.ts'
import { createMerchant } from '../support/merchant.ts'

const TIERS = {
  ...{ by: 'netSales', currency: 'USD', period: 'quarter', timeZone: 'Europe/Berlin' },
  levels: [{ name: 'Gold', atLeastCents: 100_000 }],
}

const withGroup = (groupId: string | null) => ({
  ...TIERS,
  levels: [
    { name: 'Silver', atLeastCents: 10_000 },
    { name: 'Gold', atLeastCents: 100_000, groupId },
  ],
})

const openShop = async () => {
  const merchant = await createMerchant({ group: {} })
  const manager = await merchant.asManager()
  const { body } = await manager.get(`/programs/${merchant.programId}/groups`)
  const [group] = body.data as { id: string }[]
  return { merchant, manager, groupId: group?.id ?? '' }
}

const refused = {
  status: 400,
  body: {
    error: {
      code: 'invalid_body',
      details: [
        { path: 'tiers.levels.1.groupId', message: 'Must be the id of a group of the program.' },
      ],
    },
  },
}

test('tiers are answered as they were sent, and removed by null', async () => {
  const { merchant, manager, groupId } = await openShop()
  const path = `/programs/${merchant.programId}`
  const tiers = withGroup(groupId)
  expect(await manager.patch(path, { tiers })).toMatchObject({ status: 200, body: { tiers } })
  expect((await manager.get(path)).body.tiers).toEqual(tiers)
  const upper = await manager.patch(path, { tiers: withGroup(groupId.toUpperCase()) })
  expect(upper).toMatchObject({ status: 200, body: { tiers } })
  expect(await manager.patch(path, { tiers: null })).toMatchObject({
    ...{ status: 200, body: { tiers: null } },
  })
})

test(`a program has at most ${MAX_TIERS} tiers`, async () => {
  const { merchant, manager } = await openShop()
  const tiers = (count: number) => ({
    ...{ by: 'sales', period: 'ever' },
    levels: Array.from({ length: count }, (_, n) => ({ name: `Tier ${n}`, atLeast: n + 1 })),
  })
  const path = `/programs/${merchant.programId}`
  expect((await manager.patch(path, { tiers: tiers(MAX_TIERS) })).status).toBe(200)
  expect(await manager.patch(path, { tiers: tiers(MAX_TIERS + 1) })).toMatchObject({
    ...{ status: 400, body: { error: { details: [{ path: 'tiers.levels' }] } } },
  })
})

describe('the group of a tier is refused', () => {
  test('of another workspace, also as one that nobody has', async () => {
    const [here, there] = [await openShop(), await openShop()]
    for (const groupId of [there.groupId, '00000000-0000-7000-8000-000000000000']) {
      const tiers = withGroup(groupId)
      expect(
        await here.manager.patch(`/programs/${here.merchant.programId}`, { tiers }),
      ).toMatchObject(refused)
    }
  })

  test('of another program of the workspace', async () => {
    const { merchant, manager, groupId } = await openShop()
    const other = await merchant.seed.addProgram(merchant.workspace.id)
    expect(await manager.patch(`/programs/${other}`, { tiers: withGroup(groupId) })).toMatchObject(
      refused,
    )
  })

  test('of a new program, which has none yet', async () => {
    const { manager, groupId } = await openShop()
    const program = {
      ...{ name: 'New', siteUrl: 'https://shop.example', rewardInterval: 'recurring' },
      reward: { kind: 'percent', percent: 20 },
    }
    expect(
      await manager.post('/programs', { ...program, tiers: withGroup(groupId) }),
    ).toMatchObject(refused)
    expect(await manager.post('/programs', { ...program, tiers: TIERS })).toMatchObject({
      ...{ status: 201, body: { tiers: TIERS } },
    })
  })

  test('and the program of another workspace is not found', async () => {
    const [here, there] = [await openShop(), await openShop()]
    const { status } = await here.manager.patch(`/programs/${there.merchant.programId}`, {
      tiers: withGroup(there.groupId),
    })
    expect(status).toBe(404)
  })
})
