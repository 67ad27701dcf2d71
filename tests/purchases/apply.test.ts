import { expect, inject, test } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { applyPlan } from '../../lib/purchases/apply/apply.queries.ts'
import { loadKnownFacts } from '../../lib/purchases/apply/purchases.queries.ts'
import { readEvent } from '../../lib/purchases/stripe/objects/events.schemas.ts'
import { planPurchase } from '../../lib/rules/plans/plan-purchase.ts'
import { readPurchase } from '../../lib/rules/plans/purchase.ts'
import { loadReceived, saveEvent } from '../../lib/tracking/events/received.queries.ts'
import { createMerchant, useDatabase } from '../support/merchant.ts'
import { checkoutSession, refund, stripeEvent, stripeId, useStripe } from '../support/stripe.ts'

const database = useDatabase()

test('a plan made before a refund turned out to have failed is not applied afterwards', async () => {
  const merchant = await createMerchant()
  const stripe = await useStripe(merchant)
  const payment = stripeId('pi')
  const session = checkoutSession({
    payment_intent: payment,
    client_reference_id: await merchant.click(),
  })
  await stripe.deliver(stripeEvent('checkout.session.completed', session))
  const id = stripeId('re')
  const refunded = (status: string) =>
    refund({ id, payment_intent: payment, amount: 2_000, status })

  // One Worker has read the refund, and is slow.
  const db = connect(inject('database'))
  const workspaceId = merchant.workspace.id
  const now = new Date()
  const event = readEvent(stripeEvent('refund.created', refunded('succeeded')), {
    backendCreatesCheckouts: false,
  })
  if (!event) throw new Error('The refund was not read.')
  await saveEvent(db, workspaceId, event, now)
  const received = await loadReceived(db, workspaceId, [payment])
  const purchase = readPurchase(received.facts, now)
  const facts = await loadKnownFacts(db, workspaceId, received.keys, purchase)
  const plan = planPurchase(purchase, facts, 'return')
  expect(plan.sale).toMatchObject({
    kind: 'adjust',
    reversals: [{ amountCents: expect.any(BigInt) }],
  })

  // Another one receives that it has failed, and finds nothing to change.
  await stripe.deliver(stripeEvent('refund.failed', refunded('failed')))

  expect(await applyPlan(db, { workspaceId, purchase, facts, plan, received, now })).toEqual({
    status: 'conflict',
  })
  const kinds = await database.query('select kind from commissions where workspace_id = $1', [
    workspaceId,
  ])
  expect(kinds).toEqual([{ kind: 'sale' }])
})

test('two checkouts of one payment that name different customers are read alike by either: replanning never ended', async () => {
  const merchant = await createMerchant()
  const stripe = await useStripe(merchant)
  const ids = [stripeId('cs_test'), stripeId('cs_test')]
  const shared = stripeId('in')
  for (const [place, id] of ids.entries()) {
    const session = checkoutSession({
      id,
      customer: `cus_${place}`,
      invoice: shared,
      payment_intent: stripeId('pi'),
    })
    await stripe.deliver(stripeEvent('checkout.session.completed', session))
  }
  const db = connect(inject('database'))
  const buyers = ids.map(async (id) => {
    const received = await loadReceived(db, merchant.workspace.id, [id])
    expect(received.count).toBe(2)
    return readPurchase(received.facts, new Date()).customer
  })
  expect(new Set(await Promise.all(buyers)).size).toBe(1)
})
