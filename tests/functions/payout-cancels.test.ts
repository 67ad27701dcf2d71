/** Canceling payouts and deciding about unclear ones: API, pages and portal. */
import { describe, expect, inject, test } from 'vitest'
import { newId } from '../../lib/db/ids.ts'
import { errorShape, useDatabase } from '../support/merchant.ts'
import { browse, openPages } from '../support/pages.ts'
import { openSession } from '../support/people.ts'
import { createOwing, lookAtLedger } from '../support/runs.ts'

const database = useDatabase()

/** A merchant with payouts to Leo and Ann that were not sent, and the manager's calls. */
const createUnsent = async (method: 'stripe' | 'manual' = 'stripe') => {
  const merchant = await createOwing()
  await database.query(
    `insert into payout_accounts (id, workspace_id, email, country, stripe_account_id, status, created_at)
     select gen_random_uuid(), workspace_id, email, 'DE', $2 || slug, 'enabled', now() - interval '4 days' from partners where workspace_id = $1`,
    [merchant.workspace.id, `acct_${newId().slice(-12)}`],
  )
  const run = await merchant.begin(method)
  const as = await merchant.asManager()
  const [row] = await database.query<{ id: string }>(
    'select id from payouts where run_id = $1 and amount_cents = 5050',
    [run],
  )
  const id = row?.id ?? ''
  const path = `/payouts/${id}`
  return {
    merchant,
    as,
    run,
    id,
    path,
    cancel: () => as.post(`${path}/cancel`),
    cancelRun: () => as.patch(`/payout-runs/${run}`, { status: 'canceled' }),
    resolve: (outcome: string, reason: unknown = REASON) =>
      as.post(`${path}/resolve`, { outcome, reason }),
    /** Makes Ann's payout one of which nobody knows whether it was sent, since so many hours. */
    makeUnclear: (hours = 1) =>
      database.query(
        `update payouts set key_used_at = now() - make_interval(hours => $2), attempts = 1 where id = $1`,
        [id, hours],
      ),
    /** As if Stripe could not be asked about it for two days. */
    makeUnreachable: () =>
      database.query(
        `update payouts set key_used_at = now() - interval '4 days', unreachable_since = now() - interval '2 days',
                            failed_look_ups = 9, last_error = 'Expired API Key provided.' where id = $1`,
        [id],
      ),
    end: (columns: string) => database.query(`update payouts set ${columns} where id = $1`, [id]),
    ledger: () => lookAtLedger(database, merchant),
    audit: async () =>
      (await database.audit(merchant))
        .filter(({ subject_id: subject }) => subject === id)
        .map(({ action }) => action),
  }
}

const REASON = 'The partner’s account shows no such payment.'

describe('POST /payouts/:id/cancel', () => {
  test.each(['stripe', 'manual'] as const)(
    'cancels a payout by %s once, however often',
    async (method) => {
      const { cancel, as, path, ledger, audit } = await createUnsent(method)
      const answers = await Promise.all([cancel(), cancel(), cancel()])
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
      const again = await cancel()
      expect(again).toMatchObject({
        status: 200,
        body: {
          status: 'canceled',
          cancelRequestedAt: expect.any(String),
          canceledAt: expect.any(String),
        },
      })
      expect((await as.get(path)).body).toEqual(again.body)
      expect(await ledger()).toEqual({ processing: 812_000, payable: 5_050, violations: [] })
      expect(await audit()).toEqual(['payout.canceled'])
    },
  )

  test('of one that may have been sent answers canceling, with the end of the look-ups', async () => {
    const { cancel, makeUnclear, ledger } = await createUnsent()
    await makeUnclear()
    for (const _ of ['once', 'twice']) {
      expect(await cancel()).toMatchObject({
        status: 200,
        body: { status: 'canceling', lookedUpUntil: expect.any(String), canceledAt: null },
      })
    }
    expect(await ledger()).toEqual({ processing: 817_050, violations: [] })
  })

  test.each([
    {
      state: 'sent',
      columns: `paid_at = now(), transfer_id = 'tr_' || id`,
      words: 'reverse its transfer in Stripe',
    },
    {
      state: 'reversed',
      columns: `paid_at = now(), transfer_id = 'tr_' || id, reversed_cents = amount_cents, reversed_at = now()`,
      words: 'its transfer was reversed',
    },
    { state: 'failed', columns: 'failed_at = now(), is_freeing = true', words: 'payable already' },
  ])('of one that was $state is a conflict', async ({ columns, words }) => {
    const { cancel, end, audit } = await createUnsent()
    await end(columns)
    const answer = await cancel()
    expect(answer).toMatchObject({ status: 409, body: errorShape('conflict') })
    expect(answer.body.error?.message).toContain(words)
    expect(await audit()).toEqual([])
  })

  test('of one whose run is marked as paid is a conflict, until it is unmarked', async () => {
    const { cancel, as, run } = await createUnsent('manual')
    await as.patch(`/payout-runs/${run}`, { status: 'paid' })
    expect((await cancel()).body.error?.message).toContain('Mark its run as unpaid first')
    await as.patch(`/payout-runs/${run}`, { status: 'processing' })
    expect(await cancel()).toMatchObject({ status: 200, body: { status: 'canceled' } })
  })

  test('beside the canceling of its run ends both', async () => {
    const { cancel, cancelRun, ledger, audit } = await createUnsent()
    const [payout, run] = await Promise.all([cancel(), cancelRun()])
    expect([payout.status, run.status]).toEqual([200, 200])
    expect((await cancelRun()).body).toMatchObject({
      status: 'canceled',
      counts: { canceled: 2, waiting: 0 },
    })
    expect(await ledger()).toEqual({ payable: 817_050, violations: [] })
    expect((await audit()).length).toBeLessThanOrEqual(1)
  })

  test('another workspace’s payout or run is not found', async () => {
    const [own, other] = await Promise.all([createUnsent(), createUnsent()])
    for (const [path, body] of [
      [`${other.path}/cancel`, {}],
      [`${other.path}/resolve`, { outcome: 'sent', reason: REASON }],
      [`/payouts/${newId()}/cancel`, {}],
      ['/payouts/x/cancel', {}],
    ] as const)
      expect(await own.as.post(path, body)).toMatchObject({
        status: 404,
        body: errorShape('not_found'),
      })
    for (const id of [other.run, newId()])
      expect((await own.as.patch(`/payout-runs/${id}`, { status: 'canceled' })).status).toBe(404)
    expect(await other.ledger()).toEqual({ processing: 817_050, violations: [] })
  })
})

describe('PATCH /payout-runs/:id to canceled, of a run by Stripe', () => {
  test('keeps what was sent, and waits for what may have been', async () => {
    const { as, run, cancelRun, makeUnclear, ledger } = await createUnsent()
    await makeUnclear()
    await database.query(
      `update payouts set paid_at = now(), transfer_id = 'tr_' || id where run_id = $1 and amount_cents = 812000`,
      [run],
    )
    for (const _ of ['once', 'twice'])
      expect(await cancelRun()).toMatchObject({
        status: 200,
        body: { status: 'canceling', counts: { sent: 1 } },
      })
    expect(await ledger()).toEqual({ paid: 812_000, processing: 5_050, violations: [] })
    for (const status of ['paid', 'confirmed'])
      expect((await as.patch(`/payout-runs/${run}`, { status })).status).toBe(409)
    expect(await as.get(`/payout-runs/${run}`)).toMatchObject({ body: { status: 'canceling' } })
  })

  test('by two managers at the same time cancels it once', async () => {
    const { merchant, cancelRun, run } = await createUnsent()
    const answers = await Promise.all([cancelRun(), cancelRun(), cancelRun()])
    for (const answer of answers)
      expect(answer).toMatchObject({ status: 200, body: { status: 'canceled' } })
    const entries = (await database.audit(merchant)).filter(
      ({ subject_id: subject }) => subject === run,
    )
    expect(entries.map(({ action }) => action)).toEqual(['payout_run.begun', 'payout_run.canceled'])
  })
})

describe('POST /payouts/:id/resolve', () => {
  test.each([
    {
      outcome: 'sent',
      ends: { status: 'paid', transferId: null },
      ledger: { processing: 812_000, paid: 5_050 },
    },
    {
      outcome: 'not_sent',
      ends: { status: 'canceled' },
      ledger: { processing: 812_000, payable: 5_050 },
    },
  ])(
    'marks it as $outcome once, and the other decision is a conflict',
    async ({ outcome, ends, ledger: books }) => {
      const { cancel, makeUnclear, makeUnreachable, resolve, ledger, audit } = await createUnsent()
      await makeUnclear(100)
      await cancel()
      expect(await resolve(outcome)).toMatchObject({ status: 409, body: errorShape('conflict') })
      await makeUnreachable()
      const answers = await Promise.all([resolve(outcome), resolve(outcome)])
      for (const answer of answers)
        expect(answer).toMatchObject({ status: 200, body: { ...ends, resolutionReason: REASON } })
      const other = await resolve(outcome === 'sent' ? 'not_sent' : 'sent')
      expect(other.body.error?.message).toContain('before: The partner’s account')
      expect(await ledger()).toEqual({ ...books, violations: [] })
      expect(await audit()).toEqual(['payout.canceled', 'payout.resolved'])
    },
  )

  test('before it is canceled, and by bank, is a conflict', async () => {
    const [stripe, bank] = await Promise.all([createUnsent(), createUnsent('manual')])
    expect((await stripe.resolve('sent')).body.error?.message).toContain('Cancel this payout first')
    await bank.cancel()
    expect((await bank.resolve('not_sent')).body.error?.message).toContain('is known')
  })

  test('needs an outcome and a reason', async () => {
    const { resolve } = await createUnsent()
    for (const [outcome, reason] of [
      ['paid', REASON],
      ['sent', ''],
      ['sent', 'a\nb'],
      ['sent', null],
    ] as const)
      expect(await resolve(outcome, reason)).toMatchObject({
        status: 400,
        body: errorShape('invalid_body'),
      })
  })
})

test('the pages let managers decide about a payout that Stripe cannot be asked about', async () => {
  const { merchant, path, run, cancel, makeUnclear, makeUnreachable, id } = await createUnsent()
  await makeUnclear(100)
  await cancel()
  const pages = await openPages(merchant)
  expect((await pages.get(`/payouts/runs/${run}`)).html).not.toContain('/resolve')
  expect((await pages.get(`${path}/resolve`)).text).toContain('Stripe is still asked')
  await makeUnreachable()

  const member = await openPages(merchant, 'member')
  const seen = await member.get(`/payouts/runs/${run}`)
  expect(seen.text).toContain('Expired API Key provided. A manager can decide that.')
  expect((await member.get(`${path}/resolve`)).status).toBe(403)
  expect((await member.post(`${path}/resolve`, { outcome: 'sent', reason: REASON })).status).toBe(
    403,
  )

  expect((await pages.get(`/payouts/runs/${run}`)).html).toContain(`${path}/resolve`)
  const form = await pages.get(`${path}/resolve`)
  expect(form.text).toContain('$50.50 to Ann')
  expect(form.text).toContain(`payout_${id}`)
  const blank = await pages.post(`${path}/resolve`, { outcome: 'not_sent', reason: ' ' })
  expect([blank.status, blank.text.includes('Must not be blank.')]).toEqual([400, true])
  const done = await pages.post(`${path}/resolve`, { outcome: 'not_sent', reason: 'Asked Stripe' })
  expect(done).toMatchObject({
    status: 303,
    location: expect.stringContaining('done=resolved_not_sent'),
  })
  expect((await pages.get(`/payouts/runs/${run}?done=resolved_not_sent`)).text).toContain(
    'Marked as not sent by a manager: Asked Stripe.',
  )
  const twice = await pages.post(`${path}/resolve`, { outcome: 'sent', reason: 'Asked Stripe' })
  expect([twice.status, twice.text.includes('marked as not sent before')]).toEqual([409, true])
  expect((await pages.get('/audit')).text).toContain(
    'marked a payout of $50.50 as not sent, without Stripe: Asked Stripe',
  )

  await database.query(
    `update payouts set found_transfer_id = 'tr_found', found_at = now() where id = $1`,
    [id],
  )
  expect((await pages.get(`/payouts/runs/${run}`)).text).toContain(
    'Stripe has since reported the transfer tr_found',
  )
  const portal = browse(await openSession('ann@partner.example'), inject('baseUrl'), '/portal')
  expect((await portal.get('/payouts')).text).toContain('canceled it before it was sent')
})

describe('the payouts of a run that Stripe cannot be asked about', () => {
  /**
   * A canceled run of 200 payouts of which nobody knows whether they were sent, and two that were
   * never tried.
   */
  const createUnclear = async () => {
    const made = await createUnsent()
    await made.cancelRun()
    const { run, id } = made
    const rows = await database.query<{ id: string }>(
      `insert into payouts (id, workspace_id, run_id, program_id, partner_id, currency, amount_cents, stripe_account_id, number,
                            created_at, claimed_at, next_attempt_at, key_used_at, attempts, cancel_requested_at,
                            unreachable_since, failed_look_ups, last_error)
       -- A run has one payout per partner and currency.
       select uuidv7(), p.workspace_id, p.run_id, p.program_id, p.partner_id, 'X' || chr(65 + i / 26) || chr(65 + i % 26), 100,
              p.stripe_account_id, 1000 + i, now(), now(), now(), now() - interval '4 days', 1, now() - interval '4 days',
              now() - interval '2 days', 9, 'Expired API Key provided.'
       from payouts p, generate_series(0, 199) i where p.id = $1 returning id`,
      [id],
    )
    const statuses = () =>
      database.query(
        'select status, count(*)::int as count from payouts where run_id = $1 group by 1 order by 1',
        [run],
      )
    return {
      ...made,
      statuses,
      path: `/payout-runs/${run}/resolve`,
      ids: rows.map((row) => row.id),
    }
  }

  test('are decided about on one page, and not one by one', async () => {
    const { merchant, run, ids, statuses } = await createUnclear()
    const pages = await openPages(merchant)
    const path = `/payouts/runs/${run}/resolve`
    expect((await pages.get(`/payouts/runs/${run}`)).text).toContain(
      'Stripe cannot be asked whether 200 payouts were sent. Decide about them',
    )
    const form = await pages.get(path)
    expect(form.html.match(/type="checkbox"/g)).toHaveLength(200)
    expect(form.text).toContain(`payout_${ids[0]}`)

    const blank = await pages.post(path, { outcome: 'sent', reason: 'Asked Stripe' })
    expect([blank.status, blank.text.includes('Payouts: Select at least one.')]).toEqual([
      400,
      true,
    ])
    const [sent, ...others] = ids.map((id) => [`payout-${id}`, 'on'] as const)
    const one = await pages.post(path, {
      outcome: 'sent',
      reason: 'Asked Ann',
      ...Object.fromEntries([sent ?? []]),
    })
    expect(one).toMatchObject({
      status: 303,
      location: expect.stringContaining('done=resolved_all_sent'),
    })
    const rest = { outcome: 'not_sent', reason: 'Asked Stripe', ...Object.fromEntries(others) }
    for (const _ of ['once', 'twice']) expect((await pages.post(path, rest)).status).toBe(303)
    expect(await statuses()).toEqual([
      { status: 'canceled', count: 201 },
      { status: 'paid', count: 1 },
    ])
    const entries = (await database.audit(merchant)).filter(
      ({ action }) => action === 'payout.resolved',
    )
    expect(entries).toHaveLength(200)
    expect((await pages.get(path)).text).toContain('There is nothing to decide about in this run.')
    const late = await pages.post(path, { ...rest, outcome: 'sent' })
    expect([late.status, late.text.includes('marked as not sent before')]).toEqual([409, true])
    const member = await openPages(merchant, 'member')
    expect([(await member.get(path)).status, (await member.post(path, rest)).status]).toEqual([
      403, 403,
    ])
  })

  test('are decided about by API, but for those of other runs, and those that ended meanwhile', async () => {
    const [own, other] = await Promise.all([createUnclear(), createUnclear()])
    const decide = (payoutIds: string[]) =>
      own.as.post(own.path, { outcome: 'not_sent', reason: REASON, payoutIds })
    const [found, ...open] = own.ids
    await database.query(
      `update payouts set paid_at = now(), transfer_id = 'tr_late' where id = $1`,
      [found],
    )
    const answer = await decide([found ?? '', open[0] ?? '', other.ids[0] ?? ''])
    expect(answer).toMatchObject({
      status: 200,
      body: { data: [{ status: 'paid' }, { status: 'canceled' }] },
    })
    expect(await decide([found ?? ''])).toMatchObject({ status: 409, body: errorShape('conflict') })
    expect(await decide(other.ids)).toMatchObject({ status: 409 })
    expect(await decide([...open, ...open])).toMatchObject({ status: 400 })
    expect(await other.statuses()).toContainEqual({ status: 'canceling', count: 200 })
  })
})
