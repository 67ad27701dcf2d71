import { expect, inject, test } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { saveSettlement } from '../../lib/purchases/apply.queries.ts'
import { settle } from '../../lib/purchases/plan.ts'
import { readPurchase } from '../../lib/purchases/purchase.ts'
import { loadPurchase, loadPurchaseFacts } from '../../lib/purchases/purchases.queries.ts'
import { readEvent } from '../../lib/purchases/stripe/events.schemas.ts'
import { saveStripeEvent } from '../../lib/purchases/webhook.queries.ts'
import { createMerchant, useDatabase } from '../support/merchant.ts'
import { checkoutSession, refund, stripeEvent, stripeId, useStripe } from '../support/stripe.ts'

const database = useDatabase()

test('what was settled before a refund turned out to have failed is not saved after it', async () => {
  const merchant = await createMerchant()
  const stripe = await useStripe(merchant)
  const payment = stripeId('pi')
  const session = checkoutSession({ payment_intent: payment, client_reference_id: await merchant.click() })
  await stripe.deliver(stripeEvent('checkout.session.completed', session))
  const id = stripeId('re')
  const told = (status: string) => refund({ id, payment_intent: payment, amount: 2_000, status })

  // One Worker has read the refund, and is slow.
  const db = connect(inject('database'))
  const workspaceId = merchant.workspace.id
  const now = new Date()
  const event = readEvent(stripeEvent('refund.created', told('succeeded')))
  if (!event) throw new Error('A refund that nobody understands.')
  await saveStripeEvent(db, workspaceId, event, now)
  const known = await loadPurchase(db, workspaceId, [payment])
  const purchase = readPurchase(known.told)
  const facts = await loadPurchaseFacts(db, workspaceId, known.keys, purchase)
  const settlement = settle(purchase, facts, false)
  expect(settlement.reversals).toHaveLength(1)

  // Another one hears that it has failed, and finds nothing to change.
  await stripe.deliver(stripeEvent('refund.failed', told('failed')))

  expect(
    await saveSettlement(db, { workspaceId, purchase, facts, settlement, told: known, now }),
  ).toBeUndefined()
  const kinds = await database.query('select kind from commissions where workspace_id = $1', [workspaceId])
  expect(kinds).toEqual([{ kind: 'sale' }])
})
