/** A payment whose sale was reported before the workspace changed who reports sales. */
import { expect, test } from 'vitest'
import { differencesOf } from '../support/ledger.ts'
import { paymentIntent, seconds } from '../support/stripe.ts'
import { type Terms, WITHOUT_MILESTONES } from './settings.ts'
import { useHistories } from './world.ts'

const world = useHistories()
const terms: Terms = {
  ...{ percent: 20, rules: 'none', caps: 'none', interval: 'recurring', months: null },
  oneTimePer: 'customer',
  ...{ attribution: 'last', knowsCustomers: true },
}

test('the setting of the payment’s time decides, also if the payment had to wait for an invoice', async () => {
  const history = await world.begin(
    {
      ...{ terms: [terms, terms], salesFrom: 'api', isShared: false, idsIn: 'metadata' },
      ...{ schedule: 'manual', holdingDays: 0, ...WITHOUT_MILESTONES },
    },
    { isPrompt: true, first: 'ours' },
  )
  await history.pass(90_000)
  const sale = { externalId: 'order_0', customerExternalId: 'u1', amountCents: 4_900 }
  await history.report('sale', sale)
  await history.pass(3)
  await history.manage('PATCH', '/settings', { salesFrom: 'stripe' })
  await history.pass(3_600)
  const payment = paymentIntent({
    ...{ id: history.idOf('pi_1'), latest_charge: history.idOf('ch_1'), created: seconds() },
    ...{ amount: 4_910, amount_received: 4_910, customer: history.customerOf('u1') },
    metadata: { externalId: 'order_0' },
  })
  await history.happen('payment_intent.succeeded', payment, { late: 0, isRepeated: false })
  await history.pass(3_600)
  await history.cron()
  expect(
    await history.query(
      'select external_id as id, amount_cents::int as cents from events where workspace_id = $1',
    ),
  ).toEqual([{ id: 'order_0', cents: 4_910 }])
  expect(await differencesOf(world.query, history.payer.workspaceId)).toEqual([])
})
