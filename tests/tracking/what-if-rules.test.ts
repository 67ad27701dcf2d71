/** What-if under rules: replayed under the present terms, events earn what they have earned. */
import { expect, test } from 'vitest'
import type { WhatIfResponse } from '../../lib/tracking/what-if/what-if.responses.ts'
import { type Buyer, endOf, ofSubscription, openShop, type Shop } from '../support/buyers.ts'
import { useDatabase } from '../support/merchant.ts'
import { paying, setRules } from '../support/reward-rules.ts'

const database = useDatabase()
const HOUR = 3_600

const RULES = [
  paying(50, { fact: 'payment', atMost: 1 }),
  paying(0, { fact: 'payment', of: 'subscription', atLeast: 3 }),
  paying(30, { fact: 'sub', in: ['newsletter'] }),
  paying(25, { fact: 'coupon', in: ['MAYA', 'OTHER'] }),
]

/** Payments of a buyer, most of them decided by a rule of their own. The first comes last. */
const buy = async (shop: Shop, buyer: Buyer) => {
  const clickId = await buyer.click('maya', 5)
  await database.query(`update clicks set sub = 'newsletter' where id = $1`, [clickId])
  const pay = (name: string, at: number, fields: Record<string, unknown> = {}) =>
    buyer.checkout({
      ...{ id: buyer.id('cs_test', name), payment_intent: buyer.id('pi', name), at },
      ...fields,
    })
  const bill = (name: string, at: number) =>
    buyer.invoice({ id: buyer.id('in', name), at, ...ofSubscription(buyer.id('sub')) })
  await pay('click', -4 * HOUR, { client_reference_id: clickId })
  await bill('a', -3 * HOUR)
  await bill('b', -2 * HOUR)
  await bill('c', -HOUR)
  await pay('coupon', -60, { discounts: [{ coupon: 'MAYA', promotion_code: null }] })
  expect((await endOf(shop, buyer)).sales).toMatchObject({ pi_click: 'maya 2450' })
  await pay('first', -4.5 * HOUR)
}

const EARNED = {
  pi_first: 'nobody 0',
  pi_click: 'maya 1470',
  in_a: 'maya 490',
  in_b: 'maya 490',
  in_c: 'maya 0',
  pi_coupon: 'maya 1225',
}

test('the same rules earn what the events have earned', async () => {
  const shop = await openShop(database)
  const { merchant, manager } = shop
  await setRules(database, merchant.programId, RULES)
  await merchant.seed.addCoupon(merchant.workspace.id, merchant.partnerId, 'MAYA')
  for (let n = 0; n < 3; n++) {
    const buyer = shop.buyer()
    await buy(shop, buyer)
    expect((await endOf(shop, buyer)).sales).toEqual(EARNED)
  }
  const { status, body } = await manager.post(`/programs/${merchant.programId}/what-if`, {
    attribution: 'first',
  })
  expect({ status, body }).toMatchObject({ status: 200 })
  const [usd] = (body as unknown as WhatIfResponse).currencies
  expect(usd).toMatchObject({ currentCents: 3 * 3_675, changedCents: 3 * 3_675 })
})
