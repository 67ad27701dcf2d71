import { beforeAll, describe, expect, test } from 'vitest'
import type { Seeder } from '../../dev/demo/seed.ts'
import { newId } from '../../lib/db/ids.ts'
import { deleteWorkspace } from '../support/deleted-workspace.ts'
import type { Fault } from '../support/faulty-database.ts'
import { useFaultyManage } from '../support/faulty-manage.ts'
import { errorShape, useDatabase } from '../support/merchant.ts'
import { openSession } from '../support/people.ts'
import { SECRETS_KEY, signingSecret } from '../support/secrets.ts'
import { sampled } from '../support/thorough.ts'
import { addWebhook } from '../support/webhooks.ts'

const database = useDatabase()
const { createMerchant, watch } = useFaultyManage()

const MANAGER = 'ann@shop.example'
const COLLEAGUE = 'bob@shop.example'

/**
 * Three manual runs that pay the partner: one that is to be paid, one that is marked as paid, and
 * one that is confirmed.
 */
const addRuns = (workspaceId: string) =>
  database.query(
    `with run as (
       insert into payout_runs (id, workspace_id, method, cutoff_at, created_by, created_at, claimed_at, marked_paid_at,
                                confirmed_at)
       select gen_random_uuid(), $1, 'manual', now(), 'ann@shop.example', now(), now(), marked_at, confirmed_at
       from (values (null, null), (now(), null), (now(), now())) steps (marked_at, confirmed_at) returning id, marked_paid_at
     )
     insert into payouts (id, workspace_id, run_id, program_id, partner_id, currency, amount_cents, created_at,
                          next_attempt_at, paid_at)
     select gen_random_uuid(), $1, run.id, p.program_id, p.id, 'USD', 500, now(), now(), run.marked_paid_at
     from run, partners p where p.workspace_id = $1`,
    [workspaceId],
  )

/**
 * A payout to the partner's account, whose transfer was reversed. It has one commission, an opening
 * balance.
 */
const addReversedPayout = (workspaceId: string) =>
  database.query(
    `with partner as (select * from partners where workspace_id = $1),
     account as (
       insert into payout_accounts (id, workspace_id, email, country, stripe_account_id, status, created_at)
       select gen_random_uuid(), $1, email, 'DE', 'acct_' || slug, 'enabled', now() - interval '4 days' from partner
       returning stripe_account_id
     ), run as (
       insert into payout_runs (id, workspace_id, method, cutoff_at, created_by, created_at, claimed_at)
       values (gen_random_uuid(), $1, 'stripe', now(), 'ann@shop.example', now(), now()) returning id
     ), payout as (
       insert into payouts (id, workspace_id, run_id, program_id, partner_id, currency, amount_cents, created_at,
                            next_attempt_at, stripe_account_id, transfer_id, paid_at, reversed_cents, reversed_at)
       select gen_random_uuid(), $1, run.id, p.program_id, p.id, 'USD', 500, now(), now(), stripe_account_id, 'tr_1',
              now(), 500, now()
       from run, partner p, account returning id
     )
     insert into commissions (id, workspace_id, program_id, partner_id, kind, amount_cents, currency, payable_at,
                              created_at, payout_id)
     select gen_random_uuid(), $1, p.program_id, p.id, 'opening_balance', 500, 'USD', now(), now(), payout.id
     from partner p, payout`,
    [workspaceId],
  )

/** Another partner, who is owed what can be held. */
const addCreditor = ({
  seed,
  programId,
  workspace,
}: {
  seed: Seeder
  programId: string
  workspace: { id: string }
}) =>
  seed.addPartner(workspace.id, programId, { slug: 'leo' }).then((partner) =>
    database.query(
      `insert into commissions (id, workspace_id, program_id, partner_id, kind, amount_cents, currency, payable_at, created_at)
       values (gen_random_uuid(), $1, $2, $3, 'opening_balance', 700, 'USD', now(), now())`,
      [workspace.id, programId, partner],
    ),
  )

/** A workspace with two managers, and a way to change it over the faulty database. */
const createWatched = async () => {
  const merchant = await createMerchant({ group: {} })
  const { id, slug } = merchant.workspace
  for (const email of [MANAGER, COLLEAGUE]) {
    await merchant.seed.addMember(id, email, 'manager')
    await openSession(email)
  }
  await merchant.seed.addStripeSecret(id, signingSecret(), SECRETS_KEY)
  await addRuns(id)
  await addReversedPayout(id)
  await addCreditor(merchant)
  await database.query(
    `insert into applications (id, workspace_id, program_id, email, name, promotion, answers, applied_at)
     values (gen_random_uuid(), $1, $2, 'ida@applicant.example', 'Ida', 'Blog', '[]', now())`,
    [id, merchant.programId],
  )
  await addWebhook(database, id)
  const [ids] = await database.query<Record<string, string>>(
    `select (select id from members where workspace_id = $1 and email = $2) as member,
            (select id from api_keys where workspace_id = $1) as key,
            (select id from stripe_secrets where workspace_id = $1) as secret,
            (select id from programs where workspace_id = $1) as program,
            (select id from payout_runs where workspace_id = $1 and method = 'manual' and marked_paid_at is null) as run,
            (select id from payouts where workspace_id = $1 and status = 'reversed') as reversed,
            (select id from payout_runs where workspace_id = $1 and marked_paid_at is not null
               and confirmed_at is null) as marked,
            (select p.id from payouts p join payout_runs r on r.id = p.run_id
             where p.workspace_id = $1 and r.confirmed_at is not null) as confirmed,
            (select id from commissions where workspace_id = $1 and payout_id is not null) as owed,
            (select id from commissions where workspace_id = $1 and payout_id is null) as free,
            (select id from groups where workspace_id = $1) as group,
            (select id from partners where workspace_id = $1 and slug = 'leo') as partner,
            (select id from applications where workspace_id = $1) as application,
            (select id from webhook_endpoints where workspace_id = $1) as endpoint,
            (select id from webhook_deliveries where workspace_id = $1) as delivery`,
    [id, COLLEAGUE],
  )
  const { call, ...watched } = watch([id, slug], MANAGER)
  return {
    ...watched,
    call: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => {
      const withIds = (text: string) =>
        text.replace(/:([a-z]+)\b/g, (_, name) => ids?.[name] ?? `:${name}`)
      const sent = body === undefined ? undefined : JSON.parse(withIds(JSON.stringify(body)))
      return call(method, `/${slug}${withIds(path)}`, sent, headers)
    },
    audit: () => database.audit(merchant),
    /** How many rows of each kind there are. */
    deleted: () => deleteWorkspace(database.query, id),
    rows: async () => {
      const [row] = await database.query(
        `select (select manual_payouts from workspaces where id = $1) as "manualPayouts",
                (select count(*) from members where workspace_id = $1)::int as members,
                (select count(*) from mails where workspace_id = $1)::int as mails,
                (select sum(version) from mail_texts where workspace_id = $1)::int as "mailTexts",
                array(select status from applications where workspace_id = $1 order by 1) as applications,
                array(select is_open from join_pages where workspace_id = $1) as "joinPages",
                array(select content from agreements where workspace_id = $1 order by version) as agreements,
                (select sum(version) from brands where workspace_id = $1)::int as brands,
                (select count(*) from payouts where workspace_id = $1 and paid_at is not null)::int as paid,
                (select count(*) from payouts where workspace_id = $1 and canceled_at is not null)::int as canceled,
                (select count(*) from payouts where workspace_id = $1 and released_at is not null)::int as released,
                (select count(*) from payouts where workspace_id = $1 and returned_at is not null)::int as returned,
                (select count(*) from commissions where workspace_id = $1 and payout_id is null)::int as payable,
                (select count(*) from payout_runs where workspace_id = $1 and confirmed_at is not null)::int
                  as confirmed,
                (select count(*) from api_keys where workspace_id = $1)::int as keys,
                (select count(*) from stripe_secrets where workspace_id = $1)::int as secrets,
                (select count(*) from rewards where workspace_id = $1)::int as rewards,
                (select count(*) from programs where workspace_id = $1)::int as programs,
                (select count(*) from groups where workspace_id = $1)::int as groups,
                (select sum(amount_cents) from commissions where workspace_id = $1)::int as cents,
                (select count(*) from adjustments where workspace_id = $1)::int as adjustments,
                (select count(*) from commission_holds where workspace_id = $1 and resolved_at is null)::int as held,
                (select count(*) from partners where workspace_id = $1)::int as partners,
                (select count(*) from links where workspace_id = $1)::int as links,
                (select count(*) from coupon_aliases where workspace_id = $1)::int as coupons,
                (select count(*) from partner_notes where workspace_id = $1)::int as notes,
                (select count(*) from webhook_endpoints where workspace_id = $1)::int as endpoints,
                (select count(*) from webhook_deliveries where workspace_id = $1)::int as deliveries`,
        [id],
      )
      return row
    },
  }
}

const reward = { kind: 'flat', amountCents: 500, currency: 'USD' }
const program = {
  name: 'Summer',
  siteUrl: 'https://shop.example',
  reward,
  rewardInterval: 'recurring',
}

/**
 * Every change, how many fetches it takes, and what it leaves behind when nothing goes wrong. If
 * the workspace is deleted before the write, what is to be deleted is gone, and what is to be
 * changed was changed meanwhile.
 */
const CHANGES = [
  {
    method: 'POST',
    path: '/members',
    body: { email: 'new@x.example', role: 'member' },
    fetches: 2,
    status: 201,
  },
  { method: 'PATCH', path: '/members/:member', body: { role: 'member' }, fetches: 3, status: 200 },
  { method: 'DELETE', path: '/members/:member', fetches: 3, status: 204, afterDeletion: 204 },
  { method: 'POST', path: '/api-keys', body: { name: 'Checkout' }, fetches: 2, status: 201 },
  { method: 'DELETE', path: '/api-keys/:key', fetches: 3, status: 204, afterDeletion: 204 },
  { method: 'PATCH', path: '/settings', body: { manualPayouts: true }, fetches: 3, status: 200 },
  {
    method: 'PUT',
    path: '/mail-texts/welcome',
    body: { subject: 'Hi', intro: null, version: 0 },
    fetches: 2,
    status: 200,
  },
  {
    method: 'PUT',
    path: '/programs/:program/brand',
    body: { logoUrl: null, accentColor: '#1f5f4a', supportEmail: null, version: 0 },
    fetches: 4,
    status: 200,
  },
  {
    method: 'PATCH',
    path: '/programs/:program/join-page',
    body: { open: true, agreement: 'Be kind.' },
    fetches: 3,
    status: 200,
  },
  {
    method: 'POST',
    path: '/stripe/secrets',
    body: { secret: signingSecret() },
    fetches: 2,
    status: 201,
    // Another Worker stores it. The repeat gets 404.
    afterDeletion: 503,
  },
  {
    method: 'DELETE',
    path: '/stripe/secrets/:secret',
    fetches: 3,
    status: 204,
    afterDeletion: 204,
  },
  { method: 'POST', path: '/programs', body: program, fetches: 2, status: 201 },
  {
    method: 'PATCH',
    path: '/programs/:program',
    body: { name: 'New', reward },
    fetches: 3,
    status: 200,
  },
  {
    method: 'POST',
    path: '/programs/:program/groups',
    body: { name: 'New', saleReward: reward },
    fetches: 3,
    status: 201,
  },
  {
    method: 'PATCH',
    path: '/groups/:group',
    body: { leadReward: reward },
    fetches: 3,
    status: 200,
  },
  {
    method: 'POST',
    path: '/commissions/:owed/reverse',
    body: { reason: 'Ours' },
    fetches: 3,
    status: 201,
    afterDeletion: 409,
  },
  {
    method: 'POST',
    path: '/commissions',
    body: {
      externalId: 'a1',
      partnerId: ':partner',
      amountCents: 100,
      currency: 'USD',
      reason: 'Bonus',
    },
    fetches: 3,
    status: 201,
  },
  {
    method: 'POST',
    path: '/commissions/:free/hold',
    body: { note: 'Wait' },
    fetches: 3,
    status: 200,
  },
  {
    method: 'POST',
    path: '/partners',
    body: { programId: ':program', email: 'new@x.example' },
    fetches: 3,
    status: 201,
  },
  {
    method: 'POST',
    path: '/partners/:partner/links',
    body: { slug: 'new' },
    fetches: 3,
    status: 201,
  },
  {
    method: 'POST',
    path: '/partners/:partner/coupons',
    body: { couponId: 'NEW' },
    fetches: 3,
    status: 201,
  },
  {
    method: 'POST',
    path: '/partners/:partner/notes',
    body: { content: 'Called.' },
    fetches: 2,
    status: 201,
  },
  {
    method: 'POST',
    path: '/applications/:application/reject',
    body: { reason: 'Too small', sendEmail: true },
    fetches: 3,
    status: 200,
    afterDeletion: 409,
  },
  {
    method: 'DELETE',
    path: '/applications/:application',
    fetches: 3,
    status: 204,
    afterDeletion: 204,
  },
  {
    method: 'POST',
    path: '/invitations',
    body: { programId: ':program', emails: ['new@x.example', 'other@x.example'] },
    fetches: 3,
    status: 201,
  },
  {
    method: 'POST',
    path: '/api-keys/:key/rotate',
    body: { overlapHours: 1 },
    fetches: 3,
    status: 201,
    afterDeletion: 409,
  },
  {
    method: 'POST',
    path: '/webhook-endpoints',
    body: { url: 'https://example.com/new', types: ['lead.created'] },
    fetches: 2,
    status: 201,
  },
  {
    method: 'PATCH',
    path: '/webhook-endpoints/:endpoint',
    body: { types: ['lead.created'] },
    fetches: 3,
    status: 200,
  },
  {
    method: 'POST',
    path: '/webhook-endpoints/:endpoint/rotate-secret',
    body: { overlapHours: 1 },
    fetches: 3,
    status: 200,
  },
  {
    method: 'DELETE',
    path: '/webhook-endpoints/:endpoint',
    fetches: 3,
    status: 204,
    afterDeletion: 204,
  },
  { method: 'POST', path: '/payouts/:reversed/release', body: {}, fetches: 3, status: 200 },
  {
    method: 'POST',
    path: '/payouts/:confirmed/return',
    body: { reason: 'Closed.' },
    fetches: 3,
    status: 200,
  },
  { method: 'PATCH', path: '/payout-runs/:run', body: { status: 'paid' }, fetches: 3, status: 200 },
  {
    method: 'PATCH',
    path: '/payout-runs/:run',
    body: { status: 'canceled' },
    fetches: 3,
    status: 200,
  },
  {
    method: 'PATCH',
    path: '/payout-runs/:marked',
    body: { status: 'processing' },
    fetches: 3,
    status: 200,
  },
  {
    method: 'PATCH',
    path: '/payout-runs/:marked',
    body: { status: 'confirmed' },
    fetches: 4,
    status: 200,
  },
] as const

describe.concurrent.each(CHANGES)(
  '$method $path',
  ({ method, path, fetches, status, ...change }) => {
    const body = 'body' in change ? change.body : undefined
    const before = Array(fetches - 1).fill(null)
    /** What there is after the change, with nothing going wrong. */
    let expected: { fetches: number | undefined; status: number; rows: object | undefined }
    beforeAll(async () => {
      const watched = await createWatched()
      watched.plan()
      const answer = await watched.call(method, path, body)
      expected = { fetches: watched.fetches(), status: answer.status, rows: await watched.rows() }
    })

    test(`makes ${fetches} database round trips besides the session's`, () => {
      expect(expected).toMatchObject({ fetches, status })
    })

    const turn = CHANGES.findIndex((one) => one.method === method && one.path === path)
    test.each(
      sampled<Fault>(['cut_before', 'cut_after'], ['half', 'garbage', 'lost_connection'], turn),
    )('is applied once when its write fails with %s', { tags: 'thorough' }, async (fault) => {
      const watched = await createWatched()
      watched.plan(...before, fault)
      expect((await watched.call(method, path, body)).status).toBe(status)
      expect(watched.left()).toBe(0)
      expect(await watched.rows()).toEqual(expected.rows)
      expect(await watched.audit()).toHaveLength(1)
    })

    test('returns what later requests do when the workspace is deleted before its write, and never 500', {
      tags: 'thorough',
    }, async () => {
      const watched = await createWatched()
      watched.plan(...before, watched.deleted)
      const answer = await watched.call(method, path, body)
      expect(watched.left()).toBe(0)
      const status = 'afterDeletion' in change ? change.afterDeletion : 404
      expect(answer.status).toBe(status)
      if (status === 404) expect(await answer.json()).toEqual(errorShape('not_found'))
    })

    test('returns 503 without confirmation, and is applied completely or not at all', {
      tags: 'thorough',
    }, async () => {
      const watched = await createWatched()
      const rows = await watched.rows()
      watched.plan(...before, ...Array(3).fill('wake_500'))
      expect((await watched.call(method, path, body)).status).toBe(503)
      expect(await watched.rows()).toEqual(rows)
      expect(await watched.audit()).toEqual([])

      watched.plan(...before, ...Array(3).fill('cut_after'))
      expect((await watched.call(method, path, body)).status).toBe(503)
      expect(await watched.rows()).toEqual(expected.rows)
      expect(await watched.audit()).toHaveLength(1)
    })
  },
)

const KEY = { 'Idempotency-Key': 'one' }

describe.concurrent.each(CHANGES.filter(({ status }) => status === 201))(
  '$method $path with an Idempotency-Key',
  { tags: 'thorough' },
  ({ method, path, fetches, status, ...change }) => {
    const body = 'body' in change ? change.body : undefined
    /** The session's workspace, the key, and what the change reads. */
    const before = Array(fetches).fill(null)

    test.each([
      {
        case: 'was not committed',
        faults: [...before, ...Array(3).fill('wake_500')],
        answers: 503,
      },
      {
        case: 'was committed unseen',
        faults: [...before, ...Array(3).fill('cut_after')],
        answers: 503,
      },
      { case: 'stored no key', faults: [null, ...Array(3).fill('wake_500')], answers: 503 },
      {
        case: 'stored the key unseen',
        faults: [null, ...Array(3).fill('cut_after')],
        answers: 503,
      },
      {
        case: 'was committed, and its answer was not stored',
        faults: [...before, null, ...Array(3).fill('wake_500')],
        answers: status,
      },
      {
        case: 'was committed, and its answer was stored unseen',
        faults: [...before, null, ...Array(3).fill('cut_after')],
        answers: status,
      },
    ])(
      'is applied once when it is repeated after a request that $case',
      async ({ faults, answers }) => {
        const watched = await createWatched()
        watched.plan(...faults)
        const first = await watched.call(method, path, body, KEY)
        expect(first.status).toBe(answers)
        expect(watched.left()).toBe(0)

        watched.plan()
        const repeat = await watched.call(method, path, body, KEY)
        expect(repeat.status).toBe(status)
        const answer = await repeat.json()
        if (first.ok) expect(answer).toEqual(await first.json())
        const rows = await watched.rows()
        expect(await (await watched.call(method, path, body, KEY)).json()).toEqual(answer)
        expect(await watched.rows()).toEqual(rows)
        expect(await watched.audit()).toHaveLength(1)
      },
    )
  },
)

test.each(['cut_after', 'half'] as const)(
  'POST /api/workspaces makes one when its write meets %s',
  async (fault) => {
    const slug = `shop-${newId().slice(-12)}`
    const watched = watch([slug], MANAGER)
    watched.plan(fault)
    expect((await watched.call('POST', '', { name: 'Ann', slug })).status).toBe(201)
    expect(watched.fetches()).toBe(2)
  },
)
