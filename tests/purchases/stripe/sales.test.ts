/**
 * Stripe's events of a sale, and the commissions they create. Spec 4.4 and 4.5, design section 5.
 */
import { expect, test } from 'vitest'
import { codes, createMerchant, type Merchant, useDatabase } from '../../support/merchant.ts'
import {
  charge,
  checkoutSession,
  dispute,
  invoice,
  invoicePayment,
  oldInvoice,
  refund,
  seconds,
  stripeEvent,
  stripeId,
  useStripe,
} from '../../support/stripe.ts'

const database = useDatabase()

const openShop = async (options: Parameters<typeof createMerchant>[0] = {}) => {
  const merchant = await createMerchant(options)
  const { seed, workspace, programId } = merchant
  const leo = await seed.addPartner(workspace.id, programId, { slug: 'leo' })
  await seed.addCoupon(workspace.id, leo, 'LEO10')
  const stripe = await useStripe(merchant)
  const deliver = async (type: string, object: Record<string, unknown>, created?: number) => {
    const { status } = await stripe.deliver(stripeEvent(type, object, created ? { created } : {}))
    expect(status).toBe(200)
  }
  return { merchant, deliver }
}

type Row = { slug: string; kind: string; cents: number; currency: string; external_id: string }

/** The ledger of a merchant: one line per row, oldest first. */
const ledger = async ({ workspace }: Merchant) =>
  (
    await database.query<Row>(
      `select p.slug, c.kind, c.amount_cents::int as cents, c.currency, e.external_id
       from commissions c join partners p on p.id = c.partner_id join events e on e.id = c.event_id
       where c.workspace_id = $1 order by c.id`,
      [workspace.id],
    )
  ).map(({ slug, kind, cents, currency }) => `${slug} ${kind} ${cents} ${currency}`)

const importMapping = async (merchant: Merchant, row: Record<string, unknown>) => {
  const manager = await merchant.asManager()
  const { body } = await manager.post('/customers/import', {
    rows: [{ partnerEmail: 'maya@partner.example', ...row }],
  })
  expect(body.summary).toMatchObject({ created: 1 })
}

test('a checkout with a partner’s coupon credits that partner without a click, and says so', async () => {
  const { merchant, deliver } = await openShop()
  const session = checkoutSession({ discounts: [{ coupon: 'LEO10', promotion_code: 'promo_1' }] })
  await deliver('checkout.session.completed', session)

  expect(await ledger(merchant)).toEqual(['leo sale 980 USD'])
  const event = await merchant.explainReport('sale', String(session.payment_intent))
  expect(event).toMatchObject({
    attributed: true,
    attributedBy: 'coupon',
    amountCents: 4_900,
    partner: { slug: 'leo' },
  })
  expect(codes(event)).toEqual(['coupon', 'program_reward', 'commission_created'])
})

test('a promotion code that is an alias comes before the coupon behind it', async () => {
  const { merchant, deliver } = await openShop()
  const { seed, workspace, programId } = merchant
  const mia = await seed.addPartner(workspace.id, programId, { slug: 'mia' })
  await seed.addCoupon(workspace.id, mia, 'promo_mia')
  await deliver(
    'checkout.session.completed',
    checkoutSession({ discounts: [{ coupon: 'LEO10', promotion_code: 'promo_mia' }] }),
  )
  expect(await ledger(merchant)).toEqual(['mia sale 980 USD'])
})

test('without a coupon the click decides, and another client_reference_id is ignored', async () => {
  const { merchant, deliver } = await openShop()
  await deliver(
    'checkout.session.completed',
    checkoutSession({ client_reference_id: await merchant.click() }),
  )
  await deliver(
    'checkout.session.completed',
    checkoutSession({ client_reference_id: 'order-17', customer_details: null }),
  )
  expect(await ledger(merchant)).toEqual(['maya sale 980 USD'])
})

test('a coupon takes precedence over the click of another partner', async () => {
  const { merchant, deliver } = await openShop()
  const session = checkoutSession({
    discounts: [{ coupon: 'LEO10' }],
    client_reference_id: await merchant.click(),
  })
  await deliver('checkout.session.completed', session)
  expect(await ledger(merchant)).toEqual(['leo sale 980 USD'])
})

test('the coupon of a banned partner credits nobody, and the click behind it counts', async () => {
  const { merchant, deliver } = await openShop()
  await database.query(
    "update partners set status = 'banned' where workspace_id = $1 and slug = 'leo'",
    [merchant.workspace.id],
  )
  const session = checkoutSession({
    discounts: [{ coupon: 'LEO10' }],
    client_reference_id: await merchant.click(),
  })
  await deliver('checkout.session.completed', session)
  expect(await ledger(merchant)).toEqual(['maya sale 980 USD'])
  expect(codes(await merchant.explainReport('sale', String(session.payment_intent)))).toEqual([
    'coupon',
    'partner_inactive',
    'click',
    'program_reward',
    'commission_created',
  ])
})

test('a delayed payment counts once it has succeeded', async () => {
  const { merchant, deliver } = await openShop()
  const session = checkoutSession({ discounts: [{ coupon: 'LEO10' }], payment_status: 'unpaid' })
  await deliver('checkout.session.completed', session)
  expect(await ledger(merchant)).toEqual([])
  await deliver('checkout.session.async_payment_succeeded', { ...session, payment_status: 'paid' })
  expect(await ledger(merchant)).toEqual(['leo sale 980 USD'])
})

test('a subscription and its renewals credit the referring partner, also when the checkout arrives last', async () => {
  const { merchant, deliver } = await openShop()
  const customer = stripeId('cus')
  const first = invoice({ customer })
  const now = seconds()
  await deliver('invoice.paid', invoice({ customer, status_transitions: { paid_at: now + 60 } }))
  await deliver('invoice.paid', first)
  expect(await ledger(merchant)).toEqual([])
  await deliver(
    'checkout.session.completed',
    checkoutSession({
      mode: 'subscription',
      invoice: first.id,
      payment_intent: null,
      customer,
      discounts: [{ coupon: 'LEO10' }],
      created: now - 30,
    }),
  )
  expect(await ledger(merchant)).toEqual(['leo sale 980 USD', 'leo sale 980 USD'])
})

test('a trial earns nothing, and the referring partner is credited when the customer pays', async () => {
  const { merchant, deliver } = await openShop()
  const customer = stripeId('cus')
  const free = { amount_paid: 0, total: 0, total_excluding_tax: 0 }
  const trial = invoice({ customer, ...free })
  await deliver('invoice.paid', trial)
  await deliver(
    'checkout.session.completed',
    checkoutSession({
      mode: 'subscription',
      payment_status: 'no_payment_required',
      amount_total: 0,
      invoice: trial.id,
      payment_intent: null,
      customer,
      discounts: [{ coupon: 'LEO10' }],
    }),
  )
  expect(await ledger(merchant)).toEqual([])
  await deliver(
    'invoice.paid',
    invoice({ customer, status_transitions: { paid_at: seconds() + 60 } }),
  )
  expect(await ledger(merchant)).toEqual(['leo sale 980 USD'])
})

test('an imported customer’s renewal credits the imported partner, and no invoice from before the import does', async () => {
  const { merchant, deliver } = await openShop()
  const customer = stripeId('cus')
  await importMapping(merchant, { customerExternalId: customer })
  const before = invoice({ customer, status_transitions: { paid_at: seconds() - 3_600 } })
  await deliver('invoice.paid', before)
  expect(await ledger(merchant)).toEqual([])
  expect(codes(await merchant.explainReport('sale', String(before.id)))).toEqual([
    'unknown_customer',
  ])

  await deliver(
    'invoice.paid',
    invoice({ customer, status_transitions: { paid_at: seconds() + 60 } }),
  )
  expect(await ledger(merchant)).toEqual(['maya sale 980 USD'])
})

test('a mapping imported by email address is found by the address of each invoice', async () => {
  const { merchant, deliver } = await openShop()
  const customer = stripeId('cus')
  await importMapping(merchant, { customerExternalId: 'Eve@Example.com' })
  const paid = (after: number) => ({ status_transitions: { paid_at: seconds() + after } })
  await deliver(
    'invoice.paid',
    invoice({ customer, customer_email: 'eve@example.com', ...paid(10) }),
  )
  await deliver(
    'invoice.paid',
    invoice({ customer, customer_email: 'EVE@example.com', ...paid(20) }),
  )
  await deliver(
    'invoice.paid',
    invoice({ customer, customer_email: 'eve@new.example', ...paid(25) }),
  )
  await deliver('invoice.paid', invoice({ customer_email: 'adam@example.com', ...paid(30) }))
  expect(await ledger(merchant)).toEqual(['maya sale 980 USD', 'maya sale 980 USD'])
})

test('renewals end with the program’s duration, counted by when they were paid', async () => {
  const { merchant, deliver } = await openShop({ program: { reward_duration_months: 1 } })
  const customer = stripeId('cus')
  const start = seconds() - 3_600
  await importMapping(merchant, { customerExternalId: customer })
  await database.query(
    "update referrals set referred_at = referred_at - interval '1 day' where workspace_id = $1",
    [merchant.workspace.id],
  )
  const DAY = 86_400
  for (const days of [0, 20, 40]) {
    await deliver(
      'invoice.paid',
      invoice({ customer, status_transitions: { paid_at: start + days * DAY } }),
    )
  }
  expect(await ledger(merchant)).toEqual(['maya sale 980 USD', 'maya sale 980 USD'])
})

test('tax earns nothing, and a zero-decimal currency keeps its units', async () => {
  const { merchant, deliver } = await openShop()
  const discounts = [{ coupon: 'LEO10' }]
  await deliver(
    'checkout.session.completed',
    checkoutSession({ discounts, amount_total: 11_900, total_details: { amount_tax: 1_900 } }),
  )
  await deliver(
    'checkout.session.completed',
    checkoutSession({ discounts, currency: 'jpy', amount_total: 980 }),
  )
  await deliver(
    'checkout.session.completed',
    checkoutSession({ discounts, currency: 'kwd', amount_total: 9_800 }),
  )
  // 500 króna, which Stripe counts in hundredths.
  await deliver(
    'checkout.session.completed',
    checkoutSession({ discounts, currency: 'isk', amount_total: 50_000 }),
  )
  expect(await ledger(merchant)).toEqual([
    'leo sale 2000 USD',
    'leo sale 196 JPY',
    'leo sale 1960 KWD',
    'leo sale 100 ISK',
  ])
})

test('a flat reward keeps its own currency', async () => {
  const { merchant, deliver } = await openShop({
    program: { reward: { amountCents: 500n, currency: 'EUR' } },
  })
  await deliver(
    'checkout.session.completed',
    checkoutSession({ discounts: [{ coupon: 'LEO10' }], currency: 'jpy' }),
  )
  expect(await ledger(merchant)).toEqual(['leo sale 500 EUR'])
})

test.each([
  { shape: 'before 2025-03-31', old: true },
  { shape: 'since 2025-03-31', old: false },
])(
  'a refund of an invoice as it is $shape reverses its share once, however often it is reported',
  async ({ old }) => {
    const { merchant, deliver } = await openShop()
    const customer = stripeId('cus')
    const payment = { payment_intent: stripeId('pi'), charge: stripeId('ch') }
    await importMapping(merchant, { customerExternalId: customer })
    const fields = { customer, status_transitions: { paid_at: seconds() + 5 } }
    const paid = old ? oldInvoice({ ...fields, ...payment }) : invoice(fields)
    await deliver('invoice.paid', paid)
    if (!old)
      await deliver('invoice_payment.paid', invoicePayment(String(paid.id), payment.payment_intent))

    const given = refund({ ...payment, amount: 1_000 })
    await deliver('refund.created', given)
    await deliver(
      'charge.refunded',
      charge({ ...payment, id: payment.charge, amount_refunded: 1_000 }),
    )
    await deliver('refund.updated', given)
    expect(await ledger(merchant)).toEqual(['maya sale 980 USD', 'maya reversal -200 USD'])

    await deliver(
      'charge.refunded',
      charge({ ...payment, id: payment.charge, amount_refunded: 4_900 }),
    )
    expect(await ledger(merchant)).toEqual([
      'maya sale 980 USD',
      'maya reversal -200 USD',
      'maya reversal -780 USD',
    ])
    expect(codes(await merchant.explainReport('sale', String(paid.id)))?.at(-1)).toBe(
      'commission_reversed',
    )
  },
)

test('refunds of more than the payment reverse no more than the commission', async () => {
  const { merchant, deliver } = await openShop()
  const session = checkoutSession({ discounts: [{ coupon: 'LEO10' }] })
  await deliver('checkout.session.completed', session)
  const { payment_intent } = session
  await deliver('refund.created', refund({ payment_intent, amount: 4_000 }))
  await deliver('refund.created', refund({ payment_intent, amount: 4_000 }))
  const rows = await ledger(merchant)
  expect(rows).toEqual(['leo sale 980 USD', 'leo reversal -800 USD', 'leo reversal -180 USD'])
})

test('a refund that fails reinstates its share', async () => {
  const { merchant, deliver } = await openShop()
  const session = checkoutSession({ discounts: [{ coupon: 'LEO10' }] })
  await deliver('checkout.session.completed', session)
  const given = refund({ payment_intent: session.payment_intent, status: 'pending' })
  await deliver('refund.created', given)
  await deliver('refund.failed', { ...given, status: 'failed' })
  expect(await ledger(merchant)).toEqual([
    'leo sale 980 USD',
    'leo reversal -980 USD',
    'leo reversal 980 USD',
  ])
})

test('a dispute reverses the commission, a won one reinstates it, and an inquiry does neither', async () => {
  const { merchant, deliver } = await openShop()
  const session = checkoutSession({ discounts: [{ coupon: 'LEO10' }] })
  await deliver('checkout.session.completed', session)
  const about = dispute({
    payment_intent: session.payment_intent,
    status: 'warning_needs_response',
  })
  await deliver('charge.dispute.created', about)
  expect(await ledger(merchant)).toEqual(['leo sale 980 USD'])
  await deliver('charge.dispute.funds_withdrawn', { ...about, status: 'needs_response' })
  await deliver('charge.dispute.closed', { ...about, status: 'won' })
  expect(await ledger(merchant)).toEqual([
    'leo sale 980 USD',
    'leo reversal -980 USD',
    'leo reversal 980 USD',
  ])
})

test('a reversal becomes payable with its commission, so that one payout takes both', async () => {
  const { merchant, deliver } = await openShop()
  const session = checkoutSession({ discounts: [{ coupon: 'LEO10' }] })
  await deliver('checkout.session.completed', session)
  await deliver('refund.created', refund({ payment_intent: session.payment_intent }))
  const { body } = await merchant.get('/commissions')
  const [reversal, sale] = body.data as {
    id: string
    reversesId: string | null
    payableAt: string
    amountCents: number
  }[]
  expect(reversal).toMatchObject({
    reversesId: sale?.id,
    payableAt: sale?.payableAt,
    amountCents: -980,
  })
})

test('a refund does not credit an old sale to the present holder of the coupon', async () => {
  const { merchant, deliver } = await openShop()
  const session = checkoutSession({ discounts: [{ coupon: 'NEW' }], customer_details: null })
  await deliver('checkout.session.completed', session)
  const { seed, workspace, programId } = merchant
  await seed.addCoupon(
    workspace.id,
    await seed.addPartner(workspace.id, programId, { slug: 'mia' }),
    'NEW',
  )
  await deliver('refund.created', refund({ payment_intent: session.payment_intent, amount: 100 }))
  expect(await ledger(merchant)).toEqual([])
})

test('the merchant’s own report of an invoice makes no second sale, in either order', async () => {
  const { merchant, deliver } = await openShop()
  const clickId = await merchant.click()
  const reported = async (externalId: unknown, amountCents: number) => {
    const { status, body, headers } = await merchant.sale({
      externalId,
      customerExternalId: 'user_1',
      amountCents,
      clickId,
    })
    expect({
      status,
      attributed: body.attributed,
      mismatch: headers.has('Idempotency-Mismatch'),
    }).toEqual({
      status: 200,
      attributed: true,
      mismatch: false,
    })
    return body.eventId
  }
  const customer = stripeId('cus')
  const early = invoice({ customer })
  await deliver('invoice.paid', early)
  const first = await reported(early.id, 4_900)
  expect(await reported(early.id, 4_900)).toBe(first)

  // The merchant's amount includes tax; Stripe's prevails.
  const late = invoice({ customer, total: 5_900, amount_paid: 5_900 })
  await reported(late.id, 5_900)
  await deliver('invoice.paid', late)

  expect(await ledger(merchant)).toEqual([
    'maya sale 980 USD',
    'maya sale 1180 USD',
    'maya reversal -1180 USD',
    'maya sale 980 USD',
  ])
  const customers = await database.query(
    `select c.external_id, i.value as processor_customer_id
         from customers c left join customer_identities i on i.customer_id = c.id and i.kind = 'stripe'
         where c.workspace_id = $1`,
    [merchant.workspace.id],
  )
  expect(customers).toEqual([{ external_id: 'user_1', processor_customer_id: customer }])
})

test('a manager sees what each event did', async () => {
  const { merchant, deliver } = await openShop()
  const session = checkoutSession({ discounts: [{ coupon: 'LEO10' }] })
  await deliver('refund.created', refund({ payment_intent: stripeId('pi') }))
  await deliver('checkout.session.completed', session)
  await deliver('refund.created', refund({ payment_intent: session.payment_intent, amount: 490 }))
  const manager = await merchant.asManager()
  const { body } = await manager.get('/stripe/events')
  const outcomes = (body.data as { outcome: { code: string; text: string } }[]).map(
    ({ outcome }) => outcome,
  )
  expect(outcomes.map(({ code }) => code)).toEqual([
    'commission_changed',
    'sale_credited',
    'no_sale',
  ])
  expect(outcomes[0]?.text).toContain('0.98 USD')
})

test('a checkout credits all 25 invoices that arrived before it', async () => {
  const { merchant, deliver } = await openShop()
  const customer = stripeId('cus')
  const now = seconds()
  for (let month = 1; month <= 25; month++) {
    await deliver(
      'invoice.paid',
      invoice({ customer, status_transitions: { paid_at: now + month } }),
    )
  }
  await deliver(
    'checkout.session.completed',
    checkoutSession({ customer, created: now, discounts: [{ coupon: 'LEO10' }] }),
  )
  expect(await ledger(merchant)).toHaveLength(26)
})

test('a refund that arrives before the merchant’s report is applied to it', async () => {
  const { merchant, deliver } = await openShop()
  const payment = stripeId('pi')
  await deliver('refund.created', refund({ payment_intent: payment, amount: 2_450 }))
  await merchant.sale({ externalId: payment, clickId: await merchant.click() })
  expect(await ledger(merchant)).toEqual(['maya sale 980 USD', 'maya reversal -490 USD'])
})

test('importing the Stripe customer of a sale that was reported under the merchant’s id creates no second customer', async () => {
  const { merchant, deliver } = await openShop()
  const customer = stripeId('cus')
  const first = invoice({ customer })
  await merchant.sale({ externalId: first.id, clickId: await merchant.click() })
  await deliver('invoice.paid', first)
  const manager = await merchant.asManager()
  const row = { customerExternalId: customer, partnerEmail: 'maya@partner.example' }
  const statuses: unknown[] = []
  for (const _ of [1, 2]) {
    const { body } = await manager.post('/customers/import', { rows: [row] })
    statuses.push((body.results as { status: string }[])[0]?.status)
  }
  expect(statuses).toEqual(['updated', 'unchanged'])
  await deliver(
    'invoice.paid',
    invoice({ customer, status_transitions: { paid_at: seconds() + 60 } }),
  )
  expect(await ledger(merchant)).toEqual(['maya sale 980 USD', 'maya sale 980 USD'])
})

test('a commission that was reversed without replacement is not reinstated by later events', async () => {
  const { merchant, deliver } = await openShop()
  const paid = invoice()
  await merchant.sale({ externalId: paid.id, clickId: await merchant.click() })
  // All of it turns out to be tax but for two cents, of which 20% are nothing.
  const taxed = { ...paid, total_excluding_tax: 2 }
  await deliver('invoice.paid', taxed)
  await deliver('invoice.paid', taxed)
  expect(await ledger(merchant)).toEqual(['maya sale 980 USD', 'maya reversal -980 USD'])
})

test('a free checkout without an address is stored, and can be repeated', async () => {
  const { merchant, deliver } = await openShop()
  const session = checkoutSession({
    amount_total: 0,
    customer_details: null,
    discounts: [{ coupon: 'LEO10' }],
  })
  await deliver('checkout.session.completed', session)
  await deliver('checkout.session.completed', session)
  expect(await ledger(merchant)).toEqual([])
})
