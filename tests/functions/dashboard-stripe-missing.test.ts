/** The Stripe page says which events the endpoint at Stripe lacks, where the key allows asking. */
import { expect, inject, test } from 'vitest'
import { reportOnStripe } from '../../cli/stripe-report.ts'
import { connect } from '../../lib/db/connection.ts'
import { CONNECT_EVENTS, STRIPE_EVENTS } from '../../lib/purchases/stripe/objects/event-types.ts'
import { listEndpoints } from '../../lib/purchases/stripe/setup.queries.ts'
import { createMerchant, useDatabase } from '../support/merchant.ts'
import { openPages } from '../support/pages.ts'
import { stripeKey } from '../support/secrets.ts'
import {
  invoice,
  invoicePayment,
  oldInvoice,
  type StripeObject,
  stripeEvent,
  useStripe,
} from '../support/stripe.ts'

const database = useDatabase()

const OF_ACCOUNTS = 'No endpoint at Stripe receives these events of connected accounts.'
const WARNING = 'Your endpoint at Stripe does not receive these events.'

/** The page of a merchant whose endpoint at Stripe receives some events. */
const lookAt = async ({
  events,
  key = stripeKey(),
  path = '',
}: {
  events: string[]
  key?: string
  path?: string
}) => {
  const merchant = await createMerchant()
  const pages = await openPages(merchant)
  expect((await pages.post('/stripe/key', { key })).status).toBe(303)
  const params = new URLSearchParams({
    url: `${inject('baseUrl')}/api/webhooks/stripe/${merchant.workspace.slug}${path}`,
  })
  for (const [at, type] of events.entries()) params.append(`enabled_events[${at}]`, type)
  const made = await fetch(`${inject('stripeUrl')}/v1/webhook_endpoints`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/x-www-form-urlencoded',
    },
    body: params,
  })
  expect(made.status).toBe(200)
  return (await pages.get('/stripe')).text
}

test('events that the endpoint does not receive are listed', async () => {
  const text = await lookAt({
    events: STRIPE_EVENTS.filter((type) => type !== 'credit_note.created'),
  })
  expect(text).toContain(WARNING)
  const [, listed = ''] = text.split(WARNING)
  expect(listed.slice(0, 300)).toContain('credit_note.created')
  expect(listed.slice(0, 300)).not.toContain('invoice.paid')
})

test('the events of connected accounts that no endpoint receives are listed', async () => {
  const all = [...STRIPE_EVENTS, ...CONNECT_EVENTS]
  expect(await lookAt({ events: all })).not.toContain(OF_ACCOUNTS)
  const [, listed = ''] = (
    await lookAt({ events: all.filter((type) => type !== 'payout.failed') })
  ).split(OF_ACCOUNTS)
  expect(listed.slice(0, 300)).toContain('payout.failed')
  expect(listed.slice(0, 300)).not.toContain('payout.paid')
})

test.each<{ case: string; given: Parameters<typeof lookAt>[0] }>([
  { case: 'the endpoint receives all of them', given: { events: [...STRIPE_EVENTS] } },
  { case: 'the endpoint receives everything', given: { events: ['*'] } },
  {
    case: 'the key may not ask',
    given: { events: ['invoice.paid'], key: stripeKey().replace('sk_', 'rk_') },
  },
  {
    case: 'the endpoint is that of another workspace',
    given: { events: ['invoice.paid'], path: '-2' },
  },
])('nothing is said to be missing when $case', async ({ given }) => {
  expect(await lookAt(given)).not.toContain(WARNING)
})

test('a restricted key that may read webhook endpoints is enough', async () => {
  const key = `${stripeKey().replace('sk_', 'rk_')}_webhooks`
  expect(await lookAt({ events: ['invoice.paid'], key })).toContain(WARNING)
})

const paid = invoice()

test.each<{ case: string; events: [type: string, object: StripeObject][]; isMissing: boolean }>([
  { case: 'invoices without their payments', events: [['invoice.paid', paid]], isMissing: true },
  {
    case: 'invoices and a payment of one',
    events: [
      ['invoice.paid', paid],
      ['invoice_payment.paid', invoicePayment(String(paid.id), 'pi_any')],
    ],
    isMissing: false,
  },
  {
    case: 'invoices of an older version, which name their payments',
    events: [['invoice.paid', oldInvoice()]],
    isMissing: false,
  },
  {
    case: 'an invoice of a trial, which was paid by nothing',
    events: [['invoice.paid', invoice({ amount_paid: 0, total: 0, total_excluding_tax: 0 })]],
    isMissing: false,
  },
])(
  'the page and the doctor say what is missing where Stripe sends $case',
  async ({ events, isMissing }) => {
    const merchant = await createMerchant()
    const stripe = await useStripe(merchant)
    for (const [type, object] of events)
      expect((await stripe.deliver(stripeEvent(type, object))).status).toBe(200)
    const says = async () => {
      const { text } = await (await openPages(merchant)).get('/stripe')
      const endpoints = await listEndpoints(connect(inject('database')), new Date())
      const own = endpoints.filter(({ slug }) => slug === merchant.workspace.slug)
      const [line] = reportOnStripe(own)
      return { page: text.includes(WARNING), doctor: line?.state }
    }
    expect(await says()).toEqual({ page: false, doctor: 'ok' })
    await database.query(
      `update processor_events set received_at = received_at - interval '16 minutes' where workspace_id = $1`,
      [merchant.workspace.id],
    )
    expect(await says()).toEqual({ page: isMissing, doctor: isMissing ? 'wrong' : 'ok' })
  },
)
