/**
 * Sales under caps: the check computes on its own what caps leave, and both it and verify_ledger
 * find the faults that are planted into a sound ledger.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkCaps } from '../../lib/ledger-check/cap-cuts.ts'
import { applyCaps, type Capped } from '../../lib/rules/rewards/caps.ts'
import { differencesOf, violationsOf } from '../support/ledger.ts'
import { useDatabase } from '../support/merchant.ts'
import { setCaps, usdCap } from '../support/reward-rules.ts'
import { useRolledBack } from '../support/rolled-back.ts'
import { invoice, seconds, stripeId } from '../support/stripe.ts'
import { openStripeShop } from '../support/stripe-shop.ts'
import { SEEDS } from '../support/thorough.ts'

test('the check computes what caps leave as they do, and finds a cent', () => {
  const anyCaps = fc.uniqueArray(
    fc.record({
      per: fc.constantFrom<Capped>('sale', 'customer', 'partner_month'),
      amountCents: fc.nat(9_000),
      currency: fc.constantFrom('USD', 'EUR'),
    }),
    { selector: ({ per, currency }) => `${per} ${currency}` },
  )
  fc.assert(
    fc.property(
      ...[anyCaps, fc.integer({ min: 1, max: 9_000 }), fc.nat(9_000), fc.nat(9_000)],
      (caps, cents, before, others) => {
        const money = { amountCents: BigInt(cents), currency: 'USD' }
        const sum = { partnerId: 'maya', currency: 'USD' }
        const { leftCents, applied } = applyCaps(money, caps, 'maya', {
          ofCustomer: [{ ...sum, cents: before }],
          inMonth: [{ ...sum, cents: others }],
          month: '2026-11-01',
        })
        if (leftCents === 0n) return
        const amountCents = Number(leftCents)
        const commission = { amountCents, currency: 'USD', caps, earnedBefore: before }
        const step = applied && {
          ...{ per: applied.per, capCents: applied.amountCents, beforeCents: cents },
          ...{ leftCents: amountCents, currency: 'USD' },
        }
        expect(checkCaps('order', step, commission)).toBeNull()
        const more = { ...commission, amountCents: amountCents + 1 }
        if (step) expect(checkCaps('order', step, more)).not.toBeNull()
      },
    ),
    { seed: SEEDS[0], numRuns: 500 },
  )
})

const database = useDatabase()
const query = useRolledBack()

/** Two payments of one customer: of 100.00, which earns 15.00 of 20.00, and then 7.00. */
const openCapped = async () => {
  const shop = await openStripeShop(database)
  const caps = [usdCap('sale', 1_500), usdCap('customer', 2_200), usdCap('partner_month', 9_000)]
  await setCaps(database, shop.merchant.programId, caps)
  const [first, second, customer] = [stripeId('in'), stripeId('in'), stripeId('cus')]
  const amounts = { amount_paid: 10_000, total: 10_000, total_excluding_tax: 10_000 }
  const metadata = { tributary_click: await shop.clickBefore() }
  const at = seconds()
  for (const [n, id] of [first, second].entries())
    await shop.deliver('invoice.paid', {
      ...invoice({ id, metadata, customer, ...amounts }),
      status_transitions: { paid_at: at + n },
    })
  return { workspaceId: shop.merchant.workspace.id, first, second }
}

const FAULTS: {
  fault: string
  plant: (ids: { first: string; second: string }) => string
  violations: string[]
  differences: string[]
}[] = [
  { fault: 'nothing', plant: () => 'select', violations: [], differences: [] },
  {
    fault: 'a commission without the cut',
    plant: ({ first }) => `
      update commissions set amount_cents = 2000
      where event_id = (select id from events where external_id = '${first}')`,
    violations: [
      'a commission does not exceed a cap of its reward: 2000 USD, 1500 per sale',
      'a customer earns a partner no more than the cap: 700 of 2200 USD after 2000',
      'a cap leaves what its step says: 1500 of 2000, cut , commission of 2000',
    ],
    differences: [
      'the caps of its reward leave 15.00 USD. The ledger has a commission of 20.00 USD.',
      'the caps of its reward leave 2.00 USD. The ledger has a commission of 7.00 USD.',
    ],
  },
  {
    fault: 'a customer who earns more than the cap, by two sales that each say so',
    plant: ({ second }) => `
      update commissions set amount_cents = 1500
      where event_id = (select id from events where external_id = '${second}');
      update events set steps = replace(replace(steps::text, '700', '1500'), 'customer', 'sale')::jsonb
      where external_id = '${second}'`,
    violations: ['a customer earns a partner no more than the cap: 1500 of 2200 USD after 1500'],
    differences: [
      'the caps of its reward leave 7.00 USD. The ledger has a commission of 15.00 USD.',
    ],
  },
  {
    fault: 'a cut of what another reward pays',
    plant: ({ first }) => `
      update events set steps = replace(steps::text, '"beforeCents": 2000', '"beforeCents": 3000')::jsonb
      where external_id = '${first}'`,
    violations: [],
    differences: ['20% of the sale of 100.00 USD is 20.00 USD.'],
  },
]

test.each(FAULTS)(
  'of sales under caps is found: $fault',
  async ({ plant, violations, differences }) => {
    const { workspaceId, ...ids } = await openCapped()
    await query('set local session_replication_role = replica')
    await query(plant(ids))
    const found = (await violationsOf(query, workspaceId))
      .filter(({ invariant }) => !invariant.startsWith('totals'))
      .map(({ invariant, details }) => `${invariant}: ${details}`)
    expect(found).toEqual(violations)
    expect(await differencesOf(query, workspaceId)).toEqual(
      differences.map((text) => expect.stringContaining(text)),
    )
  },
)
