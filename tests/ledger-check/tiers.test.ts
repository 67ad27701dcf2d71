/** Sales with tiers: the check finds on its own which tier follows from what was reached. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkTier } from '../../lib/ledger-check/tiers.ts'
import type { Rule } from '../../lib/rules/rewards/rewards.ts'
import { TIER_PERIODS, type Tiers, tierOf } from '../../lib/rules/tiers/tiers.ts'
import { differencesOf } from '../support/ledger.ts'
import { createMerchant, useDatabase } from '../support/merchant.ts'
import { useRolledBack } from '../support/rolled-back.ts'
import { SEEDS } from '../support/thorough.ts'

const GOLD: Rule = {
  name: 'Gold partners',
  when: { all: [{ any: [{ fact: 'tier', in: ['Gold'] }] }] },
  pay: { kind: 'percent', basisPoints: 5_000 },
}

/** Gold from the first sale on. */
const TIERS: Tiers = {
  ...{ by: 'sales', period: 'ever', timeZone: 'UTC' },
  levels: [{ name: 'Gold', atLeast: 1 }],
}

const anyTiers = fc
  .record({
    period: fc.constantFrom(...TIER_PERIODS),
    isOfMoney: fc.boolean(),
    thresholds: fc.uniqueArray(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 4 }),
  })
  .map(({ period, isOfMoney, thresholds }): Tiers => {
    const shared = { period, timeZone: 'UTC' }
    const levels = thresholds
      .toSorted((a, b) => a - b)
      .map((atLeast, place) => ({ name: `Tier ${place}`, atLeast }))
    return isOfMoney
      ? {
          ...{ by: 'netSales', currency: 'USD', ...shared },
          levels: levels.map(({ name, atLeast }) => ({ name, atLeastCents: atLeast })),
        }
      : { by: 'sales', ...shared, levels }
  })

test('the check finds the tier that is reached, and any other', () => {
  fc.assert(
    fc.property(anyTiers, fc.nat(25), fc.nat(25), (tiers, reached, other) => {
      const facts = tierOf({ tiers, day: '2026-05-15', reached })
      const found = (changed: object) =>
        checkTier(
          'order',
          { facts: { ...facts, ...changed }, reachedOfDay: null, inForce: [null, tiers] },
          [],
        )
      expect(found({})).toBeNull()
      const { tier, next } = tierOf({ tiers, day: facts.day, reached: other })
      if (tier !== facts.tier) expect(found({ tier, next })).not.toBeNull()
      expect(found({ tier: 'Another' })).not.toBeNull()
      expect(found({ by: 'customers' })).not.toBeNull()
    }),
    { seed: SEEDS[0], numRuns: 300 },
  )
})

test.each([
  { case: 'the program had tiers all day', inForce: [TIERS], isFound: true },
  { case: 'it had none for a part of the day', inForce: [TIERS, null], isFound: false },
  { case: 'it had none', inForce: [null], isFound: false },
])('a reward that asks for a tier finds one if $case', ({ inForce, isFound }) => {
  const stored = { facts: null, reachedOfDay: null, inForce }
  expect(checkTier('order', stored, [GOLD])).toBe(
    isFound ? 'order: its reward asks for the tier of its partner. The ledger has none.' : null,
  )
  expect(checkTier('order', stored, [])).toBeNull()
})

const database = useDatabase()
const query = useRolledBack()

/** A sale of 49.00 of yesterday, and one of today, when its partner is Gold by the first. */
const openTiered = async () => {
  const merchant = await createMerchant()
  const api = await merchant.asManager()
  const pay = { kind: 'percent', percent: 50 }
  const { status } = await api.patch(`/programs/${merchant.programId}`, {
    tiers: TIERS,
    reward: { kind: 'percent', percent: 10, rules: [{ ...GOLD, pay }] },
  })
  expect(status).toBe(200)
  await database.age(merchant, '3 days')
  const yesterday = new Date(Date.now() - 86_400_000).toISOString()
  const clickId = await merchant.click()
  await database.query(
    "update clicks set created_at = created_at - interval '2 days' where id = $1",
    [clickId],
  )
  for (const [externalId, occurredAt] of [
    ['first', yesterday],
    ['second', null],
  ] as const)
    await merchant.sale({
      ...{ externalId, customerExternalId: externalId, clickId },
      ...(occurredAt && { occurredAt }),
    })
  return merchant.workspace.id
}

const changing = (from: string, to: string) =>
  `update events set steps = replace(steps::text, '${from}', '${to}')::jsonb where workspace_id = $1`

test.each([
  { fault: 'nothing', plant: 'select $1::uuid', found: [] },
  {
    fault: 'a tier that is not reached',
    plant: changing('"tier": "Gold"', '"tier": null'),
    found: [
      'second: 1 sales before {day} is “Gold”. The ledger has no tier.',
      'second, line 1: the base decides it. The ledger has “Gold partners”.',
    ],
  },
  {
    fault: 'another figure than that of the day',
    plant: changing('"reached": 1', '"reached": 2'),
    found: [
      'second: its partner had reached 1 sales before {day}. The ledger has a tier by 2 sales.',
    ],
  },
  {
    fault: 'another rule than that of the tier',
    plant: changing('"rule": "Gold partners"', '"rule": null'),
    found: ['second, line 1: “Gold partners” decides it. The ledger has the base.'],
  },
])('of a sale with a tier is found: $fault', async ({ plant, found }) => {
  const workspaceId = await openTiered()
  await query(plant, [workspaceId])
  const day = new Date().toISOString().slice(0, 10)
  expect(await differencesOf(query, workspaceId)).toEqual(
    found.map((text) => text.replace('{day}', day)),
  )
})
