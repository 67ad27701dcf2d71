/** What names people is gone after the time that the settings say, and nothing else changes. */
import { expect, inject, test } from 'vitest'
import { keysExpireBefore } from '../../lib/auth/idempotency/idempotency.queries.ts'
import { connect } from '../../lib/db/connection.ts'
import { clearExpired, removeDue } from '../../lib/people/retention.queries.ts'
import { DEFAULTS, daysOf } from '../../lib/people/retention.ts'
import { createMerchant, useDatabase } from '../support/merchant.ts'
import { paying, setRules } from '../support/reward-rules.ts'
import {
  checkoutSession,
  invoice,
  refund,
  stripeEvent,
  stripeId,
  useStripe,
} from '../support/stripe.ts'
import { basilLine, pageOf } from '../support/stripe-lines.ts'
import { openStripeShop } from '../support/stripe-shop.ts'

const database = useDatabase()
const db = () => connect(inject('database'))

/** Older than what other tests leave, so that only this test's rows are due. */
const OLD = new Date(Date.now() - 5_000 * 86_400_000)
const OLDER = new Date(OLD.getTime() - 86_400_000)
/** Of now or later: the cron, which other tests run meanwhile, removes by the real time. */
const YOUNGER = new Date(Date.now() + 86_400_000)

const all = async (call: (limit: number) => Promise<number>) => {
  while ((await call(100)) > 0);
}

test('mails that were sent lose recipient and contents, and are still known as sent', async () => {
  const { workspace } = await createMerchant()
  const add = (sentAt: Date | null) =>
    database.query(
      `insert into mails (id, workspace_id, kind, recipient, details, created_at, next_attempt_at, sent_at)
       values (uuidv7(), $1, 'invitation', 'jo@shop.example', '{"invitedBy": "ann@shop.example"}', $2, $2, $3)`,
      [workspace.id, OLDER, sentAt],
    )
  for (const sentAt of [OLDER, YOUNGER]) await add(sentAt)
  await all((limit) => removeDue(db(), 'mails', OLD, limit))
  const rows = await database.query(
    'select recipient, details, status from mails where workspace_id = $1 order by sent_at',
    [workspace.id],
  )
  expect(rows).toEqual([
    { recipient: '', details: {}, status: 'sent' },
    { recipient: 'jo@shop.example', details: { invitedBy: 'ann@shop.example' }, status: 'sent' },
  ])
})

test('what was written to many partners goes once it is sent to all of them', async () => {
  const { workspace, partnerId } = await createMerchant()
  const add = async (createdAt: Date, state: 'sent' | 'failed' | 'queued') => {
    const [row] = await database.query<{ id: string }>(
      `insert into mailings (id, workspace_id, subject, content, created_at) values (uuidv7(), $1, 'News', 'News', $2) returning id`,
      [workspace.id, createdAt],
    )
    await database.query(
      `insert into mails (id, workspace_id, kind, recipient, partner_id, occasion, details, created_at, next_attempt_at, sent_at, failed_at)
       values (uuidv7(), $1, 'message', 'maya@partner.example', $2, $3, '{}', now(), now() + interval '1 year',
               case when $4 = 'sent' then now() end, case when $4 = 'failed' then now() end)`,
      [workspace.id, partnerId, row?.id, state],
    )
    return row?.id
  }
  await add(OLDER, 'sent')
  await add(OLDER, 'failed')
  const kept = [await add(OLDER, 'queued'), await add(YOUNGER, 'sent')]
  await all((limit) => removeDue(db(), 'mailings', OLD, limit))
  const rows = await database.query<{ id: string }>(
    'select id from mailings where workspace_id = $1 order by id',
    [workspace.id],
  )
  expect(rows.map(({ id }) => id)).toEqual(kept)
})

test('metadata goes of old events that nobody is credited with, and of no others', async () => {
  const merchant = await createMerchant()
  const clickId = await merchant.click()
  const metadata = { plan: 'pro' }
  await merchant.sale({ externalId: 'credited', clickId, metadata })
  await merchant.sale({ externalId: 'old', customerExternalId: 'user_2', metadata })
  await merchant.sale({ externalId: 'young', customerExternalId: 'user_3', metadata })
  await database.query(
    `update events set occurred_at = case external_id when 'young' then $2 else $3 end::timestamptz where workspace_id = $1`,
    [merchant.workspace.id, YOUNGER, OLDER],
  )
  await all((limit) => removeDue(db(), 'metadata', OLD, limit))
  expect(
    await database.query(
      'select external_id as id, metadata from events where workspace_id = $1 order by id',
      [merchant.workspace.id],
    ),
  ).toEqual([
    { id: 'credited', metadata },
    { id: 'old', metadata: null },
    { id: 'young', metadata },
  ])
})

test('Stripe’s events lose the buyer once the whole purchase is old, and a late refund still reverses its share', async () => {
  const merchant = await createMerchant()
  const stripe = await useStripe(merchant)
  const [old, young] = [stripeId('pi'), stripeId('pi')]
  for (const payment of [old, young]) {
    await stripe.deliver(
      stripeEvent(
        'checkout.session.completed',
        checkoutSession({
          payment_intent: payment,
          customer: stripeId('cus'),
          client_reference_id: await merchant.click(),
          customer_details: { email: 'jo@buyer.example', name: 'Jo' },
        }),
      ),
    )
  }
  const refunded = (payment: string) =>
    stripe.deliver(
      stripeEvent('refund.created', refund({ payment_intent: payment, amount: 2_450 })),
    )
  await refunded(young)
  const { id } = merchant.workspace
  await database.query(
    `update processor_events set occurred_at = $2 where workspace_id = $1 and type like 'checkout%'`,
    [id, OLDER],
  )
  await all((limit) => removeDue(db(), 'purchases', OLD, limit))
  const buyers = await database.query<{ payment: string; email: string | null; named: boolean }>(
    `select keys, email, facts::text like '%jo@buyer%' as named from processor_events
     where workspace_id = $1 and type like 'checkout%' order by id`,
    [id],
  )
  expect(buyers).toEqual([
    expect.objectContaining({ email: null, named: false }),
    expect.objectContaining({ email: 'jo@buyer.example', named: true }),
  ])
  await refunded(old)
  const sums = await database.query(
    'select sum(amount_cents)::int as cents from commissions where workspace_id = $1 group by event_id',
    [id],
  )
  expect(sums).toEqual([{ cents: 490 }, { cents: 490 }])
  expect(await database.violations(id)).toEqual([])
})

test('sessions, sign-in links and requests to change an address go when they have expired', async () => {
  const add = async (expiresAt: Date, name: string) => {
    await database.query(
      `with person as (
         insert into sign_in.users (id, name, email, email_verified, created_at, updated_at)
         values (uuidv7(), '', $2, true, now(), now()) returning id
       ), session as (
         insert into sign_in.sessions (id, user_id, token, expires_at, created_at, updated_at)
         select uuidv7(), id, $2, $1, now(), now() from person
       )
       insert into address_changes (id, email, new_email, token_hash, created_at, expires_at)
       values (uuidv7(), $2, 'new.' || $2, $2, $1::timestamptz - interval '1 hour', $1)`,
      [expiresAt, name],
    )
  }
  const [gone, kept] = [`gone-${Date.now()}@shop.example`, `kept-${Date.now()}@shop.example`]
  await add(OLDER, gone)
  await add(YOUNGER, kept)
  await all((limit) => clearExpired(db(), OLD, limit))
  expect(
    await database.query(
      'select token as name from sign_in.sessions where token in ($1, $2) union all select email from address_changes where email in ($1, $2)',
      [gone, kept],
    ),
  ).toEqual([{ name: kept }, { name: kept }])
})

test('Idempotency-Keys go, with their answers, when they are a day old', async () => {
  const hash = `key-${Date.now()}`
  await database.query(
    `insert into idempotency_keys (workspace_id, hash, body_hash, first_id, status, answer, created_at)
     select gen_random_uuid(), $1 || name, '', gen_random_uuid(), 201, '{}', created_at
     from unnest($2::text[], $3::timestamptz[]) keys (name, created_at)`,
    [hash, ['gone', 'kept'], [new Date(OLD.getTime() - 25 * 3_600_000), YOUNGER]],
  )
  expect(keysExpireBefore(OLD)).toEqual(new Date(OLD.getTime() - 24 * 3_600_000))
  await all((limit) => clearExpired(db(), OLD, limit))
  expect(
    await database.query('select hash from idempotency_keys where starts_with(hash, $1)', [hash]),
  ).toEqual([{ hash: `${hash}kept` }])
})

test.each([
  { value: undefined, days: DEFAULTS.MAIL_RETENTION_DAYS },
  { value: '30', days: 30 },
])('the setting $value is $days days', ({ value, days }) => {
  expect(
    daysOf(value === undefined ? {} : { MAIL_RETENTION_DAYS: value }, 'MAIL_RETENTION_DAYS'),
  ).toBe(days)
})

test.each(['0', '-1', '1.5', 'soon', ''])(
  'the setting “%s” is refused, rather than removing everything',
  (value) => {
    expect(() => daysOf({ MAIL_RETENTION_DAYS: value }, 'MAIL_RETENTION_DAYS')).toThrow(
      'MAIL_RETENTION_DAYS',
    )
  },
)

test('a sale that a rule decided by the metadata of a line earns the same once Stripe’s event has lost it', async () => {
  const shop = await openStripeShop(database)
  const { merchant } = shop
  await setRules(database, merchant.programId, [
    paying(50, { fact: 'metadata', key: 'plan', in: ['gold'] }),
  ])
  const customer = stripeId('cus')
  await merchant.lead({ externalId: customer, clickId: await shop.clickBefore() })
  const lines = pageOf([basilLine('gold', { metadata: { plan: 'gold' } }), basilLine('plain')])
  const total = 9_800
  const paid = invoice({ customer, amount_paid: total, total, total_excluding_tax: total, lines })
  await shop.deliver('invoice.paid', paid)
  await database.query('update processor_events set occurred_at = $2 where workspace_id = $1', [
    merchant.workspace.id,
    OLDER,
  ])
  await all((limit) => removeDue(db(), 'purchases', OLD, limit))
  const kept = await database.query(
    `select from processor_events where workspace_id = $1 and facts::text like '%metadata%'`,
    [merchant.workspace.id],
  )
  expect(kept).toEqual([])
  // An earlier sale of the customer, so that it is decided again.
  await merchant.sale({
    externalId: 'earlier',
    customerExternalId: customer,
    occurredAt: new Date(Date.now() - 600_000).toISOString(),
  })
  const sale = (await shop.sales()).find(({ external_id }) => external_id === paid.id)
  expect(sale).toMatchObject({ slug: 'maya', earned: 2_450 + 490 })
})
