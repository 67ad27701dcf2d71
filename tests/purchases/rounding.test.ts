/** What a return reverses is rounded half up, once for everything returned, whoever reports it. */
import { expect, test } from 'vitest'
import { nothingReturned, returnedPartOf } from '../../lib/rules/refunds/returns.ts'
import { useDatabase } from '../support/merchant.ts'
import {
  charge,
  creditNote,
  dispute,
  oldInvoice,
  refund,
  type StripeObject,
  stripeId,
} from '../support/stripe.ts'
import { openStripeShop } from '../support/stripe-shop.ts'

const database = useDatabase()

test.each([
  { case: 'half a cent is a cent', commission: 500n, returned: 5n, paid: 5_000n, reverses: 1n },
  {
    case: 'a cent and a half are two',
    commission: 500n,
    returned: 15n,
    paid: 5_000n,
    reverses: 2n,
  },
  {
    case: 'more than half a cent is a cent',
    commission: 980n,
    returned: 3n,
    paid: 4_900n,
    reverses: 1n,
  },
  {
    case: 'less than half a cent is nothing',
    commission: 980n,
    returned: 2n,
    paid: 4_900n,
    reverses: 0n,
  },
  { case: 'two thirds of a cent are one', commission: 1n, returned: 2n, paid: 3n, reverses: 1n },
  { case: 'a third of a cent is nothing', commission: 1n, returned: 1n, paid: 3n, reverses: 0n },
  { case: 'all of it is all', commission: 333n, returned: 1_111n, paid: 1_111n, reverses: 333n },
  { case: 'nothing is nothing', commission: 333n, returned: 0n, paid: 1_111n, reverses: 0n },
  { case: 'of what was free, nothing', commission: 500n, returned: 0n, paid: 0n, reverses: 0n },
  {
    case: 'the largest amounts are exact',
    ...{ commission: 99_999_999_999n, returned: 49_999_999_999n, paid: 99_999_999_998n },
    reverses: 50_000_000_000n,
  },
])('$case', ({ commission, returned, paid, reverses }) => {
  const none = nothingReturned({ amountCents: paid, currency: 'USD' })
  expect(returnedPartOf(commission, { ...none, refundedCents: returned })).toBe(reverses)
  expect(returnedPartOf(commission, { ...none, disputedCents: returned })).toBe(reverses)
})

type Sold = { payment: string; charge: string; invoice: string }
type Shop = Awaited<ReturnType<typeof openStripeShop>>

/** Each returns so much more of the sale. @param all how much was returned by then */
const RETURNS: Record<
  string,
  (shop: Shop, sold: Sold, cents: number, all: number) => Promise<unknown>
> = {
  'a refund by API': ({ merchant }, { invoice }, amountCents) =>
    merchant.refund({ externalId: crypto.randomUUID(), saleExternalId: invoice, amountCents }),
  'a charge’s total of refunds': ({ deliver }, { payment, charge: id }, _, all) =>
    deliver(
      'charge.refunded',
      charge({ id, payment_intent: payment, amount: 5_000, amount_refunded: all }),
    ),
  'a refund of Stripe’s': ({ deliver }, { payment }, amount) =>
    deliver('refund.created', refund({ payment_intent: payment, amount })),
  'a dispute': ({ deliver }, { payment }, amount) =>
    deliver('charge.dispute.created', dispute({ payment_intent: payment, amount })),
  'a credit note': ({ deliver }, { invoice }, amount) =>
    deliver('credit_note.created', creditNote({ invoice, amount })),
}

test.each(Object.keys(RETURNS))('by %s, parts add up before they are rounded', async (by) => {
  const shop = await openStripeShop(database, { program: { reward: { percent: 10 } } })
  const sold = { payment: stripeId('pi'), charge: stripeId('ch'), invoice: stripeId('in') }
  const amounts: StripeObject = { amount_paid: 5_000, total: 5_000, total_excluding_tax: 5_000 }
  await shop.deliver(
    'invoice.paid',
    oldInvoice({
      ...{ id: sold.invoice, payment_intent: sold.payment, charge: sold.charge, ...amounts },
      metadata: { tributary_click: await shop.clickBefore() },
    }),
  )
  const left: (number | null | undefined)[] = []
  let all = 0
  for (const cents of [4, 1, 5, 4, 1]) {
    all += cents
    await RETURNS[by]?.(shop, sold, cents, all)
    left.push((await shop.sales())[0]?.earned)
  }
  // 10% of 4, 5, 10, 14 and 15 cents: 0.4, 0.5, 1, 1.4 and 1.5.
  expect(left).toEqual([500, 499, 499, 499, 498])
  expect(await database.violations(shop.merchant.workspace.id)).toEqual([])
})

test('of a sale that only the merchant reports, too', async () => {
  const { merchant, sales } = await openStripeShop(database, {
    program: { reward: { percent: 10 } },
  })
  await merchant.sale({ clickId: await merchant.click(), amountCents: 5_000 })
  const left: (number | null | undefined)[] = []
  for (const [n, amountCents] of [4, 1, 5, 4, 1].entries()) {
    await merchant.refund({ externalId: `part_${n}`, amountCents })
    left.push((await sales())[0]?.earned)
  }
  expect(left).toEqual([500, 499, 499, 499, 498])
})
