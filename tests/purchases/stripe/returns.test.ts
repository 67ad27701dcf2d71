/** What was refunded or credited of a purchase counts once, whatever names it. */
import { expect, test } from 'vitest'
import { createMerchant, useDatabase } from '../../support/merchant.ts'
import {
  charge,
  creditNote,
  dispute,
  invoice,
  oldInvoice,
  refund,
  type StripeObject,
  stripeEvent,
  stripeId,
  useStripe,
} from '../../support/stripe.ts'
import { everyNth } from '../../support/thorough.ts'

const database = useDatabase()

/** An invoice of 49 USD that earned 9.80, and the ids of its payment. */
const buy = async (shape: 'old' | 'new' = 'old') => {
  const merchant = await createMerchant()
  const stripe = await useStripe(merchant)
  const [payment, chargeId] = [stripeId('pi'), stripeId('ch')]
  const metadata = { tributary_click: await merchant.click() }
  const paid =
    shape === 'old'
      ? oldInvoice({ payment_intent: payment, charge: chargeId, metadata })
      : invoice({ metadata })
  const deliver = async (type: string, object: StripeObject) => {
    expect((await stripe.deliver(stripeEvent(type, object))).status).toBe(200)
  }
  await deliver('invoice.paid', paid)
  return {
    merchant,
    deliver,
    payment,
    charge: chargeId,
    invoice: String(paid.id),
    earned: async () =>
      (
        await database.query<{ cents: number }>(
          'select sum(amount_cents)::int as cents from commissions where workspace_id = $1',
          [merchant.workspace.id],
        )
      )[0]?.cents,
  }
}
type Bought = Awaited<ReturnType<typeof buy>>

const orders = <T>(all: T[]): T[][] =>
  all.length < 2
    ? [all]
    : all.flatMap((one, at) =>
        orders(all.filter((_, other) => other !== at)).map((rest) => [one, ...rest]),
      )

type Event = [type: string, object: StripeObject]

test.each(
  everyNth<{ case: string; events: (bought: Bought) => Event[]; earned: number }>(2, [
    {
      case: 'a refund that names only its charge, beside the charge’s total under its payment',
      events: ({ payment, charge: id }) => [
        ['refund.created', refund({ id: 're_1', charge: id, amount: 1_000 })],
        ['charge.refunded', charge({ id, payment_intent: payment, amount_refunded: 1_000 })],
      ],
      earned: 780,
    },
    {
      case: 'a refund that names its charge first, and its payment later',
      events: ({ payment, charge: id }) => [
        ['refund.created', refund({ id: 're_1', charge: id, amount: 1_000 })],
        ['refund.updated', refund({ id: 're_1', payment_intent: payment, amount: 1_000 })],
        ['charge.refunded', charge({ id, payment_intent: payment, amount_refunded: 1_000 })],
      ],
      earned: 780,
    },
    {
      case: 'two refunds, one by its charge and one by its payment',
      events: ({ payment, charge: id }) => [
        ['refund.created', refund({ id: 're_1', charge: id, amount: 1_000 })],
        ['refund.created', refund({ id: 're_2', payment_intent: payment, amount: 1_000 })],
        ['charge.refunded', charge({ id, payment_intent: payment, amount_refunded: 2_000 })],
      ],
      earned: 580,
    },
    {
      case: 'a credit note with a refund',
      events: ({ payment, invoice }) => [
        ['refund.created', refund({ id: 're_1', payment_intent: payment, amount: 1_000 })],
        [
          'credit_note.created',
          creditNote({
            invoice,
            amount: 1_000,
            refunds: [{ refund: 're_1', amount_refunded: 1_000 }],
          }),
        ],
      ],
      earned: 780,
    },
    {
      case: 'a credit note of 20.00, of which 10.00 was refunded and the rest credited',
      events: ({ payment, invoice }) => [
        ['refund.created', refund({ id: 're_1', payment_intent: payment, amount: 1_000 })],
        [
          'credit_note.created',
          creditNote({
            invoice,
            amount: 2_000,
            refunds: [{ refund: 're_1', amount_refunded: 1_000 }],
          }),
        ],
      ],
      earned: 580,
    },
    {
      case: 'a credit note whose refund only the charge counts',
      events: ({ payment, charge: id, invoice }) => [
        ['charge.refunded', charge({ id, payment_intent: payment, amount_refunded: 1_000 })],
        [
          'credit_note.created',
          creditNote({ invoice, amount: 1_000, refund: 're_1', refunds: undefined }),
        ],
      ],
      earned: 780,
    },
    {
      case: 'a credit note whose refund failed',
      events: ({ payment, invoice }) => [
        [
          'refund.failed',
          refund({ id: 're_1', payment_intent: payment, amount: 1_000, status: 'failed' }),
        ],
        ['credit_note.created', creditNote({ invoice, amount: 1_000, refund: 're_1' })],
      ],
      earned: 980,
    },
    {
      case: 'a refund and another credit note',
      events: ({ payment, invoice }) => [
        ['refund.created', refund({ id: 're_1', payment_intent: payment, amount: 1_000 })],
        ['credit_note.created', creditNote({ invoice, amount: 1_000 })],
      ],
      earned: 580,
    },
    {
      case: 'a credit note that was voided',
      events: ({ invoice }) => [
        ['credit_note.created', creditNote({ id: 'cn_1', invoice, amount: 1_000 })],
        ['credit_note.voided', creditNote({ id: 'cn_1', invoice, amount: 1_000, status: 'void' })],
      ],
      earned: 980,
    },
    {
      case: 'a credit note of more than was paid',
      events: ({ invoice }) => [['credit_note.created', creditNote({ invoice, amount: 9_000 })]],
      earned: 0,
    },
  ]),
)('$case counts once, in any order', async ({ events, earned }) => {
  for (const order of orders(events(await buy()).map((_, at) => at))) {
    const bought = await buy()
    const deliveries = events(bought)
    for (const at of order) {
      const [type, object] = deliveries[at] ?? []
      if (type && object) await bought.deliver(type, object)
    }
    expect([order, await bought.earned()]).toEqual([order, earned])
  }
})

test('what was returned of a sale that earns nothing is stored with it, without tax, in any order', async () => {
  for (const order of orders([0, 1, 2, 3])) {
    const merchant = await createMerchant()
    const stripe = await useStripe(merchant)
    const payment = stripeId('pi')
    const of = { payment_intent: payment }
    // 40.00 and 9.00 of tax, of which 9.80 is refunded, and 2.45 is disputed.
    const taxed = { ...of, tax: 900, total: 4_900, total_excluding_tax: 4_000, subtotal: 4_000 }
    const events: Event[] = [
      ['invoice.paid', oldInvoice(taxed)],
      ['refund.created', refund({ id: 're_1', ...of, amount: 980 })],
      ['charge.dispute.created', dispute({ id: 'dp_1', ...of, amount: 245 })],
      ['refund.created', refund({ id: 're_2', ...of, amount: 100, status: 'failed' })],
    ]
    for (const at of order) {
      const [type, object] = events[at] ?? []
      if (type && object) await stripe.deliver(stripeEvent(type, object))
    }
    const sales = await database.query(
      `select amount_cents::int as sold, returned_cents::int as returned, partner_id from events
       where workspace_id = $1 and kind = 'sale'`,
      [merchant.workspace.id],
    )
    expect([order, sales]).toEqual([order, [{ sold: 4_000, returned: 1_000, partner_id: null }]])
    expect(await database.violations(merchant.workspace.id)).toEqual([])
  }
})

test('a credit note of an invoice of today reverses in proportion', async () => {
  const { deliver, earned, invoice } = await buy('new')
  await deliver('credit_note.created', creditNote({ invoice, amount: 2_450 }))
  expect(await earned()).toBe(490)
})

/** Reverses an amount of the purchase's commission by hand, or all that is left. */
const reverseByHand = async ({ merchant }: Bought, amountCents?: number) => {
  const manager = await merchant.asManager()
  const { body } = await merchant.get('/commissions?kind=sale')
  const [commission] = (body as { data: { id: string }[] }).data
  const externalId = amountCents === undefined ? undefined : `rev-${amountCents}`
  return manager.post(`/commissions/${commission?.id}/reverse`, {
    amountCents,
    externalId,
    reason: 'Ours',
  })
}

test.each([
  { case: 'half by hand and a quarter refunded', hand: 490, refunded: 1_225, earned: 245 },
  { case: 'half by hand and all refunded', hand: 490, refunded: 4_900, earned: 0 },
  { case: 'all that is left by hand', hand: undefined, refunded: 2_450, earned: 0 },
])(
  'a manual reversal and a refund add up, never to more than the commission: $case',
  async (part) => {
    for (const isRefundedFirst of [true, false]) {
      const bought = await buy()
      const refunded = () =>
        bought.deliver(
          'refund.created',
          refund({ id: 're_1', payment_intent: bought.payment, amount: part.refunded }),
        )
      if (isRefundedFirst) await refunded()
      const left = await bought.earned()
      const { status } = await reverseByHand(bought, part.hand)
      // By then, less is left than the amount: nothing is reversed by hand.
      const isRefused = (part.hand ?? 1) > (left ?? 0)
      expect([status, isRefused]).toEqual([isRefused ? 409 : 201, isRefused])
      if (!isRefundedFirst) await refunded()
      expect(await bought.earned()).toBe(part.earned)
      expect(await database.violations(bought.merchant.workspace.id)).toEqual([])
    }
  },
)

test('a refund that fails reinstates its own part, and not what a manager reversed', async () => {
  const bought = await buy()
  const ofRefund = { id: 're_1', payment_intent: bought.payment, amount: 4_900 }
  await reverseByHand(bought, 300)
  await bought.deliver('refund.created', refund(ofRefund))
  expect(await bought.earned()).toBe(0)
  await bought.deliver('refund.failed', refund({ ...ofRefund, status: 'failed' }))
  expect(await bought.earned()).toBe(680)
  expect(await database.violations(bought.merchant.workspace.id)).toEqual([])
})

test('refunds and manual reversals at the same time never take back more than the commission', async () => {
  const bought = await buy()
  const results = await Promise.all([
    ...[1, 2, 3, 4].map((n) =>
      bought.deliver(
        'refund.created',
        refund({ id: `re_${n}`, payment_intent: bought.payment, amount: 980 }),
      ),
    ),
    ...[196, 195, 194, 193].map((cents) => reverseByHand(bought, cents)),
  ])
  const byHand = results.flatMap((answer) =>
    answer?.status === 201 ? Number(answer.body.amountCents) : [],
  )
  const taken = byHand.reduce((sum, cents) => sum - cents, 4 * 196)
  expect(await bought.earned()).toBe(Math.max(0, 980 - taken))
  expect(await database.violations(bought.merchant.workspace.id)).toEqual([])
})
