/**
 * The owner of a customer is chosen by lib/rules/identities/owner.ts, and once in SQL, where
 * referrals are known under a lock only: both choose the same partner.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { newId } from '../../lib/db/ids.ts'
import { ownerAt } from '../../lib/rules/identities/owner.ts'
import { createMerchant, useDatabase } from '../support/merchant.ts'
import { SEEDS } from '../support/thorough.ts'

const database = useDatabase()

const CUSTOMERS = 400
/** Few times and origins of each form, so that many are equal, or differ in their case alone. */
const TIMES = ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.001Z', '2026-01-02T00:00:00Z']
const ORIGINS = ['in_1aB', 'in_1Ab', 'in_1-b', 'import 1 0001', 'import 1 0002', '01-a', '1', 'Z']

test('present_owner of schema.sql chooses as ownerAt, whatever referrals there are', async () => {
  const { workspace, programId, seed } = await createMerchant()
  const partners = [
    await seed.addPartner(workspace.id, programId, { slug: 'leo' }),
    await seed.addPartner(workspace.id, programId, { slug: 'ann' }),
    await seed.addPartner(workspace.id, programId, { slug: 'kim' }),
  ]
  const referral = fc.record({
    origin: fc.constantFrom(...ORIGINS),
    partnerId: fc.constantFrom(...partners),
    source: fc.constantFrom('click', 'coupon', 'code', 'import', 'manual'),
    attribution: fc.constantFrom('last', 'first'),
    referredAt: fc.constantFrom(...TIMES).map((time) => new Date(time)),
    clickedAt: fc.constant(null),
  })
  const drawn = fc
    .sample(fc.uniqueArray(referral, { selector: ({ origin }) => origin, maxLength: 5 }), {
      numRuns: CUSTOMERS,
      seed: SEEDS[0],
    })
    .map((referrals) => ({ id: newId(), referrals }))
  await database.query(
    `insert into customers (id, workspace_id, external_id, created_at)
     select id, $1, id::text, now() from jsonb_to_recordset($2) as c (id uuid)`,
    [workspace.id, JSON.stringify(drawn)],
  )
  await database.query(
    `insert into referrals (workspace_id, customer_id, origin, partner_id, source, attribution, referred_at)
     select $1, "customerId", origin, "partnerId", source, attribution, "referredAt"
     from jsonb_to_recordset($2) as r ("customerId" uuid, origin text, "partnerId" uuid, source text,
       attribution text, "referredAt" timestamptz)`,
    [
      workspace.id,
      JSON.stringify(
        drawn.flatMap(({ id, referrals }) => referrals.map((one) => ({ ...one, customerId: id }))),
      ),
    ],
  )
  const chosen = await database.query<{ id: string; ownerId: string | null }>(
    `select id, present_owner(id) as "ownerId" from unnest($1::uuid[]) id`,
    [drawn.map(({ id }) => id)],
  )
  const owners = new Map(chosen.map(({ id, ownerId }) => [id, ownerId]))
  expect(owners.size).toBe(CUSTOMERS)
  const later = new Date('2027-01-01')
  for (const { id, referrals } of drawn)
    expect({ referrals, ownerId: owners.get(id) }).toEqual({
      referrals,
      ownerId: ownerAt(referrals, later),
    })
})
