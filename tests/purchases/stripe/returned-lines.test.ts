/** An invoice whose lines have rules of their own, through Stripe's events: figures by hand. */
import { expect, test } from 'vitest'
import { differencesOf } from '../../support/ledger.ts'
import { useDatabase } from '../../support/merchant.ts'
import { orders } from '../../support/permutations.ts'
import {
  creditNote,
  dispute,
  invoice,
  refund,
  type StripeObject,
  seconds,
  stripeId,
} from '../../support/stripe.ts'
import { basilLine, pageOf } from '../../support/stripe-lines.ts'
import { openStripeShop } from '../../support/stripe-shop.ts'

const database = useDatabase()

/** 30% of plans, 25.00 for a setup, 20% of everything else. */
const REWARD = {
  kind: 'percent',
  percent: 20,
  rules: [
    {
      name: 'Plans',
      when: { all: [{ fact: 'product', in: ['prod_plan'] }] },
      pay: { kind: 'percent', percent: 30 },
    },
    {
      name: 'Setup',
      when: { all: [{ fact: 'product', in: ['prod_setup'] }] },
      pay: { kind: 'flat', amountCents: 2_500, currency: 'USD' },
    },
  ],
}

const openShop = async () => {
  const shop = await openStripeShop(database)
  const manager = await shop.merchant.asManager()
  const changed = await manager.patch(`/programs/${shop.merchant.programId}`, { reward: REWARD })
  expect(changed.status).toBe(200)
  return shop
}

const line = (name: string, amount: number, discount: number) =>
  basilLine(name, { amount, discount_amounts: [{ amount: discount, discount: 'di_1' }] })

/**
 * 10% off, and 19% of tax: 711.00 + 89.99 + 45.00 net, 1,006.73 in all. They earn 213.30, 18.00 and
 * 25.00.
 */
const bill = (id: string, payment: string, clickId: string) =>
  invoice({
    ...{ id, metadata: { tributary_click: clickId } },
    payments: { data: [{ payment: { payment_intent: payment } }] },
    ...{ amount_paid: 100_673, total: 100_673, total_excluding_tax: 84_599 },
    lines: pageOf([
      line('plan', 79_000, 7_900),
      line('course', 9_999, 1_000),
      line('setup', 5_000, 500),
    ]),
  })

/** 40.00 of the course, and 7.60 of tax. */
const noteOf = (invoiceId: string, refunds: StripeObject[]) =>
  creditNote({
    ...{ invoice: invoiceId, amount: 4_760, total: 4_760, total_excluding_tax: 4_000, refunds },
    lines: pageOf([
      {
        ...{ id: 'cnli_1', type: 'invoice_line_item', invoice_line_item: 'il_course' },
        ...{ amount: 4_000, discount_amount: 0 },
        taxes: [{ amount: 760, tax_behavior: 'exclusive' }],
      },
    ]),
  })

type Shop = Awaited<ReturnType<typeof openShop>>

/** The figures of the only sale: what is left of its commission, and what its lines reverse. */
const figuresOf = async ({ merchant, sales }: Shop) => {
  const [event] = await database.query<{ earned: number[]; reversed: unknown }>(
    `select array(select (step #>> '{facts,earnedCents}')::int from jsonb_array_elements(steps) step
                  where step ->> 'code' = 'line_reward') as earned,
            jsonb_path_query_first(steps, '$[*] ? (@.code == "commission_reversed").facts.lines') as reversed
     from events where workspace_id = $1 and kind = 'sale'`,
    [merchant.workspace.id],
  )
  expect(await database.violations(merchant.workspace.id)).toEqual([])
  expect(await differencesOf(database.query, merchant.workspace.id)).toEqual([])
  return { ...event, left: (await sales())[0]?.earned }
}

// 547.60 of 1,006.73 are 460.17 net: 40.00 of the course, and 420.17 of the 805.99 that are left.
const BOTH = {
  earned: [21_330, 1_800, 2_500],
  left: 25_630 - 13_744,
  reversed: [
    { line: 1, returnedCents: 37_065, reversedCents: 11_120 },
    { line: 2, returnedCents: 6_606, reversedCents: 1_321 },
    { line: 3, returnedCents: 2_346, reversedCents: 1_303 },
  ],
}
const NOTE_ALONE = {
  earned: BOTH.earned,
  left: 24_830,
  reversed: [{ line: 2, returnedCents: 4_000, reversedCents: 800 }],
}

test('an invoice of three lines is credited, refunded by a credit note and disputed, in any order', {
  tags: 'sampled',
}, async () => {
  for (const order of orders(['bill', 'note', 'refund', 'dispute'] as const)) {
    const shop = await openShop()
    const [id, payment, refundId] = [stripeId('in'), stripeId('pi'), stripeId('re')]
    const disputed = dispute({ payment_intent: payment, amount: 50_000 })
    const events = {
      bill: ['invoice.paid', bill(id, payment, await shop.clickBefore())],
      note: ['credit_note.created', noteOf(id, [{ refund: refundId, amount_refunded: 4_760 }])],
      refund: ['refund.created', refund({ id: refundId, payment_intent: payment, amount: 4_760 })],
      dispute: ['charge.dispute.created', disputed],
    } as const
    for (const name of order) await shop.deliver(events[name][0], events[name][1])
    expect(await figuresOf(shop), order.join(', ')).toEqual(BOTH)

    await shop.deliver('charge.dispute.closed', { ...disputed, status: 'won' }, seconds() + 60)
    expect(await figuresOf(shop), `${order.join(', ')}, won`).toEqual(NOTE_ALONE)
  }
})

test('a refund is spread over the lines until a credit note names one, and again once it is void', async () => {
  const shop = await openShop()
  const [id, payment, refundId] = [stripeId('in'), stripeId('pi'), stripeId('re')]
  await shop.deliver('invoice.paid', bill(id, payment, await shop.clickBefore()))
  const refunded = refund({ id: refundId, payment_intent: payment, amount: 4_760 })
  await shop.deliver('refund.created', refunded)
  // 40.00 of 845.99: 33.6174, 4.2549 and 2.1277 of the lines.
  const spread = {
    earned: BOTH.earned,
    left: 25_630 - 1_212,
    reversed: [
      { line: 1, returnedCents: 3_362, reversedCents: 1_009 },
      { line: 2, returnedCents: 425, reversedCents: 85 },
      { line: 3, returnedCents: 213, reversedCents: 118 },
    ],
  }
  expect(await figuresOf(shop)).toEqual(spread)

  const note = noteOf(id, [{ refund: refundId, amount_refunded: 4_760 }])
  await shop.deliver('credit_note.created', note)
  expect(await figuresOf(shop)).toEqual(NOTE_ALONE)

  await shop.deliver('credit_note.voided', { ...note, status: 'void' }, seconds() + 60)
  expect(await figuresOf(shop)).toEqual(spread)
})

test('what managers reverse and the merchant refunds comes on top, up to all of it', async () => {
  const shop = await openShop()
  const { merchant } = shop
  const manager = await merchant.asManager()
  const [id, payment] = [stripeId('in'), stripeId('pi')]
  await shop.deliver('invoice.paid', bill(id, payment, await shop.clickBefore()))
  await shop.deliver('credit_note.created', noteOf(id, []))
  const [commission] = await database.query<{ id: string }>(
    `select id from commissions where workspace_id = $1 and kind = 'sale'`,
    [merchant.workspace.id],
  )
  const byHand = { amountCents: 1_000, reason: 'Agreed', externalId: 'by-hand' }
  expect((await manager.post(`/commissions/${commission?.id}/reverse`, byHand)).status).toBe(201)
  expect(await figuresOf(shop)).toEqual({ ...NOTE_ALONE, left: 23_830 })

  // The merchant reports the same 40.00, which the note has said already.
  await merchant.refund({ externalId: 'same', saleExternalId: id, amountCents: 4_000 })
  expect(await figuresOf(shop)).toEqual({ ...NOTE_ALONE, left: 23_830 })

  await merchant.refund({ externalId: 'rest', saleExternalId: id })
  expect((await figuresOf(shop)).left).toBe(0)
})
