// @module-tag sampled
/**
 * The ledger does not depend on the order of a purchase's events: they are shuffled and repeated,
 * with the merchant's own report among them, and compared with a short model of the rules.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { WhatIfResponse } from '../../../lib/tracking/what-if/what-if.responses.ts'
import { createMerchant, type Merchant, useDatabase } from '../../support/merchant.ts'
import {
  cardCharge,
  charge,
  checkoutSession,
  dispute,
  invoice,
  invoicePayment,
  oldInvoice,
  refund,
  type StripeAccount,
  seconds,
  stripeEvent,
  type TestEvent,
  useStripe,
} from '../../support/stripe.ts'
import { everyNth, SEEDS, timesOver } from '../../support/thorough.ts'

const database = useDatabase()

/** Per program: 1,000 in total in a thorough run. */
const HISTORIES = timesOver({ quick: 5, thorough: 20, exhaustive: 250 })
/** Concurrent histories: they share the database, but no purchase. */
const AT_ONCE = 5

const PROGRAMS = {
  recurring: { program: {} },
  'one-time': { program: { reward_interval: 'one-time' } },
  first: { program: { attribution: 'first' } },
  flat: { program: { reward: { amountCents: 500n, currency: 'EUR' } } },
} as const
type ProgramName = keyof typeof PROGRAMS

/** A purchase and everything that follows. */
type Story = {
  /** To whom an import gave the customer beforehand. */
  owner: 'carl' | null
  /** Whose coupon the checkout used. */
  coupon: 'ann' | null
  /** Through whose link the checkout was reached. */
  click: 'bob' | null
  /**
   * Through whose link the buyer came later, as the merchant's own report has it; false for no
   * report.
   */
  report: 'dora' | null | false
  /** Whether the merchant reports under an id of its own for the customer. */
  ownId: boolean
  /**
   * Whether the merchant, or the checkout, names a subscription's first payment instead of its
   * invoice.
   */
  reportsPayment: boolean
  namesPayment: boolean
  mode: 'payment' | 'subscription'
  shape: 'old' | 'new'
  grossCents: number
  taxCents: number
  /** Shares of what was paid, in per cent. */
  refunds: { percent: number; fails: boolean }[]
  dispute: 'won' | 'lost' | 'inquiry' | null
  renews: boolean
}

const story: fc.Arbitrary<Story> = fc.record({
  owner: fc.constantFrom('carl', null),
  coupon: fc.constantFrom('ann', null),
  click: fc.constantFrom('bob', null),
  report: fc.constantFrom<Story['report']>('dora', null, false, false),
  ownId: fc.boolean(),
  reportsPayment: fc.boolean(),
  namesPayment: fc.boolean(),
  mode: fc.constantFrom('payment', 'subscription'),
  shape: fc.constantFrom('old', 'new'),
  grossCents: fc.integer({ min: 1_000, max: 99_999 }),
  taxCents: fc.integer({ min: 0, max: 900 }),
  refunds: fc.array(fc.record({ percent: fc.integer({ min: 1, max: 60 }), fails: fc.boolean() }), {
    maxLength: 2,
  }),
  dispute: fc.constantFrom('won', 'lost', 'inquiry', null, null),
  renews: fc.boolean(),
})

/** An event of Stripe, or the merchant's report. */
type Delivery = { event: TestEvent } | { report: Record<string, unknown> }

type Ids = {
  customer: string
  invoice: string
  renewal: string
  payment: string
  charge: string
  session: string
}

const refundCents = ({ grossCents, refunds }: Story) =>
  refunds.map(({ percent }) => Math.floor((grossCents * percent) / 100))

/** All deliveries of a story, in order. */
const deliveriesOf = (
  story: Story,
  ids: Ids,
  clicks: Record<'bob' | 'dora', string>,
  start: number,
): Delivery[] => {
  const { mode, shape, grossCents, taxCents } = story
  const isSubscription = mode === 'subscription'
  const event = (type: string, object: Record<string, unknown>, after: number): Delivery => ({
    event: stripeEvent(type, object, { created: start + after }),
  })
  const paid = (id: string, after: number) => {
    const fields = {
      id,
      customer: ids.customer,
      customer_email: `${ids.customer}@example.com`,
      amount_paid: grossCents,
      total: grossCents,
      total_excluding_tax: grossCents - taxCents,
      status_transitions: { paid_at: start + after },
    }
    if (shape === 'new') return invoice(fields)
    return oldInvoice({
      ...fields,
      payment_intent: id === ids.invoice ? ids.payment : `${ids.payment}_r`,
      charge: null,
    })
  }
  const payment = { payment_intent: ids.payment, charge: ids.charge }
  const deliveries: Delivery[] = [
    event(
      'checkout.session.completed',
      checkoutSession({
        id: ids.session,
        mode,
        created: start,
        amount_total: grossCents,
        total_details: { amount_tax: taxCents },
        invoice: isSubscription && !story.namesPayment ? ids.invoice : null,
        payment_intent: isSubscription && !story.namesPayment ? null : ids.payment,
        customer: ids.customer,
        customer_details: { email: `${ids.customer}@example.com`, name: 'A buyer' },
        client_reference_id: story.click && clicks[story.click],
        discounts: story.coupon ? [{ coupon: 'COUPON_ann', promotion_code: null }] : [],
      }),
      5,
    ),
  ]
  const card = cardCharge(`fp_${ids.customer}`, { ...payment, id: ids.charge })
  deliveries.push(event('charge.succeeded', { ...card, customer: ids.customer }, 4))
  if (isSubscription) deliveries.push(event('invoice.paid', paid(ids.invoice, 4), 4))
  if (isSubscription && shape === 'new')
    deliveries.push(event('invoice_payment.paid', invoicePayment(ids.invoice, ids.payment), 4))
  if (story.report !== false) {
    deliveries.push({
      report: {
        externalId: isSubscription && !story.reportsPayment ? ids.invoice : ids.payment,
        customerExternalId: story.ownId ? `user_${ids.customer}` : ids.customer,
        amountCents: grossCents,
        clickId: story.report && clicks[story.report],
      },
    })
  }
  if (isSubscription && story.renews)
    deliveries.push(event('invoice.paid', paid(ids.renewal, 60), 60))

  let inAll = 0
  for (const [index, cents] of refundCents(story).entries()) {
    const { fails } = story.refunds[index] ?? { fails: false }
    const fields = { ...payment, id: `re_${index}_${ids.payment}`, amount: cents }
    deliveries.push(event('refund.created', refund({ ...fields, status: 'pending' }), 100 + index))
    deliveries.push(
      event(
        'charge.refunded',
        charge({ id: ids.charge, ...payment, amount: grossCents, amount_refunded: inAll + cents }),
        100 + index,
      ),
    )
    deliveries.push(
      event(
        fails ? 'refund.failed' : 'refund.updated',
        refund({ ...fields, status: fails ? 'failed' : 'succeeded' }),
        110 + index,
      ),
    )
    if (!fails) inAll += cents
  }
  if (story.dispute) {
    const about = (status: string) =>
      dispute({ ...payment, id: `dp_${ids.payment}`, amount: grossCents, status })
    const inquiry = story.dispute === 'inquiry'
    deliveries.push(
      event(
        'charge.dispute.created',
        about(inquiry ? 'warning_needs_response' : 'needs_response'),
        200,
      ),
    )
    deliveries.push(
      event('charge.dispute.closed', about(inquiry ? 'warning_closed' : story.dispute), 201),
    )
  }
  return deliveries
}

/** The model: whom the rules credit with how much, per purchase. */
const account = (program: ProgramName, story: Story) => {
  const { owner, coupon, mode, grossCents, taxCents } = story
  const clicked = story.report || story.click
  const kept = program === 'first' ? (owner ?? clicked) : (clicked ?? owner)
  const credited = coupon ?? kept
  const returned =
    story.dispute === 'won' || story.dispute === 'lost' || story.dispute === 'inquiry'
  const lost = returned && story.dispute === 'lost' ? grossCents : 0
  const refunded = refundCents(story).reduce(
    (sum, cents, index) => sum + (story.refunds[index]?.fails ? 0 : cents),
    0,
  )
  const back = Math.min(refunded + lost, grossCents)
  const earned = program === 'flat' ? 500 : Math.round(((grossCents - taxCents) * 20) / 100)
  const taken = Math.floor((2 * earned * back + grossCents) / (2 * grossCents))
  const isSubscription = mode === 'subscription'
  const sales: Record<string, string> = {
    first: credited ? `${credited} ${earned - taken}` : 'nobody',
  }
  if (isSubscription && story.renews) {
    const later = program === 'first' ? (owner ?? credited) : credited
    sales.renewal = later ? `${later} ${program === 'one-time' ? 0 : earned}` : 'nobody'
  }
  return sales
}

/** The terms of each program, as a change of another's. */
const TERMS: Record<ProgramName, Record<string, unknown>> = {
  recurring: {
    rewardInterval: 'recurring',
    attribution: 'last',
    reward: { kind: 'percent', percent: 20 },
  },
  'one-time': {
    rewardInterval: 'one-time',
    attribution: 'last',
    reward: { kind: 'percent', percent: 20 },
  },
  first: {
    rewardInterval: 'recurring',
    attribution: 'first',
    reward: { kind: 'percent', percent: 20 },
  },
  flat: {
    rewardInterval: 'recurring',
    attribution: 'last',
    reward: { kind: 'flat', amountCents: 500, currency: 'EUR' },
  },
}

/** The model: what each partner earns by all purchases, before anything is returned. */
const accountAll = (program: ProgramName, stories: Story[]): Record<string, number> => {
  const sales = stories.flatMap((story) =>
    Object.values(account(program, { ...story, refunds: [], dispute: null })),
  )
  return addUp(
    sales.map((sale) => {
      const [slug = '', cents = 0] = sale.split(' ')
      return [slug, Number(cents)]
    }),
  )
}

/**
 * What all purchases earn in each currency, and who gains or loses how much. Of two clicks of a
 * purchase, the ledger keeps the one received second only if it credits somebody: in a program that
 * credits the first partner, Bob and Dora count as one.
 */
type Answer = Record<
  string,
  { current: number; changed: number; differences: Record<string, number> }
>

const who = (from: ProgramName, slug: string) =>
  from === 'first' && slug === 'dora' ? 'bob' : slug

/** By the API. */
const answered = (from: ProgramName, { currencies }: WhatIfResponse): Answer =>
  Object.fromEntries(
    currencies.map(({ currency, currentCents, changedCents, partners }) => [
      currency,
      {
        current: currentCents,
        changed: changedCents,
        differences: addUp(
          partners.map(({ slug, differenceCents }) => [who(from, slug), differenceCents]),
        ),
      },
    ]),
  )

/** By the model. */
const modeled = (from: ProgramName, to: ProgramName, stories: Story[]): Answer => {
  const currencyOf = (program: ProgramName) => (program === 'flat' ? 'EUR' : 'USD')
  const answer: Answer = {}
  for (const currency of [...new Set([currencyOf(from), currencyOf(to)])]) {
    const current = currencyOf(from) === currency ? Object.entries(accountAll(from, stories)) : []
    const changed = currencyOf(to) === currency ? Object.entries(accountAll(to, stories)) : []
    const total = (rows: [string, number][]) => rows.reduce((sum, [, cents]) => sum + cents, 0)
    const lost = current.map(([slug, cents]): [string, number] => [slug, -cents])
    answer[currency] = {
      current: total(current),
      changed: total(changed),
      differences: addUp([...lost, ...changed].map(([slug, cents]) => [who(from, slug), cents])),
    }
  }
  return answer
}

/** The sums that are not zero. */
const addUp = (rows: [string, number][]): Record<string, number> => {
  const sums: Record<string, number> = {}
  for (const [slug, cents] of rows) sums[slug] = (sums[slug] ?? 0) + cents
  return Object.fromEntries(Object.entries(sums).filter(([, cents]) => cents !== 0))
}

/** The ledger: the partner and the net earnings per purchase, under any of its ids. */
const ledger = async (merchant: Merchant, { invoice, payment, renewal }: Ids) => {
  const rows = await database.query<{
    name: string
    slug: string | null
    cents: number
    broken: number
  }>(
    `select case e.external_id when $3 then 'renewal' else 'first' end as name, p.slug,
            (select coalesce(sum(c.amount_cents), 0) from commissions c where c.event_id = e.id)::int as cents,
            -- Partners who are not credited earn nothing, nothing is reversed twice, at most one commission is current.
            (select count(*) from (
               select c.partner_id, sum(c.amount_cents) from commissions c where c.event_id = e.id
               group by c.partner_id having c.partner_id is distinct from e.partner_id and sum(c.amount_cents) <> 0) x)::int
          + (select count(*) from commissions c where c.event_id = e.id and c.kind <> 'reversal'
               and c.amount_cents + (select coalesce(sum(r.amount_cents), 0) from commissions r where r.reverses_id = c.id)
                   not between 0 and c.amount_cents)::int
          + (select greatest(count(*) - 1, 0) from commissions c where c.event_id = e.id and c.kind <> 'reversal'
               and not exists (select from commissions r where r.replaces_id = c.id))::int as broken
     from events e left join partners p on p.id = e.partner_id
     where e.workspace_id = $1 and e.external_id = any($2) and e.kind = 'sale'`,
    [merchant.workspace.id, [invoice, payment, renewal], renewal],
  )
  expect(rows.filter(({ broken }) => broken)).toEqual([])
  const names = [...new Set(rows.map(({ name }) => name))]
  return Object.fromEntries(
    names.map((name) => {
      const sales = rows.filter((row) => row.name === name)
      const slugs = [...new Set(sales.map(({ slug }) => slug))]
      const cents = sales.reduce((sum, sale) => sum + sale.cents, 0)
      expect(sales.filter((sale) => sale.cents !== 0).length).toBeLessThanOrEqual(1)
      return [name, slugs.map((slug) => (slug ? `${slug} ${cents}` : 'nobody')).join(' and ')]
    }),
  )
}

const openShop = async (program: ProgramName) => {
  const merchant = await createMerchant(PROGRAMS[program] as Parameters<typeof createMerchant>[0])
  const { seed, workspace, programId } = merchant
  const add = (slug: string) => seed.addPartner(workspace.id, programId, { slug })
  const ann = await add('ann')
  for (const slug of ['bob', 'carl', 'dora']) await add(slug)
  await seed.addCoupon(workspace.id, ann, 'COUPON_ann')
  // Dora's click comes after Bob's.
  const clicks = { bob: await merchant.click('bob'), dora: await merchant.click('dora') }
  await database.ageClicks(merchant)
  return {
    merchant,
    stripe: await useStripe(merchant),
    clicks,
    manager: await merchant.asManager(),
  }
}

const deliver = async (
  merchant: Merchant,
  stripe: StripeAccount,
  delivery: Delivery,
  address: string,
) =>
  'report' in delivery
    ? (await merchant.sale(delivery.report)).status
    : (await stripe.deliver(delivery.event, { headers: { 'CF-Connecting-IP': address } })).status

let histories = 0

test.each(everyNth(2, Object.keys(PROGRAMS) as ProgramName[]))(
  `${HISTORIES} purchases of a “%s” program, received in any order, repeated or concurrently, end in the same ledger, also what they would earn in the others`,
  async (program) => {
    const { merchant, stripe, clicks, manager } = await openShop(program)
    const reports: Story[] = []

    const history = async (story: Story, order: number[], repeats: number[], dice: number) => {
      // An event within the same milliseconds as a report of its payment may miss it until the next
      // one comes.
      const together = dice === 0 && !story.reportsPayment
      const tag = `${histories++}_${merchant.workspace.slug}`
      const ids: Ids = {
        customer: `cus_${tag}`,
        invoice: `in_${tag}`,
        renewal: `in_r_${tag}`,
        payment: `pi_${tag}`,
        charge: `ch_${tag}`,
        session: `cs_${tag}`,
      }
      if (story.owner) {
        await manager.post('/customers/import', {
          rows: [
            { customerExternalId: ids.customer, partnerEmail: `${story.owner}@partner.example` },
          ],
        })
        // Stripe's seconds are whole: the import lies before all of them.
        await database.query(
          "update referrals set referred_at = referred_at - interval '1 hour' from customers c where c.id = customer_id and c.external_id = $1",
          [ids.customer],
        )
      }
      const deliveries = deliveriesOf(story, ids, clicks, seconds() - 1_000)
      const shuffled = deliveries
        .map((delivery, index) => ({ delivery, key: order[index] ?? 0 }))
        .sort((a, b) => a.key - b.key)
        .map(({ delivery }) => delivery)
      for (const repeat of repeats) {
        const again = deliveries[repeat % deliveries.length]
        if (again) shuffled.splice(repeat % (shuffled.length + 1), 0, again)
      }
      const statuses = together
        ? await Promise.all(shuffled.map((delivery) => deliver(merchant, stripe, delivery, tag)))
        : []
      if (!together)
        for (const delivery of shuffled)
          statuses.push(await deliver(merchant, stripe, delivery, tag))

      expect(statuses.filter((status) => status !== 200)).toEqual([])
      expect(await ledger(merchant, ids)).toEqual(account(program, story))
      reports.push(story)
    }

    // A one-time reward goes to the customer's first sale that is received; for a customer who was
    // known before, that may be the second one.
    const stories =
      program === 'one-time'
        ? story.filter(({ owner, renews }) => owner === null || !renews)
        : story
    const keys = fc.array(fc.integer({ min: 0, max: 99 }), { minLength: 16, maxLength: 16 })
    const repeats = fc.array(fc.nat(40), { maxLength: 4 })
    const dice = fc.integer({ min: 0, max: 9 })
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(stories, keys, repeats, dice), {
          minLength: AT_ONCE,
          maxLength: AT_ONCE,
        }),
        async (batch) => {
          await Promise.all(batch.map((args) => history(...args)))
        },
      ),
      { seed: SEEDS[0], numRuns: HISTORIES / AT_ONCE, endOnFailure: true },
    )

    expect(await database.differences(merchant.workspace.id)).toEqual([])
    for (const other of Object.keys(TERMS) as ProgramName[]) {
      const { body } = await manager.post(`/programs/${merchant.programId}/what-if`, TERMS[other])
      expect({ other, is: answered(program, body as unknown as WhatIfResponse) }).toEqual({
        other,
        is: modeled(program, other, reports),
      })
    }
  },
  240_000,
)
