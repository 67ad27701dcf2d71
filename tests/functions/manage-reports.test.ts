/** GET /stats and GET /export/:list.csv. */
import { describe, expect, test } from 'vitest'
import { newId } from '../../lib/db/ids.ts'
import { createMerchant, errorShape, useDatabase } from '../support/merchant.ts'

const database = useDatabase()

/**
 * "maya" has two sales of two currencies and a lead, of which one sale is refunded by half; one
 * sale is nobody's.
 */
const open = async () => {
  const merchant = await createMerchant({ manualPayouts: true })
  const leo = await merchant.seed.addPartner(merchant.workspace.id, merchant.programId, {
    slug: 'leo',
  })
  const clickId = await merchant.click()
  await merchant.lead({ clickId })
  await merchant.sale({ clickId })
  await merchant.sale({ externalId: 'inv_2', clickId, currency: 'EUR', amountCents: 1_000 })
  await merchant.sale({ externalId: 'inv_3', customerExternalId: 'user_3' })
  await merchant.post('/api/track/refund', {
    externalId: 're',
    saleExternalId: 'inv_1',
    amountCents: 2_450,
  })
  return { merchant, leo, maya: merchant.partnerId }
}

const today = () => new Date().toISOString().slice(0, 10)

describe('GET /stats', () => {
  const all = {
    clicks: 1,
    leads: 1,
    customers: 1,
    sales: 3,
    amounts: [
      { currency: 'EUR', revenueCents: 1_000, commissionCents: 200 },
      { currency: 'USD', revenueCents: 9_800, commissionCents: 490 },
    ],
  }
  const ofMaya = {
    ...all,
    sales: 2,
    amounts: [all.amounts[0], { ...all.amounts[1], revenueCents: 4_900 }],
  }
  const nothing = { clicks: 0, leads: 0, customers: 0, sales: 0, amounts: [] }

  test('sums up what happened by day, partner and program, before and after the totals are folded', async () => {
    const { merchant, maya, leo } = await open()
    const { programId } = merchant
    for (const isFolded of [false, true]) {
      if (isFolded) await database.query('select fold_totals(100000)')
      const days = await merchant.get(`/stats?from=${today()}`)
      // The first events may be of the day before.
      if ((days.body as unknown as { data: unknown[] }).data.length === 1)
        expect(days).toMatchObject({
          status: 200,
          body: { from: today(), data: [all], nextCursor: null },
        })
      const byPartner = await merchant.get('/stats?by=partner')
      expect(byPartner.body.data).toMatchObject([
        { partnerId: leo, day: null, ...nothing },
        { partnerId: maya, programId: null, ...ofMaya },
      ])
      const byProgram = await merchant.get('/stats?by=program')
      expect(byProgram.body.data).toMatchObject([
        { programId, ...ofMaya },
        {
          programId: null,
          sales: 1,
          amounts: [{ currency: 'USD', revenueCents: 4_900, commissionCents: 0 }],
        },
      ])
    }
    expect((await merchant.get(`/stats?by=partner&partnerId=${leo}`)).body.data).toMatchObject([
      nothing,
    ])
    expect(
      (await merchant.get(`/stats?by=program&programId=${programId}`)).body.data,
    ).toMatchObject([ofMaya])
    expect((await merchant.get(`/stats?by=program&partnerId=${maya}`)).body.data).toMatchObject([
      ofMaya,
    ])
  })

  test('a year is added up of months and of the days at its ends', async () => {
    const { merchant, maya } = await open()
    await database.query('select fold_totals(100000)')
    const from = new Date(Date.now() - 360 * 86_400_000).toISOString().slice(0, 10)
    const year = await merchant.get(`/stats?by=partner&partnerId=${maya}&from=${from}`)
    expect(year.body.data).toMatchObject([ofMaya])
    const before = await merchant.get(
      `/stats?by=partner&partnerId=${maya}&from=2025-01-10&to=2025-05-20`,
    )
    expect(before.body.data).toMatchObject([nothing])
  })

  test('partners are listed page by page', async () => {
    const { merchant, maya, leo } = await open()
    const first = await merchant.get('/stats?by=partner&limit=1')
    expect(first.body).toMatchObject({ data: [{ partnerId: leo }], nextCursor: leo })
    const second = await merchant.get(`/stats?by=partner&limit=1&cursor=${first.body.nextCursor}`)
    expect(second.body).toMatchObject({ data: [{ partnerId: maya }], nextCursor: null })
  })

  test.each([
    'from=2026-02-30',
    'from=2026-10-02&to=2026-10-01',
    'from=2020-01-01',
    'by=week',
    'partnerId=x',
  ])('%s is 400', async (query) => {
    const merchant = await createMerchant()
    expect(await merchant.get(`/stats?${query}`)).toMatchObject({
      status: 400,
      body: errorShape('invalid_query'),
    })
  })

  test('another workspace’s partners and programs have no statistics', async () => {
    const [{ merchant }, other] = await Promise.all([open(), open()])
    expect((await merchant.get(`/stats?by=partner&partnerId=${other.maya}`)).body.data).toEqual([])
    expect((await merchant.get(`/stats?programId=${other.merchant.programId}`)).body.data).toEqual(
      [],
    )
    expect((await merchant.get(`/stats?partnerId=${other.maya}`)).body.data).toEqual([])
  })
})

describe('GET /export/:list.csv', () => {
  const lines = (text: unknown) => String(text).trimEnd().split('\r\n')

  test.each([
    'partners',
    'applications',
    'customers',
    'events',
    'commissions',
    'payouts',
    'mails',
    'audit',
  ])('%s.csv has the fields of the API, and a row for each of the list', async (list) => {
    const { merchant } = await open()
    const manager = await merchant.asManager()
    await manager.patch('/settings', { salesFrom: 'api' })
    if (list === 'payouts') {
      await database.age(merchant, '31 days')
      await manager.post('/payouts/run', { method: 'manual' })
    }
    const { data } = (await manager.get(`/${list}`)).body as unknown as { data: { id: string }[] }
    const { status, headers, body } = await manager.get(`/export/${list}.csv`)
    expect([status, headers.get('Content-Type')]).toEqual([200, 'text/csv; charset=utf-8'])
    const [header, ...rows] = lines(body.text)
    if (data[0]) expect(JSON.parse(`[${header}]`).sort()).toEqual(Object.keys(data[0]).sort())
    // The audit log has the export itself, too.
    if (list === 'audit') rows.shift()
    expect(rows.map((row) => row.slice(1, 37))).toEqual(data.map(({ id }) => id))
    expect((await database.audit(merchant)).at(-1)).toMatchObject({
      action: 'list.exported',
      details: { list },
    })
  })

  test('filters as the list does, and guards cells that a spreadsheet would evaluate', async () => {
    const { merchant, maya } = await open()
    await merchant.sale({ externalId: '=cmd|x', customerExternalId: '+1, "2"' })
    const events = lines(
      (await merchant.get('/export/events.csv?attributed=false&kind=sale')).body.text,
    )
    expect(events).toHaveLength(3)
    expect(events[1]).toContain(`"'=cmd|x"`)
    const own = lines(
      (await merchant.get(`/export/commissions.csv?partnerId=${maya}&kind=reversal`)).body.text,
    )
    expect(own).toHaveLength(2)
    expect(own[1]).toContain(',"-490","USD",')
    const rest = lines(
      (await merchant.get(`/export/events.csv?cursor=${own[1]?.slice(1, 37)}`)).body.text,
    )
    expect(rest.length).toBeGreaterThan(1)
  })

  test('a list of several pages is whole', async () => {
    const { merchant } = await open()
    await database.query(
      `insert into events (id, workspace_id, kind, external_id, event_name, customer_external_id, steps, occurred_at)
       select gen_random_uuid(), $1, 'lead', 'l' || n, 'lead', 'x', '[]', now() from generate_series(1, 2000) n`,
      [merchant.workspace.id],
    )
    const rows = lines((await merchant.get('/export/events.csv?kind=lead')).body.text).slice(1)
    expect(new Set(rows).size).toBe(2_001)
  })

  test('whoever may not read the list may not export it', async () => {
    const { merchant } = await open()
    const member = merchant.as(await merchant.member())
    const stranger = merchant.as(await merchant.stranger())
    const status = async (answer: ReturnType<typeof member.get>) => (await answer).status
    expect([
      await status(member.get('/export/events.csv')),
      await status(member.get('/export/payouts.csv')),
      await status(member.get('/export/audit.csv')),
      await status(member.get('/export/mails.csv')),
      await status(stranger.get('/export/events.csv')),
      await status(merchant.get('/export/payouts.csv')),
      await status(merchant.get('/export/nothing.csv')),
      await status(merchant.get(`/export/events.csv?partnerId=${newId()}&kind=what`)),
    ]).toEqual([200, 200, 403, 403, 404, 401, 404, 400])
  })
})
