import { describe, expect, inject, test } from 'vitest'
import { errorShape, send, useDatabase } from '../support/merchant.ts'
import { browse, openPages } from '../support/pages.ts'
import { openSession } from '../support/people.ts'
import { createOwing } from '../support/runs.ts'

const database = useDatabase()

/**
 * A merchant who owed Ann 50.50 and Leo 9.00 USD in September 2026, and paid both by bank on the
 * last second of 2026.
 */
const createPaid = async () => {
  const merchant = await createOwing([
    { email: 'ann@partner.example', name: '=Ann', slug: 'ann', openingBalanceCents: 5_050 },
    { email: 'leo@partner.example', slug: 'leo', openingBalanceCents: 900 },
  ])
  const { id: workspaceId, slug } = merchant.workspace
  const as = await merchant.asManager()
  const run = await merchant.begin()
  for (const status of ['paid', 'confirmed']) await as.patch(`/payout-runs/${run}`, { status })
  // What happened when can't be set otherwise: the ledger refuses changes.
  await database.query(
    `update payouts set paid_at = '2026-12-31T23:59:59Z' where workspace_id = $1`,
    [workspaceId],
  )
  await database.query(
    `update partners set email = slug || '@' || $2::text, created_at = '2026-09-01' where workspace_id = $1`,
    [workspaceId, `${slug}.example`],
  )
  const rows = await database.query<{ slug: string; id: string }>(
    'select slug, id from partners where workspace_id = $1',
    [workspaceId],
  )
  const idOf = (name: string) => rows.find((row) => row.slug === name)?.id ?? ''
  return { merchant, as, idOf, workspaceId, email: `ann@${slug}.example` }
}

describe('a statement', () => {
  /** The month in which everything was imported: now. */
  const now = new Date().toISOString().slice(0, 7)

  test('has the balances of a month, and what changed them', async () => {
    const { as, idOf } = await createPaid()
    const of = async (month: string) =>
      (await as.get(`/partners/${idOf('ann')}/statement?month=${month}`)).body
    expect(await of(now)).toEqual({
      partnerId: idOf('ann'),
      month: now,
      balances: [
        {
          currency: 'USD',
          openingCents: 0,
          sums: [{ kind: 'opening_balance', amountCents: 5_050 }],
          closingCents: 5_050,
        },
      ],
    })
    expect(await of('2026-12')).toMatchObject({
      balances: [
        { openingCents: 5_050, sums: [{ kind: 'payout', amountCents: -5_050 }], closingCents: 0 },
      ],
    })
    expect((await of('2020-01')).balances).toEqual([])
  })

  test('counts a payout that came back when it came back', async () => {
    const { as, idOf, workspaceId } = await createPaid()
    await database.query(
      `update payouts set returned_at = '2027-01-02', return_reason = 'Account closed' where workspace_id = $1`,
      [workspaceId],
    )
    const { body } = await as.get(`/partners/${idOf('ann')}/statement?month=2027-01`)
    expect(body.balances).toMatchObject([
      {
        openingCents: 0,
        sums: [{ kind: 'returned_payout', amountCents: 5_050 }],
        closingCents: 5_050,
      },
    ])
  })

  test('is a CSV file with every entry, whose negative amounts are numbers', async () => {
    const { as, idOf } = await createPaid()
    const { body, headers } = await as.get(
      `/partners/${idOf('ann')}/statement?month=2026-12&format=csv`,
    )
    expect(headers.get('Content-Disposition')).toBe('attachment; filename="statement-2026-12.csv"')
    expect(body.text).toMatch(
      /^"date","description","reference","currency","amount"\r\n"2026-12-01","Balance at the start","","USD","50\.50"\r\n"2026-12-31","Payout","PO-00000\d","USD","-50\.50"\r\n"2026-12-31","Balance at the end","","USD","0\.00"\r\n$/,
    )
  })

  test.each(['month=2026-13', 'month=now', 'format=pdf'])('%s is refused', async (query) => {
    const { as, idOf } = await createPaid()
    expect(await as.get(`/partners/${idOf('ann')}/statement?${query}`)).toMatchObject({
      status: 400,
      body: errorShape('invalid_query'),
    })
  })

  test('is a page for managers and for its own partner alone', async () => {
    const { merchant, idOf, email } = await createPaid()
    const expected =
      /Statement of December 2026 .*Balance at the start \$50\.50 Payouts -\$50\.50 Balance at the end \$0\.00/
    const pages = await openPages(merchant)
    expect((await pages.get(`/partners/${idOf('ann')}/statement?month=2026-12`)).text).toMatch(
      expected,
    )
    const portal = browse(await openSession(email), undefined, '/portal')
    expect((await portal.get('/documents')).html).toContain(
      `/portal/documents/statement?partner=${idOf('ann')}`,
    )
    const path = (name: string) => `/documents/statement?partner=${idOf(name)}&month=2026-12`
    expect((await portal.get(path('ann'))).text).toMatch(expected)
    expect((await portal.get(`${path('ann')}&format=csv`)).html).toContain('"USD","-50.50"')
    expect((await portal.get(path('leo'))).status).toBe(404)
    expect((await portal.get('/documents/statement?partner=x')).status).toBe(404)
  })
})

describe('what was paid in a year', () => {
  test('is one row per person and currency, in UTC, net of what came back', async () => {
    const { as, workspaceId, idOf } = await createPaid()
    await database.query(
      `update payouts set returned_at = '2027-01-02', return_reason = 'Account closed'
       where workspace_id = $1 and partner_id = $2`,
      [workspaceId, idOf('leo')],
    )
    const { body } = await as.get('/payout-years/2026')
    expect(body).toMatchObject({
      year: 2026,
      data: [
        {
          name: '=Ann',
          country: null,
          vatId: null,
          documentsReceived: false,
          currency: 'USD',
          payouts: 1,
          stripeCents: 0,
          manualCents: 5_050,
          returnedCents: 0,
          netCents: 5_050,
        },
        { name: null, manualCents: 900, returnedCents: 900, netCents: 0 },
      ],
    })
    expect((await as.get('/payout-years/2027')).body.data).toEqual([])
  })

  test('adds up the programs of one address, and has its details', async () => {
    const { merchant, as, workspaceId, email, idOf } = await createPaid()
    const second = await merchant.seed.addProgram(workspaceId, {})
    await database.query(
      `with partner as (
         insert into partners (id, workspace_id, program_id, email, slug, slug_key)
         select gen_random_uuid(), $2, $3, $4, 'ann', 'ann' returning id)
       insert into payouts (id, workspace_id, run_id, program_id, partner_id, currency, amount_cents, created_at,
                            next_attempt_at, paid_at)
       select gen_random_uuid(), $2, po.run_id, $3, partner.id, 'USD', 900, now(), now(), po.paid_at
       from partner, payouts po where po.partner_id = $1`,
      [idOf('ann'), workspaceId, second, email],
    )
    await database.query(
      `insert into payees (workspace_id, email, name, country, vat_id, updated_at) values ($1, $2, 'Ann Lee', 'DE', 'DE1', now())`,
      [workspaceId, email],
    )
    expect((await as.get('/payout-years/2026')).body.data).toMatchObject([
      { email, name: 'Ann Lee', country: 'DE', vatId: 'DE1', payouts: 2, netCents: 5_950 },
      { email: expect.stringContaining('leo@') },
    ])
  })

  test('is listed in pages of people, by address', async () => {
    const { merchant, as, email } = await createPaid()
    const first = await as.get('/payout-years/2026?limit=1')
    expect(first.body).toMatchObject({ data: [{ email }], nextCursor: expect.any(String) })
    const next = await as.get(`/payout-years/2026?limit=1&cursor=${first.body.nextCursor}`)
    expect(next.body).toMatchObject({
      data: [{ email: expect.stringContaining('leo@') }],
      nextCursor: null,
    })
    const pages = await openPages(merchant)
    expect((await pages.get('/payouts/years/2026?limit=1')).text).toMatch(/\$50\.50 .*Next page/)
  })

  test('is a CSV file and a page', async () => {
    const { merchant, as, email } = await createPaid()
    const file = await as.get('/payout-years/2026?format=csv')
    expect(file.body.text).toContain(
      `"2026","${email}","'=Ann","","","no","USD","1","0.00","50.50","0.00","50.50"\r\n`,
    )
    const pages = await openPages(merchant)
    expect((await pages.get('/payouts/years')).location).toMatch(/\/payouts\/years\/2026$/)
    expect((await pages.get('/payouts/years/2026')).text).toContain('$50.50')
    expect((await pages.get('/payouts/years/2025')).text).toContain('Nobody was paid in 2025.')
  })

  test.each(['x', '1999', '2026.5'])('%s is no year', async (year) => {
    const { as } = await createPaid()
    expect(await as.get(`/payout-years/${year}`)).toMatchObject({
      status: 404,
      body: errorShape('not_found'),
    })
  })

  test('has nothing of another workspace', async () => {
    await createPaid()
    const other = await createOwing([])
    const answer = await send(
      `${inject('baseUrl')}/api/workspaces/${other.workspace.slug}/payout-years/2026`,
      {
        headers: { Cookie: await other.manager() },
      },
    )
    expect(answer.body).toEqual({ year: 2026, data: [], nextCursor: null })
  })
})
