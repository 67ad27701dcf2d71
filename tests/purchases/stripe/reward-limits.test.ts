// @module-tag sampled
/** Sales that earn less than the reward: prorations, small sales and paid trials. */
import { describe, expect, test } from 'vitest'
import { codes, type createMerchant } from '../../support/merchant.ts'
import { orders } from '../../support/permutations.ts'
import {
  deliver,
  earlier,
  later,
  paidCheckout,
  paidInvoice,
  saved,
  useShops,
} from '../../support/shops.ts'
import { invoice, seconds, stripeEvent, stripeId } from '../../support/stripe.ts'

const { openShop, earned } = useShops()

describe('a change of a subscription in the middle of a period', () => {
  const renew = async (program: Parameters<typeof createMerchant>[0]) => {
    const { merchant, stripe } = await openShop(program)
    const customer = stripeId('cus')
    const first = invoice({ customer, billing_reason: 'subscription_create' })
    const checkout = { mode: 'subscription', invoice: first.id, payment_intent: null, customer }
    await deliver(stripe, paidCheckout(seconds(), checkout))
    await deliver(stripe, stripeEvent('invoice.paid', first))
    const small = { amount_paid: 50, total: 50, total_excluding_tax: 50 }
    const ids: string[] = []
    for (const reason of ['subscription_update', 'subscription_update', 'subscription_cycle']) {
      const id = stripeId('in')
      ids.push(id)
      const amounts = reason === 'subscription_cycle' ? {} : small
      await deliver(
        stripe,
        paidInvoice({ id, customer, billing_reason: reason, ...amounts }, later() + ids.length),
      )
    }
    return {
      merchant,
      ids,
      cents: await Promise.all([String(first.id), ...ids].map((id) => earned(merchant, id))),
    }
  }

  test('earns none of a flat recurring reward of 10.00, and each period earns one', async () => {
    const { merchant, ids, cents } = await renew({
      program: { reward: { amountCents: 1_000n, currency: 'USD' } },
    })
    expect(cents).toEqual([1_000, 0, 0, 1_000])
    expect(codes(await merchant.explainReport('sale', ids[0] ?? ''))).toEqual([
      'customer',
      'program_reward',
      'proration',
    ])
  })

  test('earns its percentage', async () => {
    expect((await renew({})).cents).toEqual([980, 10, 10, 980])
  })
})

test('a flat reward follows a sale whose amount turns out to be smaller or larger', async () => {
  const { merchant, stripe } = await openShop({
    program: { reward: { amountCents: 1_000n, currency: 'USD' } },
  })
  const [id, customer, clickId] = [stripeId('in'), stripeId('cus'), await merchant.click()]
  await saved(
    merchant.sale({ externalId: id, customerExternalId: customer, amountCents: 700, clickId }),
  )
  expect(await earned(merchant, id)).toBe(700)
  const amounts = { amount_paid: 700, total: 700, total_excluding_tax: 600 }
  await deliver(stripe, paidInvoice({ id, customer, ...amounts }, later()))
  expect(await earned(merchant, id)).toBe(600)
})

test('a trial of 1.00 by Stripe leaves a one-time reward to the first invoice, in any order', async () => {
  for (const order of orders(['checkout', 'trial', 'first'] as const)) {
    const { merchant, stripe } = await openShop({
      program: { reward_interval: 'one-time', one_time_minimum_cents: 500 },
    })
    const [customer, trial, first, second] = [
      stripeId('cus'),
      stripeId('in'),
      stripeId('in'),
      stripeId('in'),
    ]
    const small = { amount_paid: 100, total: 100, total_excluding_tax: 100 }
    const start = earlier()
    const events = {
      checkout: paidCheckout(start, {
        mode: 'subscription',
        invoice: trial,
        payment_intent: null,
        customer,
        amount_total: 100,
      }),
      trial: paidInvoice({ id: trial, customer, ...small }, start + 1),
      first: paidInvoice({ id: first, customer }, start + 60),
      second: paidInvoice({ id: second, customer }, start + 120),
    }
    for (const step of order) await deliver(stripe, events[step])
    await deliver(stripe, events.second)
    const cents = await Promise.all([trial, first, second].map((id) => earned(merchant, id)))
    expect({ order, cents }).toEqual({ order, cents: [0, 980, 0] })
  }
})
