import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Stripe from 'stripe'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { runReconcile } from '../../cli/reconcile.ts'
import { type StripeFake, startStripe } from '../../dev/fakes/stripe.ts'
import { ROOT } from '../../dev/root.ts'
import { connect } from '../../lib/db/connection.ts'
import { endWaits } from '../../lib/purchases/apply/late.service.ts'
import { STRIPE_EVENTS } from '../../lib/purchases/stripe/objects/event-types.ts'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'
import { SECRETS_KEY, signingSecret } from '../support/secrets.ts'

const database = useDatabase()
const DAY_MS = 24 * 60 * 60 * 1000
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS)
const LONG_AGO = daysAgo(90).toISOString().slice(0, 10)

/** A folder in which no demo runs. */
let emptyFolder: string
beforeAll(async () => {
  emptyFolder = await mkdtemp(join(tmpdir(), 'tributary-reconcile-'))
})
afterAll(() => rm(emptyFolder, { recursive: true }))

/** Runs the command in this process: a process of its own costs a second. */
const run = async (args: string[], env: Record<string, string> = {}) => {
  let [output, errors] = ['', '']
  const code = await runReconcile({
    args,
    env: { DATA_DIR: emptyFolder, ...env },
    print: (line) => {
      output += `${line}\n`
    },
    printError: (line) => {
      errors += `${line}\n`
    },
  })
  return { code, output, errors }
}

/** Runs `npm run reconcile`'s program as a process. */
const runProgram = async (args: string[], env: Record<string, string> = {}) => {
  const child = spawn(process.execPath, ['cli/reconcile.ts', ...args], {
    cwd: ROOT,
    env: { ...process.env, DATABASE_URL: '', STRIPE_API_KEY: '', DATA_DIR: emptyFolder, ...env },
  })
  let [output, errors] = ['', '']
  child.stdout.on('data', (text) => (output += text))
  child.stderr.on('data', (text) => (errors += text))
  const [code] = await once(child, 'close')
  return { code, output, errors }
}

/** A merchant and its Stripe account, without a webhook. The account's time can be set. */
const createAccount = async (program: Parameters<typeof createMerchant>[0] = {}) => {
  const merchant = await createMerchant(program)
  const clock = { now: new Date() }
  const fake = await startStripe({ now: () => clock.now })
  const { hostname: host, port } = new URL(fake.url)
  const stripe = new Stripe('sk_test_any', { host, port, protocol: 'http', telemetry: false })
  const coupon = `MAYA-${crypto.randomUUID()}`
  fake.addCoupon({ id: coupon, percentOff: 10, duration: 'forever' })

  const checkout = async (
    params: Stripe.Checkout.SessionCreateParams,
  ): Promise<Stripe.Checkout.Session> => {
    const { id } = await stripe.checkout.sessions.create({
      success_url: 'https://shop.example/',
      ...params,
    })
    return fake.pay(id, { email: `${crypto.randomUUID()}@example.com` })
  }
  const price = { currency: 'usd', unit_amount: 5_000, product_data: { name: 'Grove' } }
  return {
    merchant,
    fake,
    clock,
    coupon,
    /** Gives a coupon to Maya. */
    mapCoupon: async (id = coupon) => {
      const [maya] = await database.query<{ id: string }>(
        'select id from partners where workspace_id = $1',
        [merchant.workspace.id],
      )
      await merchant.seed.addCoupon(merchant.workspace.id, maya?.id ?? '', id)
    },
    subscribe: ({ coupon: used }: { coupon?: string } = {}) =>
      checkout({
        mode: 'subscription',
        line_items: [{ quantity: 1, price_data: { ...price, recurring: { interval: 'month' } } }],
        ...(used && { discounts: [{ coupon: used }] }),
      }),
    /** Pays by a form of the merchant's own. */
    payByForm: (metadata: Record<string, string>) =>
      stripe.paymentIntents.create({
        ...{ amount: 5_000, currency: 'usd', confirm: true, payment_method: 'pm_card_visa' },
        ...{ receipt_email: `${crypto.randomUUID()}@example.com`, metadata },
      }),
    buy: () =>
      checkout({
        mode: 'payment',
        line_items: [{ quantity: 1, price_data: price }],
        discounts: [{ coupon }],
      }),
    reconcile: (...args: string[]) =>
      run(['--workspace', merchant.workspace.slug, '--since', LONG_AGO, ...args], {
        ...inject('database'),
        STRIPE_API_KEY: 'rk_test_reads',
        STRIPE_API_BASE: fake.url,
      }),
  }
}

const withAccount = async (
  use: (account: Awaited<ReturnType<typeof createAccount>>) => Promise<void>,
  program: Parameters<typeof createMerchant>[0] = {},
): Promise<void> => {
  const account = await createAccount(program)
  try {
    await use(account)
  } finally {
    await account.fake.stop()
  }
}

const ledger = ({ workspace }: Merchant) =>
  database.query<{ sale: string; slug: string | null; earned: number | null }>(
    `select e.external_id as sale, p.slug, c.amount_cents::int as earned
     from events e left join partners p on p.id = e.partner_id left join commissions c on c.event_id = e.id
     where e.workspace_id = $1 order by e.occurred_at, e.external_id`,
    [workspace.id],
  )
const eventsRecorded = async ({ workspace }: Merchant) =>
  database.query(
    'select processor_event_id, outcome, event_id from processor_events where workspace_id = $1 order by processor_event_id',
    [workspace.id],
  )

/** The line about a sale. */
const lineOf = (output: string, sale: unknown): string =>
  output.split('\n').find((line) => line.includes(`  ${sale}  `)) ?? ''

const idOf = (reference: string | { id?: string } | null) =>
  typeof reference === 'string' ? reference : (reference?.id ?? '')

describe('purchases without a received event', () => {
  test('are listed without a change, then recorded, and then no longer listed', () =>
    withAccount(async ({ merchant, fake, clock, coupon, mapCoupon, subscribe, buy, reconcile }) => {
      const other = await createMerchant()
      await mapCoupon()
      clock.now = daysAgo(60)
      const byCoupon = await subscribe({ coupon })
      const byNobody = await subscribe()
      clock.now = daysAgo(30)
      const renewal = fake.renew(idOf(byCoupon.subscription))
      clock.now = daysAgo(10)
      const once = await buy()

      const dry = await reconcile()
      expect(dry.code).toBe(1)
      expect(lineOf(dry.output, idOf(byCoupon.invoice))).toMatch(
        /^\d{4}-\d\d-\d\d {2}\S+ +45\.00 USD {2}not recorded: “maya” earns 9\.00 USD$/,
      )
      expect(lineOf(dry.output, idOf(byNobody.invoice))).toMatch(
        /50\.00 USD {2}not recorded: no partner to credit$/,
      )
      expect(lineOf(dry.output, renewal.id)).toMatch(
        /45\.00 USD {2}not recorded: “maya” earns 9\.00 USD$/,
      )
      expect(lineOf(dry.output, idOf(once.payment_intent))).toMatch(/“maya” earns 9\.00 USD$/)
      expect(dry.output).toContain(
        'Stripe lists 4 purchases. In the ledger, 4 of them are missing or incomplete: see above.',
      )
      expect(dry.output).toContain('Nothing was changed.')
      expect(await ledger(merchant)).toEqual([])
      expect(await eventsRecorded(merchant)).toEqual([])

      const fixed = await reconcile('--fix')
      expect(fixed).toMatchObject({
        code: 0,
        output: expect.stringContaining('All of them are recorded now.'),
      })
      const recorded = await ledger(merchant)
      expect(recorded).toHaveLength(4)
      expect(recorded).toEqual(
        expect.arrayContaining([
          { sale: idOf(byCoupon.invoice), slug: 'maya', earned: 900 },
          { sale: idOf(byNobody.invoice), slug: null, earned: null },
          { sale: renewal.id, slug: 'maya', earned: 900 },
          { sale: idOf(once.payment_intent), slug: 'maya', earned: 900 },
        ]),
      )
      const recordedEvents = await eventsRecorded(merchant)
      expect(recordedEvents).toHaveLength(6)
      expect(
        recordedEvents.every(({ outcome, event_id }) => outcome !== null && event_id !== null),
      ).toBe(true)

      for (const args of [[], ['--fix']]) {
        const { code, output } = await reconcile(...args)
        expect({ code, output }).toEqual({
          code: 0,
          output: 'Stripe lists 4 purchases. The ledger has all of them.\n',
        })
      }
      expect(await ledger(merchant)).toEqual(recorded)
      expect(await eventsRecorded(merchant)).toEqual(recordedEvents)
      expect(await ledger(other)).toEqual([])
      expect(await eventsRecorded(other)).toEqual([])
    }))

  test('are recorded with the lines of what was bought, and the buyer’s country', () =>
    withAccount(async ({ merchant, fake, clock, buy, reconcile }) => {
      clock.now = daysAgo(10)
      const session = await buy()
      const { hostname: host, port } = new URL(fake.url)
      const stripe = new Stripe('sk_test_any', { host, port, protocol: 'http', telemetry: false })
      const { id } = await stripe.checkout.sessions.create({
        mode: 'payment',
        invoice_creation: { enabled: true },
        line_items: Array.from({ length: 12 }, (_, i) => ({
          quantity: 1,
          price_data: { currency: 'usd', unit_amount: 100, product_data: { name: `No. ${i}` } },
        })),
        success_url: 'https://shop.example/',
      })
      const { invoice } = fake.pay(id, { email: 'ada@example.com', country: 'DE' })
      expect((await reconcile('--fix')).code).toBe(0)
      const recorded = await database.query(
        `select external_id, country, jsonb_array_length(lines) as lines, lines -> -1 ->> 'name' as last
         from events where workspace_id = $1 order by jsonb_array_length(lines)`,
        [merchant.workspace.id],
      )
      expect(recorded).toEqual([
        { external_id: idOf(session.payment_intent), country: null, lines: 1, last: 'Grove' },
        { external_id: invoice, country: 'DE', lines: 12, last: 'No. 11' },
      ])
    }))

  test('a checkout that was captured in part after it completed is listed with what was captured', () =>
    withAccount(async ({ merchant, fake, mapCoupon, buy, reconcile }) => {
      await mapCoupon()
      const sale = idOf((await buy()).payment_intent)
      fake.captureInPart(sale, 3_000)
      const { output } = await reconcile('--fix')
      expect(lineOf(output, sale)).toMatch(/30\.00 USD {2}not recorded: “maya” earns 6\.00 USD$/)
      expect(await ledger(merchant)).toEqual([{ sale, slug: 'maya', earned: 600 }])
      expect(await reconcile()).toMatchObject({ code: 0 })
    }))

  test('under a one-time reward, only the first one earns in the list', () =>
    withAccount(
      async ({ merchant, fake, clock, coupon, mapCoupon, subscribe, reconcile }) => {
        await mapCoupon()
        clock.now = daysAgo(60)
        const first = await subscribe({ coupon })
        clock.now = daysAgo(30)
        const renewal = fake.renew(idOf(first.subscription))

        const { output } = await reconcile()
        expect(lineOf(output, idOf(first.invoice))).toMatch(/“maya” earns 9\.00 USD$/)
        expect(lineOf(output, renewal.id)).toMatch(/credited to “maya”, who earns nothing more$/)
        await reconcile('--fix')
        expect(await ledger(merchant)).toEqual([
          { sale: idOf(first.invoice), slug: 'maya', earned: 900 },
          { sale: renewal.id, slug: 'maya', earned: null },
        ])
      },
      { program: { reward_interval: 'one-time' } },
    ))

  test('are credited by an imported mapping only when they were paid after the import', () =>
    withAccount(async ({ merchant, fake, clock, subscribe, reconcile }) => {
      clock.now = daysAgo(31)
      const before = await subscribe()
      const manager = await merchant.asManager()
      const { status } = await manager.post('/customers/import', {
        rows: [{ customerExternalId: idOf(before.customer), partnerEmail: 'maya@partner.example' }],
      })
      expect(status).toBe(200)
      clock.now = new Date(Date.now() + 2_000)
      const after = fake.renew(idOf(before.subscription))

      const { output } = await reconcile('--fix')
      expect(lineOf(output, idOf(before.invoice))).toMatch(/no partner to credit$/)
      expect(lineOf(output, after.id)).toMatch(/“maya” earns 10\.00 USD$/)
      expect(await ledger(merchant)).toEqual([
        { sale: idOf(before.invoice), slug: null, earned: null },
        { sale: after.id, slug: 'maya', earned: 1_000 },
      ])
      expect(await reconcile()).toMatchObject({ code: 0 })
    }))
})

describe('purchases that are recorded', () => {
  test('are listed when the coupon has become a partner’s since', () =>
    withAccount(async ({ merchant, mapCoupon, buy, reconcile }) => {
      const sale = idOf((await buy()).payment_intent)
      await reconcile('--fix')
      expect(await ledger(merchant)).toEqual([{ sale, slug: null, earned: null }])

      await mapCoupon()
      const { output } = await reconcile('--fix')
      expect(lineOf(output, sale)).toMatch(
        /recorded, but no partner is credited: “maya” earns 9\.00 USD$/,
      )
      expect(await ledger(merchant)).toEqual([{ sale, slug: 'maya', earned: 900 }])
      expect(await reconcile()).toMatchObject({ code: 0 })
    }))

  test('by the webhook are not listed', () =>
    withAccount(async ({ merchant, fake, coupon, mapCoupon, subscribe, buy, reconcile }) => {
      await mapCoupon()
      const secret = signingSecret()
      await merchant.seed.addStripeSecret(merchant.workspace.id, secret, SECRETS_KEY)
      const url = `${inject('baseUrl')}/api/webhooks/stripe/${merchant.workspace.slug}`
      fake.addEndpoint({ url, secret, events: STRIPE_EVENTS })
      const { subscription } = await subscribe({ coupon })
      fake.renew(idOf(subscription))
      await subscribe()
      await buy()
      await fake.settled()

      const recorded = await ledger(merchant)
      expect(recorded).toHaveLength(4)
      expect(await reconcile()).toMatchObject({
        code: 0,
        output: 'Stripe lists 4 purchases. The ledger has all of them.\n',
      })
      expect(await reconcile('--fix')).toMatchObject({ code: 0 })
      expect(await ledger(merchant)).toEqual(recorded)
    }))

  test('as two sales, because the endpoint sends no payments of invoices, become one, whose refunds count', () =>
    withAccount(async ({ merchant, fake, mapCoupon, coupon, subscribe, reconcile }) => {
      await mapCoupon()
      const secret = signingSecret()
      await merchant.seed.addStripeSecret(merchant.workspace.id, secret, SECRETS_KEY)
      const url = `${inject('baseUrl')}/api/webhooks/stripe/${merchant.workspace.slug}`
      const events = STRIPE_EVENTS.filter((type) => type !== 'invoice_payment.paid')
      fake.addEndpoint({ url, secret, events })
      await subscribe({ coupon })
      await fake.settled()
      // The fake's payments name their invoices as newer ones at Stripe do.
      const [payment] = await database.query<{ id: string }>(
        `update processor_events
         set keys = array(select key from unnest(keys) key where key not like 'in\\_%'),
             facts = jsonb_set(facts, '{0,pays}', 'null'),
             outcome = '{"code": "waiting", "facts": {"until": "2020-01-01T00:00:00.000Z"}}'
         where workspace_id = $1 and type = 'payment_intent.succeeded' returning facts -> 0 ->> 'id' as id`,
        [merchant.workspace.id],
      )
      const later = new Date(Date.now() + 16 * 60_000)
      await endWaits(() => connect(inject('database')), later)
      expect(await ledger(merchant)).toHaveLength(2)

      const { output } = await reconcile('--fix')
      expect(output).toContain('All of them are recorded now.')
      fake.refund(payment?.id ?? '')
      await fake.settled()
      const [net] = await database.query<{ cents: number }>(
        'select sum(amount_cents)::int as cents from commissions where workspace_id = $1',
        [merchant.workspace.id],
      )
      expect(net?.cents).toBe(0)
    }))

  test('by the merchant alone are listed when Stripe knows a partner’s coupon', () =>
    withAccount(async ({ merchant, coupon, mapCoupon, subscribe, reconcile }) => {
      await mapCoupon()
      const session = await subscribe({ coupon })
      const sale = idOf(session.invoice)
      await merchant.sale({ externalId: sale, amountCents: 4_500 })

      const { code, output } = await reconcile()
      expect(code).toBe(1)
      expect(lineOf(output, sale)).toMatch(
        /recorded, but no partner is credited: “maya” earns 9\.00 USD$/,
      )
      expect(await reconcile('--fix')).toMatchObject({ code: 0 })
      expect(await ledger(merchant)).toEqual([{ sale, slug: 'maya', earned: 900 }])
      expect(await reconcile()).toMatchObject({ code: 0 })
    }))
})

test.each<{
  case: string
  /** What happened at Stripe while the endpoint was broken. */
  lose: (fake: StripeFake, ids: { payment: string; invoice: string }) => void
  says: RegExp
  earned: number
}>([
  {
    case: 'a refund',
    lose: (fake, { payment }) => void fake.refund(payment, 1_500),
    says: /recorded, but 3\.00 USD of the commission of “maya” is not reversed$/,
    earned: 600,
  },
  {
    case: 'a credit note',
    lose: (fake, { invoice }) => void fake.creditNote(invoice, 2_250),
    says: /recorded, but 4\.50 USD of the commission of “maya” is not reversed$/,
    earned: 450,
  },
  {
    case: 'a refund that failed',
    lose: (fake, { payment }) => void fake.failRefund(fake.refund(payment, 1_500).id),
    says: /^$/,
    earned: 900,
  },
  {
    case: 'a dispute',
    lose: (fake, { payment }) => void fake.dispute(payment),
    says: /recorded, but 9\.00 USD of the commission of “maya” is not reversed$/,
    earned: 0,
  },
  {
    case: 'a dispute that was won',
    lose: (fake, { payment }) => void fake.closeDispute(fake.dispute(payment).id, 'won'),
    says: /^$/,
    earned: 900,
  },
])(
  '$case that no event reported is found, also of a sale that is no longer listed',
  ({ lose, says, earned }) =>
    withAccount(async ({ merchant, fake, clock, coupon, mapCoupon, subscribe, reconcile }) => {
      await mapCoupon()
      for (const age of [40, 200]) {
        clock.now = daysAgo(age)
        const invoice = idOf((await subscribe({ coupon })).invoice)
        const payment = idOf(
          fake.events().findLast(({ type }) => type === 'payment_intent.succeeded')?.data
            .object as {
            id: string
          },
        )
        await reconcile('--fix', '--since', daysAgo(300).toISOString())
        clock.now = daysAgo(5)
        lose(fake, { payment, invoice })
        const { output } = await reconcile('--fix')
        expect(lineOf(output, invoice)).toMatch(says)
        const rows = (await ledger(merchant)).filter(({ sale }) => sale === invoice)
        expect(rows.reduce((sum, row) => sum + (row.earned ?? 0), 0)).toBe(earned)
        expect(await reconcile()).toMatchObject({ code: 0 })
      }
    }),
)

test('a payment with neither an invoice nor a checkout is found once it has waited for one, and no payment of these', () =>
  withAccount(async ({ merchant, clock, mapCoupon, subscribe, buy, payByForm, reconcile }) => {
    await mapCoupon()
    const metadata = { tributary_click: await merchant.click() }
    await database.ageClicks(merchant)
    clock.now = daysAgo(1)
    await subscribe()
    await buy()
    const { id } = await payByForm(metadata)
    clock.now = new Date()
    const waiting = await payByForm(metadata)

    const { output } = await reconcile('--fix')
    expect(output).toContain('Stripe lists 4 purchases. In the ledger, 3 of them')
    expect(lineOf(output, id)).toMatch(/50\.00 USD {2}not recorded: “maya” earns 10\.00 USD$/)
    expect(lineOf(output, waiting.id)).toBe('')
    expect(await ledger(merchant)).toContainEqual({ sale: id, slug: 'maya', earned: 1_000 })
    expect(await reconcile()).toMatchObject({ code: 0 })
  }))

test('a refund that arrived before its sale is applied to it', () =>
  withAccount(async ({ merchant, fake, mapCoupon, buy, reconcile }) => {
    await mapCoupon()
    const secret = signingSecret()
    await merchant.seed.addStripeSecret(merchant.workspace.id, secret, SECRETS_KEY)
    const url = `${inject('baseUrl')}/api/webhooks/stripe/${merchant.workspace.slug}`
    fake.addEndpoint({ url, secret, events: ['refund.created'] })
    const payment = idOf((await buy()).payment_intent)
    fake.refund(payment, 1_500)
    await fake.settled()

    const { output } = await reconcile('--fix')
    expect(lineOf(output, payment)).toMatch(/“maya” earns 9\.00 USD, less 3\.00 USD for returns$/)
    const earned = (await ledger(merchant)).map((row) => row.earned)
    expect(earned.sort()).toEqual([-300, 900])
    expect(await reconcile()).toMatchObject({ code: 0 })
  }))

test('a customer who has paid nothing yet is referred by the coupon’s partner', () =>
  withAccount(async ({ merchant, clock, fake, mapCoupon, subscribe, reconcile }) => {
    const free = fake.addCoupon({ percentOff: 100, duration: 'once' }).coupon.id
    await mapCoupon(free)
    clock.now = daysAgo(40)
    const session = await subscribe({ coupon: free })
    clock.now = daysAgo(10)
    const renewal = fake.renew(idOf(session.subscription))

    const { output } = await reconcile('--fix')
    expect(lineOf(output, idOf(session.invoice))).toMatch(
      / {2}0\.00 USD {2}nothing paid yet, and the customer is not known as one of “maya”$/,
    )
    expect(lineOf(output, renewal.id)).toMatch(/“maya” earns 10\.00 USD$/)
    expect(await ledger(merchant)).toEqual([{ sale: renewal.id, slug: 'maya', earned: 1_000 }])
    expect(await reconcile()).toMatchObject({ code: 0 })
  }))

test('a long list is read page by page, with progress', () =>
  withAccount(async ({ merchant, fake, clock, subscribe, reconcile }) => {
    clock.now = daysAgo(20)
    const { subscription } = await subscribe()
    for (let months = 0; months < 110; months++) fake.renew(idOf(subscription))

    const { output, errors } = await reconcile()
    expect(output).toContain(
      'Stripe lists 111 purchases. In the ledger, 111 of them are missing or incomplete',
    )
    expect(errors).toContain('100 read')
    expect(errors).toContain('100 compared')
    expect(await ledger(merchant)).toEqual([])
  }))

test('purchases created before the date are not read', () =>
  withAccount(async ({ merchant, fake, clock, subscribe }) => {
    clock.now = daysAgo(40)
    await subscribe()
    const { code, output } = await run(
      ['--workspace', merchant.workspace.id, '--since', daysAgo(39).toISOString()],
      { ...inject('database'), STRIPE_API_KEY: 'rk_test_reads', STRIPE_API_BASE: fake.url },
    )
    expect({ code, output }).toEqual({
      code: 0,
      output: 'Stripe lists 0 purchases. The ledger has all of them.\n',
    })
  }))

test('as a program without settings, it reads the demo, and exits with a code', () =>
  withAccount(async ({ merchant, fake, subscribe }) => {
    await subscribe()
    const { DATABASE_URL: databaseUrl, SQL_ENDPOINT: sqlEndpoint } = inject('database')
    const DATA_DIR = await mkdtemp(join(tmpdir(), 'tributary-reconcile-'))
    try {
      const demo = { databaseUrl, sqlEndpoint, stripeUrl: fake.url }
      await writeFile(join(DATA_DIR, 'demo.json'), JSON.stringify(demo))
      const args = ['--workspace', merchant.workspace.slug, '--since', LONG_AGO]
      const { code, output } = await runProgram(args, { DATA_DIR })
      expect({ code, output }).toEqual({
        code: 1,
        output: expect.stringContaining('Stripe lists 1 purchase.'),
      })
    } finally {
      await rm(DATA_DIR, { recursive: true })
    }
  }))

describe('explains', { tags: 'thorough' }, () => {
  const GOOD = ['--workspace', 'acme', '--since', '2026-01-01']
  test.each([
    {
      case: 'no workspace',
      args: ['--since', '2026-01-01'],
      says: 'The option --workspace is required.',
    },
    { case: 'no date', args: ['--workspace', 'acme'], says: 'The option --since is required.' },
    {
      case: 'an invalid date',
      args: ['--workspace', 'acme', '--since', '2026-02-30'],
      says: '--since 2026-02-30 is neither a date',
    },
    {
      case: 'a date in the future',
      args: ['--workspace', 'acme', '--since', '2999-01-01'],
      says: '--since 2999-01-01 is in the future',
    },
    { case: 'an unknown option', args: [...GOOD, '--fx'], says: "Unknown option '--fx'" },
    {
      case: 'neither a database nor a demo',
      args: GOOD,
      says: 'Set DATABASE_URL=postgresql://... and STRIPE_API_KEY=rk_live_...',
    },
    {
      case: 'a database without a key',
      args: GOOD,
      env: { DATABASE_URL: 'postgresql://u:p@db.example/x' },
      says: 'Set STRIPE_API_KEY=rk_live_...',
    },
    {
      case: 'a key without a database',
      args: GOOD,
      env: { STRIPE_API_KEY: 'rk_test_reads' },
      says: 'Set DATABASE_URL=postgresql://...',
    },
    {
      case: 'an invalid URL of Stripe',
      args: GOOD,
      env: { STRIPE_API_BASE: 'stripe' },
      says: 'STRIPE_API_BASE=stripe is not a URL',
    },
    {
      case: 'a database that does not answer',
      args: GOOD,
      env: {
        DATABASE_URL: 'postgresql://u:p@127.0.0.1/x',
        SQL_ENDPOINT: 'http://127.0.0.1:1/sql',
        STRIPE_API_KEY: 'rk_test_reads',
      },
      // The driver keeps its endpoint, also for whatever else runs in this process.
      start: runProgram,
      says: 'The database of DATABASE_URL does not answer',
    },
  ])('$case', async ({ args, env = {}, start = run, says }) => {
    const { code, output, errors } = await start(args, env)
    expect({ code, output, errors }).toEqual({
      code: 2,
      output: '',
      errors: expect.stringContaining(says),
    })
    expect(errors).not.toMatch(/^ +at /m) // no stack: it is not a bug
  })

  test('an unknown workspace, a wrong key, and a Stripe that does not answer', async () => {
    const { workspace } = await createMerchant()
    let fake: StripeFake | undefined
    try {
      fake = await startStripe()
      const STRIPE_API_BASE = fake.url
      const ask = (slug: string, env: Record<string, string>) =>
        run(['--workspace', slug, '--since', LONG_AGO], {
          ...inject('database'),
          STRIPE_API_KEY: 'rk_test_reads',
          STRIPE_API_BASE,
          ...env,
        })
      const cases = [
        [ask('no-such', {}), 'The database has no workspace with the slug or id “no-such”'],
        [
          ask(workspace.slug, { STRIPE_API_KEY: 'nonsense' }),
          'Stripe rejects the key in STRIPE_API_KEY',
        ],
        [
          ask(workspace.slug, { STRIPE_API_BASE: 'http://127.0.0.1:1' }),
          'The call of Stripe failed',
        ],
      ] as const
      for (const [answer, says] of cases) {
        const { code, output, errors } = await answer
        expect({ code, output, errors }).toEqual({
          code: 2,
          output: '',
          errors: expect.stringContaining(says),
        })
      }
    } finally {
      await fake?.stop()
    }
  })
})
