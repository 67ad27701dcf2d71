// @module-tag sampled
/**
 * Two events of one payment at Stripe that no id ties: one earns, and the other is held until an id
 * or a manager decides.
 */
import { describe, expect, inject, test } from 'vitest'
import { connect } from '../../../lib/db/connection.ts'
import { endWaits } from '../../../lib/purchases/apply/late.service.ts'
import { codes, useDatabase } from '../../support/merchant.ts'
import { orders } from '../../support/permutations.ts'
import {
  checkoutSession,
  invoice,
  invoicePayment,
  paymentIntent,
  seconds,
  stripeId,
} from '../../support/stripe.ts'
import { openStripeShop } from '../../support/stripe-shop.ts'
import { everyNth, timesOver } from '../../support/thorough.ts'

const database = useDatabase()

const ROUNDS = timesOver({ quick: 2, thorough: 6, exhaustive: 6 })

/** A customer of maya's, imported two days ago, who has paid 49.00 just now. */
const openShop = async () => {
  const { merchant, deliver } = await openStripeShop(database)
  const customer = stripeId('cus')
  const manager = await merchant.asManager()
  await manager.post('/customers/import', {
    rows: [{ customerExternalId: customer, partnerEmail: 'maya@partner.example' }],
  })
  await database.query(
    'update referrals set referred_at = referred_at - interval $$2 days$$ where workspace_id = $1',
    [merchant.workspace.id],
  )
  const rows = async () =>
    (await merchant.get('/commissions')).body.data as {
      id: string
      kind: string
      eventId: string
      amountCents: number
      status: string
    }[]
  return {
    merchant,
    manager,
    customer,
    deliver,
    payment: (fields: Record<string, unknown> = {}) =>
      deliver(
        'payment_intent.succeeded',
        paymentIntent({ customer, ...fields }),
        seconds() - 16 * 60,
      ),
    invoice: (fields: Record<string, unknown> = {}) =>
      deliver('invoice.paid', invoice({ customer, ...fields })),
    checkout: (fields: Record<string, unknown> = {}) =>
      deliver('checkout.session.completed', checkoutSession({ customer, ...fields })),
    tie: (invoiceId: string, payment: string) =>
      deliver('invoice_payment.paid', invoicePayment(invoiceId, payment)),
    /**
     * What is left of the commissions by the id of their sale, and whether it is held. Checks the
     * ledger too.
     */
    earned: async () => {
      expect(await database.violations(merchant.workspace.id)).toEqual([])
      const sums = new Map<string, number>()
      for (const { eventId, amountCents, status } of await rows()) {
        const { externalId } = await merchant.explain(eventId)
        const name = `${externalId}${status === 'held' ? ' held' : ''}`
        sums.set(name, (sums.get(name) ?? 0) + amountCents)
      }
      return Object.fromEntries([...sums].filter(([, cents]) => cents !== 0).sort())
    },
    /** Begins to pay all that was earned by now. */
    payOut: () =>
      database.query(
        `with run as (
           insert into payout_runs (id, workspace_id, method, cutoff_at, created_by, created_at, claimed_at)
           values (gen_random_uuid(), $1, 'manual', now(), 'manager@shop.example', now(), now()) returning id),
         payout as (
           insert into payouts (id, workspace_id, run_id, program_id, partner_id, currency, amount_cents,
                                created_at, claimed_at, next_attempt_at)
           select gen_random_uuid(), $1, run.id, c.program_id, c.partner_id, c.currency, c.amount_cents,
                  now(), now(), now()
           from run, commissions c where c.workspace_id = $1 returning id)
         update commissions set payout_id = payout.id from payout where workspace_id = $1`,
        [merchant.workspace.id],
      ),
    /** Each sale and the status of its commission, oldest first. */
    statuses: async () =>
      Promise.all(
        (await rows())
          .toReversed()
          .map(
            async ({ eventId, status }) =>
              `${(await merchant.explain(eventId)).externalId} ${status}`,
          ),
      ),
    heldId: async () => (await rows()).find(({ status }) => status === 'held')?.id ?? '',
  }
}
type Shop = Awaited<ReturnType<typeof openShop>>

/** The sum of what is payable, and of what is held. */
const sums = (earned: Record<string, number>) => {
  const sum = (isHeld: boolean) =>
    Object.entries(earned)
      .filter(([name]) => name.endsWith(' held') === isHeld)
      .reduce((total, [, cents]) => total + cents, 0)
  return { payable: sum(false), held: sum(true) }
}

/** `otherId` is the payment of the checkout. */
type Ids = Record<'invoiceId' | 'paymentId' | 'checkoutId' | 'otherId' | 'clickId', string>
type Pair = {
  case: string
  steps: ((shop: Shop, ids: Ids) => Promise<void>)[]
  /** Cents that are payable and held, whichever event was received first. */
  payable: number
  held: number
}

const WITH_TAX = { total_excluding_tax: 4_000, total_taxes: [{ amount: 900 }] }

const PAIRS: Pair[] = [
  {
    case: 'the invoice of a renewal and its payment',
    steps: [
      (shop, { invoiceId }) => shop.invoice({ id: invoiceId }),
      (shop, { paymentId }) => shop.payment({ id: paymentId }),
    ],
    payable: 980,
    held: 980,
  },
  {
    case: 'an invoice with tax and its payment, which does not say the tax',
    steps: [
      (shop, { invoiceId }) => shop.invoice({ id: invoiceId, ...WITH_TAX }),
      (shop, { paymentId }) => shop.payment({ id: paymentId }),
    ],
    payable: 800,
    held: 980,
  },
  {
    case: 'an invoice marked as paid outside of Stripe, and the payment of it',
    steps: [
      async (shop, { invoiceId }) => {
        await database.query(
          'update programs set credit_out_of_band = true where workspace_id = $1',
          [shop.merchant.workspace.id],
        )
        await shop.invoice({
          id: invoiceId,
          amount_paid: 4_900,
          amount_paid_off_stripe: 4_900,
          ...WITH_TAX,
        })
      },
      async (shop, { paymentId }) => {
        await database.query(
          'update programs set credit_out_of_band = true where workspace_id = $1',
          [shop.merchant.workspace.id],
        )
        await shop.payment({ id: paymentId })
      },
    ],
    payable: 800,
    held: 980,
  },
  {
    case: 'a checkout and its receipt, an invoice',
    steps: [
      (shop, { checkoutId, otherId }) => shop.checkout({ id: checkoutId, payment_intent: otherId }),
      (shop, { invoiceId }) => shop.invoice({ id: invoiceId }),
    ],
    payable: 980,
    held: 980,
  },
  {
    case: 'a checkout that names its invoice, and its payment',
    steps: [
      (shop, { checkoutId, invoiceId }) =>
        shop.checkout({
          id: checkoutId,
          mode: 'subscription',
          invoice: invoiceId,
          payment_intent: null,
        }),
      (shop, { paymentId }) => shop.payment({ id: paymentId }),
    ],
    payable: 980,
    held: 980,
  },
  {
    case: 'a guest’s checkout and the receipt that made the buyer a customer of the same address',
    steps: [
      (shop, { checkoutId, otherId, clickId }) =>
        shop.checkout({
          id: checkoutId,
          payment_intent: otherId,
          customer: null,
          client_reference_id: clickId,
        }),
      (shop, { invoiceId }) => shop.invoice({ id: invoiceId }),
    ],
    payable: 980,
    held: 980,
  },
  {
    case: 'a guest’s checkout and a payment with another click, of the same address',
    steps: [
      (shop, { checkoutId, clickId, invoiceId }) =>
        shop.checkout({
          id: checkoutId,
          mode: 'subscription',
          invoice: invoiceId,
          payment_intent: null,
          customer: null,
          client_reference_id: clickId,
        }),
      (shop, { paymentId }) => shop.payment({ id: paymentId, receipt_email: 'ada@example.com' }),
    ],
    payable: 980,
    held: 980,
  },
  {
    case: 'a report under the id of the payment, and the invoice',
    steps: [
      async ({ merchant, customer }, { paymentId, clickId }) => {
        const sale = {
          externalId: paymentId,
          customerExternalId: customer,
          amountCents: 4_900,
          clickId,
        }
        expect((await merchant.sale(sale)).body.attributed).toBe(true)
      },
      (shop, { invoiceId }) => shop.invoice({ id: invoiceId }),
    ],
    payable: 980,
    held: 980,
  },
  {
    case: 'a report under the id of the invoice, and the payment',
    steps: [
      async ({ merchant, customer }, { invoiceId, clickId }) => {
        const sale = {
          externalId: invoiceId,
          customerExternalId: customer,
          amountCents: 4_900,
          clickId,
        }
        expect((await merchant.sale(sale)).body.attributed).toBe(true)
      },
      (shop, { paymentId }) => shop.payment({ id: paymentId }),
    ],
    payable: 980,
    held: 980,
  },
  {
    case: 'reports under the ids of the invoice and of the payment',
    steps: (['invoiceId', 'paymentId'] as const).map(
      (id) =>
        async ({ merchant, customer }, ids) => {
          const sale = { customerExternalId: customer, amountCents: 4_900, clickId: ids.clickId }
          expect((await merchant.sale({ externalId: ids[id], ...sale })).body.attributed).toBe(true)
        },
    ),
    payable: 980,
    held: 980,
  },
  {
    case: 'an order reported by API, its invoice and its payment',
    steps: [
      async ({ merchant, customer }, { clickId }) => {
        const sale = {
          externalId: 'order-1',
          customerExternalId: customer,
          amountCents: 4_900,
          clickId,
        }
        expect((await merchant.sale(sale)).body.attributed).toBe(true)
      },
      (shop, { invoiceId }) => shop.invoice({ id: invoiceId }),
      (shop, { paymentId }) => shop.payment({ id: paymentId }),
    ],
    payable: 980,
    held: 1_960,
  },
]

describe('one of the two is held, and in any order as much is payable', () => {
  test.each(everyNth(3, PAIRS))('$case', async ({ steps, payable, held }) => {
    for (const order of orders(steps)) {
      const shop = await openShop()
      const ids = {
        invoiceId: stripeId('in'),
        paymentId: stripeId('pi'),
        checkoutId: stripeId('cs_test'),
        otherId: stripeId('pi'),
        clickId: await shop.merchant.click(),
      }
      for (const step of order) await step(shop, ids)
      expect(sums(await shop.earned())).toEqual({ payable, held })
      // What is received again changes nothing.
      for (const step of order) await step(shop, ids)
      expect(sums(await shop.earned())).toEqual({ payable, held })
    }
  })

  test('of an invoice and its payment, the payment, and its page says of what it may be a duplicate', async () => {
    for (const first of ['invoice', 'payment']) {
      const shop = await openShop()
      const [id, payment] = [stripeId('in'), stripeId('pi')]
      if (first === 'invoice') await shop.invoice({ id })
      await shop.payment({ id: payment })
      if (first === 'payment') await shop.invoice({ id })
      expect(await shop.earned()).toEqual({ [id]: 980, [`${payment} held`]: 980 })
      const explained = await shop.merchant.explainReport('sale', payment)
      expect(explained?.steps.at(-1)).toMatchObject({
        code: 'possible_duplicate',
        facts: { externalId: id },
      })
      expect(codes(await shop.merchant.explainReport('sale', id))).not.toContain(
        'possible_duplicate',
      )
    }
  })

  test('when the wait of the payment is over', async () => {
    const shop = await openShop()
    const [id, payment] = [stripeId('in'), stripeId('pi')]
    await shop.deliver(
      'payment_intent.succeeded',
      paymentIntent({ id: payment, customer: shop.customer }),
    )
    await shop.invoice({ id })
    expect(await shop.earned()).toEqual({ [id]: 980 })
    await endWaits(() => connect(inject('database')), new Date(Date.now() + 16 * 60_000))
    expect(await shop.earned()).toEqual({ [id]: 980, [`${payment} held`]: 980 })
  })

  test('received at the same time', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const shop = await openShop()
      await Promise.all([shop.invoice(), shop.payment()])
      expect(sums(await shop.earned())).toEqual({ payable: 980, held: 980 })
      const guest = await openShop()
      await Promise.all([
        guest.checkout({ customer: null, client_reference_id: await guest.merchant.click() }),
        guest.invoice(),
      ])
      expect(sums(await guest.earned())).toEqual({ payable: 980, held: 980 })
    }
  })

  test('but not what is in a payout already: then the other one', async () => {
    const shop = await openShop()
    const [id, payment] = [stripeId('in'), stripeId('pi')]
    await shop.payment({ id: payment })
    await shop.payOut()
    await shop.invoice({ id })
    expect(await shop.statuses()).toEqual([`${payment} processing`, `${id} held`])
  })
})

describe('purchases of their own, which all earn', () => {
  test.each(
    everyNth<{
      case: string
      steps: (shop: Shop) => Promise<void>[] | Promise<void>
      payable: number
    }>(3, [
      {
        case: 'two checkouts of one product',
        steps: async ({ checkout }) => {
          await checkout()
          await checkout()
        },
        payable: 1_960,
      },
      {
        case: 'two invoices of two subscriptions at one price',
        steps: async (shop) => {
          await shop.invoice()
          await shop.invoice()
        },
        payable: 1_960,
      },
      {
        case: 'two payments',
        steps: async ({ payment }) => {
          await payment()
          await payment()
        },
        payable: 1_960,
      },
      {
        case: 'a checkout, whose payment is known, and another payment',
        steps: async ({ checkout, payment }) => {
          await checkout()
          await payment()
        },
        payable: 1_960,
      },
      {
        case: 'an invoice, whose payment is known, and another payment',
        steps: async (shop) => {
          await shop.invoice({ id: 'in_own' })
          await shop.tie('in_own', 'pi_of_invoice')
          await shop.payment()
        },
        payable: 1_960,
      },
      {
        case: 'a payment, and an invoice whose payment is known only after it',
        steps: async (shop) => {
          await shop.payment()
          await shop.invoice({ id: 'in_own' })
          await shop.tie('in_own', 'pi_of_invoice')
        },
        payable: 1_960,
      },
      {
        case: 'an invoice and a payment of another amount',
        steps: async (shop) => {
          await shop.invoice()
          await shop.payment({ amount: 4_800, amount_received: 4_800 })
        },
        payable: 1_940,
      },
      {
        case: 'an invoice and a payment of the day before',
        steps: async ({ deliver, customer, ...shop }) => {
          await shop.invoice()
          await deliver(
            'payment_intent.succeeded',
            paymentIntent({ customer }),
            seconds() - 25 * 3_600,
          )
        },
        payable: 1_960,
      },
    ]),
  )('$case', async ({ steps, payable }) => {
    const shop = await openShop()
    await steps(shop)
    expect(sums(await shop.earned())).toEqual({ payable, held: 0 })
  })
})

describe('an id that ties the two later makes them one purchase, and the hold is resolved', () => {
  test.each(orders(['invoice', 'payment', 'tie'] as const))('%s, %s, %s', async (...order) => {
    const shop = await openShop()
    const [id, payment] = [stripeId('in'), stripeId('pi')]
    const steps = {
      invoice: () => shop.invoice({ id, ...WITH_TAX }),
      payment: () => shop.payment({ id: payment }),
      tie: () => shop.tie(id, payment),
    }
    for (const step of order) await steps[step]()
    expect(sums(await shop.earned())).toEqual({ payable: 800, held: 0 })
  })

  test('also when a manager has rejected the one that was recorded first', async () => {
    for (const first of ['invoice', 'payment']) {
      const shop = await openShop()
      const [id, payment] = [stripeId('in'), stripeId('pi')]
      if (first === 'invoice') await shop.invoice({ id })
      await shop.payment({ id: payment })
      if (first === 'payment') await shop.invoice({ id })
      const { status } = await shop.manager.post(`/commissions/${await shop.heldId()}/reject`)
      expect(status).toBe(200)
      expect(await shop.earned()).toEqual({ [id]: 980 })
      await shop.tie(id, payment)
      expect(sums(await shop.earned())).toEqual({ payable: 980, held: 0 })
      await shop.tie(id, payment)
      await shop.invoice({ id, metadata: { tributary_click: await shop.merchant.click() } })
      expect(sums(await shop.earned())).toEqual({ payable: 980, held: 0 })
    }
  })

  test('two renewals of one price and day: each is tied to its payment, whichever it was held as', async () => {
    for (const order of orders(['in_a', 'in_b', 'pi_a', 'pi_b'])) {
      const shop = await openShop()
      for (const id of order)
        await (id.startsWith('in') ? shop.invoice({ id }) : shop.payment({ id }))
      expect(sums(await shop.earned())).toEqual({ payable: 1_960, held: 1_960 })
      await shop.tie('in_a', 'pi_a')
      expect(sums(await shop.earned())).toEqual({ payable: 1_960, held: 980 })
      await shop.tie('in_b', 'pi_b')
      expect(sums(await shop.earned())).toEqual({ payable: 1_960, held: 0 })
    }
  })
})

describe('what a manager has decided', () => {
  test.each([
    { verb: 'release', payable: 1_960 },
    { verb: 'reject', payable: 980 },
  ])('stays so: $verb', async ({ verb, payable }) => {
    for (const first of ['invoice', 'payment']) {
      const shop = await openShop()
      const [id, payment] = [stripeId('in'), stripeId('pi')]
      const steps = [() => shop.invoice({ id }), () => shop.payment({ id: payment })]
      for (const step of first === 'invoice' ? steps : steps.toReversed()) await step()
      expect((await shop.manager.post(`/commissions/${await shop.heldId()}/${verb}`)).status).toBe(
        200,
      )
      expect(sums(await shop.earned())).toEqual({ payable, held: 0 })
      for (const step of steps) await step()
      await shop.deliver('invoice.paid', invoice({ id, customer: shop.customer, ...WITH_TAX }))
      expect(sums(await shop.earned())).toMatchObject({ held: 0 })
    }
  })
})
