import pg from 'pg'
import { expect, test } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { isInFlight } from '../../lib/payouts/payouts.queries.ts'
import { giveDetails } from '../support/payment-details.ts'
import { usePayouts } from '../support/payouts.ts'

const world = usePayouts()

const TOMORROW = new Date(Date.now() + 86_400_000)

test('a run pays each partner and currency once, in one transfer, and the next run pays nothing', async () => {
  const payer = await world.createPayer()
  const maya = await payer.addPartner({
    slug: 'maya',
    owed: [{ amountCents: 1_000 }, { amountCents: 250 }, { amountCents: 700, currency: 'EUR' }],
  })
  const leo = await payer.addPartner({ slug: 'leo', owed: [{ amountCents: 4_900 }] })

  const { runId, payouts, skipped } = await payer.run()

  expect(runId).toEqual(expect.any(String))
  expect(skipped).toEqual([])
  expect(payouts.map(({ id: _, ...payout }) => payout)).toEqual([
    { partnerId: maya.id, currency: 'EUR', amountCents: 700, status: 'paid' },
    { partnerId: maya.id, currency: 'USD', amountCents: 1_250, status: 'paid' },
    { partnerId: leo.id, currency: 'USD', amountCents: 4_900, status: 'paid' },
  ])
  expect(payer.sent()).toEqual({
    [maya.account ?? '']: ['1250 usd', '700 eur'],
    [leo.account ?? '']: ['4900 usd'],
  })
  expect((await payer.run()).payouts).toEqual([])
  expect(Object.values(payer.sent()).flat()).toHaveLength(3)
  expect(await world.violations()).toEqual([])
})

test.each([
  {
    case: 'a commission in its holding period is not paid',
    owed: [{ amountCents: 500, payableAt: TOMORROW }],
  },
  {
    case: 'a balance below the minimum is carried forward',
    owed: [{ amountCents: 99 }],
    skipped: { code: 'below_minimum', amountCents: 99 },
  },
  {
    case: 'a banned partner is not paid',
    owed: [{ amountCents: 500 }],
    partner: { status: 'banned' as const },
    skipped: { code: 'partner_banned', amountCents: 500 },
  },
  {
    case: 'a partner without a connected account is skipped',
    owed: [{ amountCents: 500 }],
    partner: { connected: false },
    skipped: { code: 'not_connected', amountCents: 500 },
  },
])('$case', async ({ owed, partner = {}, skipped }) => {
  const payer = await world.createPayer({ minimum_payout_cents: 100 })
  const { id: partnerId } = await payer.addPartner({ slug: 'maya', owed, ...partner })
  const expected = skipped ? [{ partnerId, currency: 'USD', ...skipped }] : []

  expect(await payer.run({ dryRun: true })).toEqual({
    runId: null,
    status: null,
    previewedAt: expect.any(Date),
    totals: [],
    available: null,
    unread: [],
    payouts: [],
    skipped: expected,
  })
  expect(await payer.run()).toMatchObject({ payouts: [], skipped: expected })
  expect(payer.sent()).toEqual({})
  expect(await world.violations()).toEqual([])
})

test('a run that asks for documents skips who is not marked to have given them, by Stripe and by bank', async () => {
  const payer = await world.createPayer()
  const maya = await payer.addPartner({ slug: 'maya', owed: [{ amountCents: 1_000 }] })
  const leo = await payer.addPartner({ slug: 'leo', owed: [{ amountCents: 500 }] })
  await world.query('update workspaces set require_documents = true where id = $1', [
    payer.workspaceId,
  ])
  await world.query('update partners set documents_received_at = now() where id = $1', [leo.id])
  const missing = {
    partnerId: maya.id,
    currency: 'USD',
    amountCents: 1_000,
    code: 'documents_missing',
  }
  expect(await payer.run({ method: 'manual', dryRun: true })).toMatchObject({
    payouts: [{ partnerId: leo.id }],
    skipped: [missing],
  })
  expect(await payer.run()).toMatchObject({ payouts: [{ partnerId: leo.id }], skipped: [missing] })
})

test('a partner who chose PayPal is not paid by Stripe, as long as the merchant offers PayPal', async () => {
  const payer = await world.createPayer()
  const maya = await payer.addPartner({ slug: 'maya', owed: [{ amountCents: 1_000 }] })
  const person = { workspaceId: payer.workspaceId, email: maya.email }
  await giveDetails(world.query, person, { method: 'paypal', address: 'maya@paypal.example' })
  const offer = (isOffered: boolean) =>
    world.query('update workspaces set paypal_payouts = $2 where id = $1', [
      payer.workspaceId,
      isOffered,
    ])
  await offer(true)
  const other = { partnerId: maya.id, currency: 'USD', amountCents: 1_000, code: 'other_method' }
  expect(await payer.run()).toMatchObject({ payouts: [], skipped: [other] })
  expect((await payer.run({ method: 'manual', dryRun: true })).payouts).toHaveLength(1)
  expect(payer.sent()).toEqual({})

  await offer(false)
  expect((await payer.run()).payouts).toMatchObject([{ partnerId: maya.id, status: 'paid' }])
  expect(await world.violations()).toEqual([])
})

test('a choice of PayPal counts after its hold: until then, Stripe pays', async () => {
  const payer = await world.createPayer()
  const maya = await payer.addPartner({ slug: 'maya', owed: [{ amountCents: 1_000 }] })
  await world.query('update workspaces set paypal_payouts = true where id = $1', [
    payer.workspaceId,
  ])
  const person = { workspaceId: payer.workspaceId, email: maya.email }
  await giveDetails(
    world.query,
    person,
    { method: 'paypal', address: 'maya@paypal.example' },
    TOMORROW,
  )
  expect((await payer.run()).payouts).toMatchObject([{ partnerId: maya.id, status: 'paid' }])
})

test('a refund after the payout is deducted from the next one', async () => {
  const payer = await world.createPayer()
  const maya = await payer.addPartner({ slug: 'maya', owed: [{ amountCents: 1_000 }] })
  await payer.run()
  await payer.reverse(maya.commissions[0] ?? '', 400)
  await payer.earn(maya.id, { amountCents: 700 })

  await payer.run()

  expect(payer.sent()).toEqual({ [maya.account ?? '']: ['1000 usd', '300 usd'] })
  expect(await world.violations()).toEqual([])
})

test('a negative balance is carried forward until earnings exceed it', async () => {
  const payer = await world.createPayer()
  const maya = await payer.addPartner({ slug: 'maya', owed: [{ amountCents: 1_000 }] })
  await payer.run()
  await payer.reverse(maya.commissions[0] ?? '')
  await payer.earn(maya.id, { amountCents: 600 })
  const inEuros = await payer.earn(maya.id, { amountCents: 500, currency: 'EUR' })

  const short = await payer.run()
  expect(short.skipped).toEqual([
    { partnerId: maya.id, currency: 'USD', amountCents: -400, code: 'negative_balance' },
  ])
  // Another currency is another balance.
  expect(short.payouts).toMatchObject([{ currency: 'EUR', amountCents: 500, status: 'paid' }])
  await payer.reverse(inEuros)

  await payer.earn(maya.id, { amountCents: 400 })
  expect(await payer.run()).toMatchObject({
    payouts: [],
    skipped: [{ code: 'negative_balance', currency: 'EUR' }],
  })
  await payer.earn(maya.id, { amountCents: 50 })
  expect((await payer.run()).payouts).toMatchObject([{ currency: 'USD', amountCents: 50 }])
  expect(payer.sent()).toEqual({ [maya.account ?? '']: ['1000 usd', '50 usd', '500 eur'] })
  expect(await world.violations()).toEqual([])
})

test('a dry run returns what the run then does, and changes nothing', async () => {
  const payer = await world.createPayer()
  await payer.addPartner({ slug: 'maya', owed: [{ amountCents: 1_000 }] })
  await payer.addPartner({ slug: 'leo', owed: [{ amountCents: 500 }], connected: false })
  const everything = () =>
    world.query(
      `select (select count(*) from payouts where workspace_id = $1) as payouts,
              (select count(*) from payout_runs where workspace_id = $1) as runs,
              (select count(*) from mails where workspace_id = $1) as mails,
              (select count(*) from audit_entries where workspace_id = $1) as entries`,
      [payer.workspaceId],
    )
  const before = await everything()
  const rehearsed = await payer.run({ dryRun: true })

  expect(await everything()).toEqual(before)
  expect(payer.sent()).toEqual({})
  expect(rehearsed).toMatchObject({
    runId: null,
    payouts: [{ id: null, amountCents: 1_000, status: 'payable' }],
  })
  const real = await payer.run()
  const without = ({ id: _, status: __, ...payout }: (typeof real.payouts)[number]) => payout
  expect(real.payouts.map(without)).toEqual(rehearsed.payouts.map(without))
  expect(real.skipped).toEqual(rehearsed.skipped)
})

test('a partner without a connected account is notified once, however many runs there are', async () => {
  const payer = await world.createPayer()
  const { id } = await payer.addPartner({
    slug: 'maya',
    owed: [{ amountCents: 500 }],
    connected: false,
  })
  await payer.addPartner({ slug: 'leo', connected: false })
  await payer.run()
  await payer.run()
  const mails = await world.query(
    'select kind, partner_id, details from mails where workspace_id = $1',
    [payer.workspaceId],
  )
  expect(mails).toEqual([
    {
      kind: 'connect_account',
      partner_id: id,
      details: {
        partnerName: null,
        programName: 'A program',
        amount: '5.00 USD',
        portalUrl: 'https://tributary.example/portal',
        problem: 'not_connected',
      },
    },
  ])
})

test('without a Stripe key, nobody is paid by Stripe, and nobody is asked to connect', async () => {
  const payer = await world.createPayer()
  await payer.addPartner({ slug: 'maya', owed: [{ amountCents: 500 }], connected: false })
  await world.query('delete from stripe_keys where workspace_id = $1', [payer.workspaceId])

  await expect(payer.run()).rejects.toThrow('no Stripe key')
  expect(
    await world.query('select from mails where workspace_id = $1', [payer.workspaceId]),
  ).toEqual([])
})

test('a manual run claims the balances of all partners, connected or not, and sends nothing', async () => {
  const payer = await world.createPayer()
  await payer.addPartner({ slug: 'maya', owed: [{ amountCents: 500 }] })
  await payer.addPartner({ slug: 'leo', owed: [{ amountCents: 700 }], connected: false })

  const { payouts, skipped } = await payer.run({ method: 'manual' })

  expect(payouts).toMatchObject([
    { amountCents: 500, status: 'processing' },
    { amountCents: 700, status: 'processing' },
  ])
  expect(skipped).toEqual([])
  expect((await payer.run()).payouts).toEqual([])
  expect(payer.sent()).toEqual({})
})

test('a run of one program does not pay the others', async () => {
  const payer = await world.createPayer()
  const maya = await payer.addPartner({ slug: 'maya', owed: [{ amountCents: 500 }] })
  const other = await payer.seed.addProgram(payer.workspaceId)
  const twin = await payer.seed.addPartner(payer.workspaceId, other, {
    slug: 'maya',
    email: maya.email,
  })
  await payer.earn(twin, { amountCents: 300 })

  expect((await payer.run({ programId: payer.programId })).payouts).toMatchObject([
    { partnerId: maya.id },
  ])
  expect((await payer.run()).payouts).toMatchObject([
    { partnerId: twin, amountCents: 300, status: 'paid' },
  ])
  // One connected account serves all programs of the workspace.
  expect(payer.sent()).toEqual({ [maya.account ?? '']: ['300 usd', '500 usd'] })
})

test('a run that reaches its fetch limit leaves the remaining payouts to the next one', async () => {
  const payer = await world.createPayer()
  for (let index = 0; index < 12; index++) {
    await payer.addPartner({ slug: `partner-${index}`, owed: [{ amountCents: 100 + index }] })
  }
  // A Worker may make so few fetches that it sends no more than a few payouts: the next one goes
  // on.
  const { payouts } = await payer.run({}, { MAX_FETCHES: '20' })
  expect(payouts).toHaveLength(12)
  expect(payouts.filter(({ status }) => status === 'paid').length).toBeLessThan(12)
  await payer.run({}, { MAX_FETCHES: '45' })
  expect(Object.values(payer.sent()).flat()).toHaveLength(12)
  expect(await world.violations()).toEqual([])
})

const DONE = '2026-11-21T08:00:00Z'

test.each([
  { outcome: null, status: 'processing' },
  { outcome: 'paid_at', status: 'paid' },
  { outcome: 'failed_at', status: 'failed' },
  { outcome: 'canceled_at', status: 'canceled' },
])('a payout with $outcome is $status', async ({ outcome, status }) => {
  const payer = await world.createPayer()
  const { id: partnerId } = await payer.addPartner({ slug: 'maya', connected: false })
  const at = (column: string) => (column === outcome ? DONE : null)
  const rows = await world.query(
    `with run as (
       insert into payout_runs (id, workspace_id, method, cutoff_at, created_by, created_at, claimed_at)
       values (uuidv7(), $1, 'manual', now(), 'somebody', now(), now()) returning id)
     insert into payouts (id, workspace_id, run_id, program_id, partner_id, currency, amount_cents, created_at,
                          next_attempt_at, paid_at, failed_at, canceled_at)
     select uuidv7(), $1, id, $2, $3, 'USD', 1, now(), now(), $4, $5, $6 from run returning status`,
    [
      payer.workspaceId,
      payer.programId,
      partnerId,
      at('paid_at'),
      at('failed_at'),
      at('canceled_at'),
    ],
  )
  expect(rows).toEqual([{ status }])
})

test.each([
  { method: 'manual', marked: null, confirmed: null, canceled: null, status: 'processing' },
  { method: 'manual', marked: DONE, confirmed: null, canceled: null, status: 'paid' },
  { method: 'manual', marked: DONE, confirmed: DONE, canceled: null, status: 'confirmed' },
  { method: 'manual', marked: null, confirmed: null, canceled: DONE, status: 'canceled' },
  { method: 'stripe', marked: null, confirmed: null, canceled: null, status: null },
])(
  'the manual status of a $method run is $status',
  async ({ method, marked, confirmed, canceled, status }) => {
    const { workspaceId } = await world.createPayer()
    const rows = await world.query(
      `insert into payout_runs (id, workspace_id, method, cutoff_at, created_by, created_at, claimed_at, marked_paid_at,
                              confirmed_at, canceled_at)
     values (uuidv7(), $1, $2, now(), 'somebody', now(), now(), $3, $4, $5) returning manual_status as status`,
      [workspaceId, method, marked, confirmed, canceled],
    )
    expect(rows).toEqual([{ status }])
  },
)

test('payouts in flight are found through their index', async () => {
  const { sql } = isInFlight('p').compile(connect(world.env()))
  const client = new pg.Client({ connectionString: world.env().DATABASE_URL })
  await client.connect()
  // In an empty table, any index is as good.
  await client.query('set enable_seqscan = off; set enable_sort = off')
  const { rows } = await client.query(
    `explain select from payouts p where p.workspace_id = (select uuidv7()) and ${sql} order by p.next_attempt_at`,
  )
  await client.end()
  expect(JSON.stringify(rows)).toContain('payouts_processing_idx')
})
