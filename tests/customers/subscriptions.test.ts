// @module-tag sampled
/**
 * Renewals credit the partner of their subscription's first sale. Design section 5, "Attribution of
 * renewals".
 */
import { expect, test } from 'vitest'
import { type Buyer, inEveryOrder, ofSubscription, openShop, paidBy } from '../support/buyers.ts'
import { createMerchant, useDatabase } from '../support/merchant.ts'
import {
  checkoutSession,
  invoice,
  oldInvoice,
  type StripeObject,
  seconds,
  stripeEvent,
  stripeId,
  useStripe,
} from '../support/stripe.ts'
import { everyNth } from '../support/thorough.ts'

const database = useDatabase()

const HOUR = 3_600

test.each(
  everyNth(2, [
    { bought: 'by a click in another program', via: 'click' },
    { bought: 'with a coupon of another program', via: 'coupon' },
  ]),
)(
  'a small purchase $bought does not move the renewals of a subscription that was bought before',
  async ({ via }) => {
    const shop = await openShop(database)
    await inEveryOrder(
      shop,
      async (buyer) => {
        const subscription = buyer.id('sub')
        const [maya, nora] = [await buyer.click('maya'), await buyer.click('nora')]
        return {
          checkout: () =>
            buyer.checkout({
              at: 60,
              subscription,
              invoice: buyer.id('in'),
              client_reference_id: maya,
            }),
          invoice: () =>
            buyer.invoice({ at: 65, ...ofSubscription(subscription, 'subscription_create') }),
          small: () =>
            buyer.checkout({
              id: buyer.id('cs_test', 'small'),
              at: 600,
              amount_total: 500,
              ...(via === 'click'
                ? { client_reference_id: nora }
                : { discounts: [{ coupon: 'NORA' }] }),
            }),
          renewal: () =>
            buyer.invoice({
              id: buyer.id('in', 'renewal'),
              at: 3_600,
              ...ofSubscription(subscription),
            }),
        }
      },
      { sales: { in: 'maya 980', in_renewal: 'maya 980', pi: 'nora 100' }, customers: 1 },
    )
  },
)

test('a new purchase after it credits the partner whom the customer came to last, and so do its renewals', async () => {
  const shop = await openShop(database)
  await inEveryOrder(
    shop,
    async (buyer) => {
      const [first, second] = [buyer.id('sub'), buyer.id('sub', 'second')]
      const [maya, leo] = [await buyer.click('maya'), await buyer.click('leo')]
      return {
        first: () =>
          buyer.checkout({
            id: buyer.id('cs_test', 'first'),
            at: 60,
            subscription: first,
            invoice: buyer.id('in', 'first'),
            client_reference_id: maya,
          }),
        second: () =>
          buyer.checkout({
            at: 600,
            subscription: second,
            invoice: buyer.id('in'),
            client_reference_id: leo,
          }),
        renewal1: () =>
          buyer.invoice({ id: buyer.id('in', 'first2'), at: 3_600, ...ofSubscription(first) }),
        renewal2: () =>
          buyer.invoice(
            {
              ...{ id: buyer.id('in', 'second2'), at: 3_700, billing_reason: 'subscription_cycle' },
              ...{ parent: undefined, subscription: second },
            },
            oldInvoice,
          ),
      }
    },
    {
      sales: { in: 'leo 980', in_first: 'maya 980', in_first2: 'maya 980', in_second2: 'leo 980' },
      customers: 1,
    },
  )
})

test('an import that is younger than the subscription takes its renewals over', async () => {
  const shop = await openShop(database)
  await inEveryOrder(
    shop,
    async (buyer) => {
      const subscription = buyer.id('sub')
      const maya = await buyer.click('maya', 2)
      return {
        checkout: () =>
          buyer.checkout({
            at: -600,
            subscription,
            invoice: buyer.id('in'),
            client_reference_id: maya,
          }),
        before: () =>
          buyer.invoice({
            id: buyer.id('in', 'before'),
            at: -300,
            ...ofSubscription(subscription),
          }),
        import: () => buyer.import({}, 'leo'),
        renewal: () =>
          buyer.invoice({
            id: buyer.id('in', 'renewal'),
            at: HOUR,
            ...ofSubscription(subscription),
          }),
      }
    },
    { sales: { in: 'maya 980', in_before: 'maya 980', in_renewal: 'leo 980' }, customers: 1 },
  )
})

test('a subscription that was bought before any partner referred its customer credits nobody', async () => {
  const shop = await openShop(database)
  await inEveryOrder(
    shop,
    async (buyer) => {
      const subscription = buyer.id('sub')
      const leo = await buyer.click('leo', 1)
      return {
        first: () =>
          buyer.invoice({ at: -2 * HOUR, ...ofSubscription(subscription, 'subscription_create') }),
        other: () => buyer.checkout({ at: 600, client_reference_id: leo }),
        renewal: () =>
          buyer.invoice({
            id: buyer.id('in', 'renewal'),
            at: HOUR,
            ...ofSubscription(subscription),
          }),
      }
    },
    { sales: { in: 'nobody 0', in_renewal: 'nobody 0', pi: 'leo 980' }, customers: 1 },
  )
})

test.each(
  everyNth(2, [
    { by: 'Stripe’s id', idOf: (buyer: Buyer) => buyer.id('cus') },
    { by: 'its address', idOf: (buyer: Buyer) => buyer.address },
  ]),
)(
  'a customer imported by $by is credited for the renewals of a subscription that credited nobody before',
  async ({ idOf }) => {
    const shop = await openShop(database)
    await inEveryOrder(
      shop,
      (buyer) => {
        const subscription = ofSubscription(buyer.id('sub'))
        return {
          before: () => buyer.invoice({ at: -HOUR, ...subscription }),
          import: () => buyer.import({ customerExternalId: idOf(buyer) }),
          renewal: () =>
            buyer.invoice({ id: buyer.id('in', 'renewal'), at: HOUR, ...subscription }),
        }
      },
      { sales: { in: 'nobody 0', in_renewal: 'maya 980' } },
    )
  },
)

test('a free trial’s click is that of its subscription’s first paid invoice, and moves nothing else', async () => {
  const shop = await openShop(database)
  await inEveryOrder(
    shop,
    async (buyer) => {
      const [subscription, other] = [buyer.id('sub'), buyer.id('sub', 'other')]
      const [maya, leo] = [await buyer.click('maya'), await buyer.click('leo')]
      return {
        first: () => buyer.checkout({ at: 60, subscription: other, client_reference_id: maya }),
        trial: () =>
          buyer.checkout({
            id: buyer.id('cs_test', 'trial'),
            at: 600,
            subscription,
            amount_total: 0,
            payment_status: 'no_payment_required',
            payment_intent: null,
            client_reference_id: leo,
          }),
        paid: () => buyer.invoice({ at: 3_600, ...ofSubscription(subscription) }),
        renewal: () =>
          buyer.invoice({
            ...{ id: buyer.id('in', 'other'), at: 3_700 },
            ...ofSubscription(other),
            ...paidBy(buyer.id('pi', 'other')),
          }),
      }
    },
    { sales: { in: 'leo 980', in_other: 'maya 980', pi: 'maya 980' }, customers: 1 },
  )
})

const TRIAL = { amount_total: 0, payment_status: 'no_payment_required', payment_intent: null }

test.each([
  { attribution: 'last', other: 'leo 980' },
  { attribution: 'first', other: 'maya 980' },
] as const)(
  'a free trial refers a customer whom nobody had referred: under “$attribution”, its first paid invoice credits it, and a later purchase by another link earns $other',
  async ({ attribution, other }) => {
    const shop = await openShop(database, { program: { attribution } })
    await inEveryOrder(
      shop,
      async (buyer) => {
        const subscription = buyer.id('sub')
        const [maya, leo] = [await buyer.click('maya'), await buyer.click('leo')]
        const trial = { id: buyer.id('cs_test', 'trial'), subscription, client_reference_id: maya }
        return {
          trial: () => buyer.checkout({ at: 60, ...trial, ...TRIAL }),
          paid: () => buyer.invoice({ at: HOUR, ...ofSubscription(subscription) }),
          other: () => buyer.checkout({ at: 2 * HOUR, client_reference_id: leo }),
        }
      },
      { sales: { in: 'maya 980', pi: other }, customers: 1 },
    )
  },
)

test.each([
  { attribution: 'last', credited: 'leo 980' },
  { attribution: 'first', credited: 'maya 980' },
] as const)(
  'a free trial by another link moves no customer: under “$attribution”, its first paid invoice and what is bought after that earn $credited',
  async ({ attribution, credited }) => {
    const shop = await openShop(database, { program: { attribution } })
    await inEveryOrder(
      shop,
      async (buyer) => {
        const subscription = buyer.id('sub')
        const [maya, leo] = [await buyer.click('maya'), await buyer.click('leo')]
        const metadata = { customerExternalId: buyer.id('user') }
        const trial = {
          id: buyer.id('cs_test', 'trial'),
          subscription,
          client_reference_id: leo,
          metadata,
        }
        const before = {
          id: buyer.id('cs_test', 'before'),
          payment_intent: buyer.id('pi', 'before'),
        }
        return {
          lead: () => buyer.lead({ clickId: maya }),
          trial: () => buyer.checkout({ at: 60, ...trial, ...TRIAL }),
          before: () => buyer.checkout({ at: HOUR - 60, ...before }),
          paid: () => buyer.invoice({ at: HOUR, ...ofSubscription(subscription) }),
          after: () => buyer.checkout({ at: 2 * HOUR }),
        }
      },
      { sales: { pi_before: 'maya 980', in: credited, pi: credited }, customers: 1 },
    )
  },
)

test('a trial’s coupon credits the first paid invoice only: an import between it and the next one takes that over', async () => {
  const shop = await openShop(database)
  await inEveryOrder(
    shop,
    (buyer) => {
      const subscription = buyer.id('sub')
      const trial = {
        id: buyer.id('cs_test', 'trial'),
        subscription,
        discounts: [{ coupon: 'NORA' }],
      }
      return {
        trial: () => buyer.checkout({ at: -HOUR, ...trial, ...TRIAL }),
        paid: () => buyer.invoice({ at: -600, ...ofSubscription(subscription) }),
        import: () => buyer.import({}, 'leo'),
        renewal: () =>
          buyer.invoice({
            id: buyer.id('in', 'renewal'),
            at: HOUR,
            ...ofSubscription(subscription),
          }),
      }
    },
    { sales: { in: 'nora 980', in_renewal: 'leo 980' }, customers: 1 },
  )
})

test('a trial’s coupon credits the first paid invoice though the trial was begun by another link, which took it when the sale was planned again', async () => {
  const shop = await openShop(database)
  await inEveryOrder(
    shop,
    async (buyer) => {
      const subscription = buyer.id('sub')
      const by = {
        discounts: [{ coupon: 'NORA' }],
        client_reference_id: await buyer.click('maya', 1),
      }
      const trial = { id: buyer.id('cs_test', 'trial'), subscription, ...by }
      const before = { id: buyer.id('cs_test', 'before'), payment_intent: buyer.id('pi', 'before') }
      return {
        trial: () => buyer.checkout({ at: 60, ...trial, ...TRIAL }),
        paid: () => buyer.invoice({ at: HOUR, ...ofSubscription(subscription) }),
        before: () => buyer.checkout({ at: 30, ...before }),
      }
    },
    { sales: { pi_before: 'nobody 0', in: 'nora 980' }, customers: 1 },
  )
})

test('a trial’s coupon stays that of the partner who had it then, also when another one has it now and all is planned again', async () => {
  const merchant = await createMerchant()
  const { seed, workspace, programId, partnerId } = merchant
  const leo = await seed.addPartner(workspace.id, programId, { slug: 'leo' })
  await seed.addCoupon(workspace.id, partnerId, 'TRIAL')
  const stripe = await useStripe(merchant)
  const manager = await merchant.asManager()
  const [customer, subscription, start] = [stripeId('cus'), stripeId('sub'), seconds() - 3_600]
  const buy = async (fields: StripeObject, created: number) => {
    const session = checkoutSession({ customer, created, ...fields })
    await stripe.deliver(stripeEvent('checkout.session.completed', session, { created }))
  }
  const renew = async (id: string, paid_at: number) => {
    const parent = { type: 'subscription_details', subscription_details: { subscription } }
    const of = { id, customer, parent, status_transitions: { paid_at }, created: paid_at }
    await stripe.deliver(stripeEvent('invoice.paid', invoice(of), { created: paid_at }))
  }
  const credited = async () =>
    database.query(
      `select e.external_id as id, p.slug from events e left join partners p on p.id = e.partner_id
       where e.workspace_id = $1 and e.subscription_id = $2 order by e.occurred_at`,
      [workspace.id, subscription],
    )
  const discounts = [{ coupon: 'TRIAL', promotion_code: null }]
  const free = {
    amount_subtotal: 0,
    amount_total: 0,
    payment_status: 'no_payment_required',
    payment_intent: null,
  }
  await buy({ ...free, mode: 'subscription', subscription, discounts }, start)
  expect((await manager.delete(`/partners/${partnerId}/coupons/TRIAL`)).status).toBe(204)
  await renew('in_1', start + 60)
  expect((await manager.post(`/partners/${leo}/coupons`, { couponId: 'TRIAL' })).status).toBe(201)
  await renew('in_2', start + 120)
  // What was paid before both arrives late, so that both are planned again.
  await buy({}, start + 30)
  expect(await credited()).toEqual([
    { id: 'in_1', slug: 'maya' },
    { id: 'in_2', slug: 'maya' },
  ])
  expect(await database.violations(workspace.id)).toEqual([])
})
