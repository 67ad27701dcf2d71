import Papa from 'papaparse'
import { describe, expect, inject, test } from 'vitest'
import type { PaymentDetails } from '../../lib/payouts/details/payment-details.ts'
import { errorShape, send, useDatabase } from '../support/merchant.ts'
import { giveDetails } from '../support/payment-details.ts'
import { submit } from '../support/people.ts'
import { createOwing } from '../support/runs.ts'
import { everyNth } from '../support/thorough.ts'

const database = useDatabase()

const BANK = { iban: 'DE89370400440532013000', name: 'Bea Müller', holder: 'person' } as const

/** How each partner wants to be paid. */
const DETAILS: Record<string, PaymentDetails | null> = {
  ann: { method: 'paypal', address: 'ann@paypal.example' },
  bea: { method: 'iban', ...BANK },
  cem: { method: 'iban', ...BANK, iban: 'TR330006100519786457841326', name: 'Cem' },
  dan: { method: 'wise', address: 'dan@wise.example', name: 'Dan', holder: 'company' },
  eve: null,
}

/** A manual run that owes each partner 10.00 EUR and 10.00 USD. */
const createRun = async () => {
  const names = Object.keys(DETAILS)
  const rows = names.map((slug) => ({
    email: `${slug}@partner.example`,
    slug,
    openingBalanceCents: 1_000,
  }))
  const merchant = await createOwing(rows)
  const workspaceId = merchant.workspace.id
  for (const [slug, details] of Object.entries(DETAILS))
    if (details)
      await giveDetails(database.query, { workspaceId, email: `${slug}@partner.example` }, details)
  const id = await merchant.begin()
  await database.query(
    `insert into payouts (id, workspace_id, run_id, program_id, partner_id, currency, amount_cents, created_at, next_attempt_at)
     select gen_random_uuid(), workspace_id, run_id, program_id, partner_id, 'EUR', 1000, created_at, now()
     from payouts where run_id = $1`,
    [id],
  )
  const as = await merchant.asManager()
  const file = (query: string) => as.get(`/payout-runs/${id}/export?${query}`)
  return { merchant, as, id, workspaceId, file, path: `/payout-runs/${id}` }
}

const addPayer = (as: Awaited<ReturnType<typeof createRun>>['as']) =>
  as.put('/payer', {
    name: 'Shop GmbH',
    city: 'Berlin',
    country: 'de',
    iban: 'FR14 2004 1010 0505 0001 3M02 606',
  })

describe('GET /payout-runs/:id/files', () => {
  test('puts each payout into one file, and lists those in none', async () => {
    const { as, path } = await createRun()
    const { status, body } = await as.get(`${path}/files`)
    expect(status).toBe(200)
    const one = { payouts: 1, amountCents: 1_000 }
    expect(body).toEqual({
      files: expect.arrayContaining([
        { format: 'sepa', currency: 'EUR', ...one, parts: 1 },
        { format: 'paypal', currency: 'EUR', ...one, parts: 1 },
        { format: 'paypal', currency: 'USD', ...one, parts: 1 },
        { format: 'wise', currency: 'EUR', ...one, parts: 1 },
        { format: 'wise', currency: 'USD', ...one, parts: 1 },
        { format: 'wise_template', currency: 'EUR', ...one, parts: 1 },
        { format: 'wise_template', currency: 'USD', payouts: 2, amountCents: 2_000, parts: 1 },
      ]),
      leftOut: [
        { code: 'details_missing', currency: 'EUR', ...one },
        { code: 'details_missing', currency: 'USD', ...one },
      ],
      leftOutPayouts: expect.arrayContaining([
        expect.objectContaining({ currency: 'EUR', amountCents: 1_000, code: 'details_missing' }),
        expect.objectContaining({ currency: 'USD', amountCents: 1_000, code: 'details_missing' }),
      ]),
    })
    expect((body.files as unknown[]).length).toBe(7)
  })

  test('the CSV file lists all payouts, and how each is to be paid', async () => {
    const { file } = await createRun()
    const { data } = Papa.parse<string[]>(String((await file('')).body.text).trimEnd())
    expect(
      data
        .slice(1)
        .map((cells) => cells.at(-1))
        .sort(),
    ).toEqual(
      'details_missing details_missing paypal paypal sepa wise wise wise_template wise_template wise_template'.split(
        ' ',
      ),
    )
  })
})

describe('GET /payout-runs/:id/export?format=', () => {
  test('paypal is a file with the address at PayPal', async () => {
    const { file, merchant } = await createRun()
    const { status, headers, body } = await file('format=paypal&currency=usd')
    expect(status).toBe(200)
    expect(headers.get('Content-Disposition')).toMatch(
      /^attachment; filename="payouts-[\d-]+-[0-9a-f]{12}-paypal-usd-1\.csv"$/,
    )
    expect(headers.get('Cache-Control')).toBe('private, no-store')
    expect(body.text).toMatch(
      /^ann@paypal\.example,10\.00,USD,PO-0000\d\d,Payout PO-0000\d\d from .+,PAYPAL\r\n$/,
    )
    const [entry] = (await database.audit(merchant)).filter(
      ({ action }) => action === 'payout_run.exported',
    )
    expect(entry?.details).toEqual({ format: 'paypal', currency: 'USD', part: 1, payouts: 1 })
  })

  test('wise is a file with the address at Wise', async () => {
    const { file } = await createRun()
    const { body } = await file('format=wise&currency=EUR&sourceCurrency=usd')
    expect(body.text).toMatch(
      /\r\nDan,dan@wise\.example,PO-0000\d\d,INSTITUTION,target,10\.00,USD,EUR\r\n$/,
    )
  })

  test('sepa is a message of the partners in SEPA, once it is known who pays', async () => {
    const { as, file } = await createRun()
    const early = await file('format=sepa&currency=EUR')
    expect([early.status, early.body.error?.message]).toEqual([
      409,
      expect.stringContaining('Business details'),
    ])
    expect((await addPayer(as)).body).toMatchObject({
      name: 'Shop GmbH',
      country: 'DE',
      iban: 'FR••• 2606',
    })
    const { status, headers, body } = await file('format=sepa&currency=EUR')
    expect([status, headers.get('Content-Type')]).toEqual([200, 'application/xml'])
    expect(body.text).toContain(
      '<Nm>Shop GmbH</Nm></Dbtr><DbtrAcct><Id><IBAN>FR1420041010050500013M02606</IBAN>',
    )
    expect(body.text).toContain(
      '<Nm>Bea Muller</Nm></Cdtr><CdtrAcct><Id><IBAN>DE89370400440532013000</IBAN>',
    )
    expect(body.text).not.toContain('TR33')
  })

  test.each(
    everyNth(2, [
      { query: 'format=paypal', status: 400, code: 'invalid_query' },
      { query: 'format=qif&currency=EUR', status: 400, code: 'invalid_query' },
      { query: 'format=paypal&currency=EUR&part=0', status: 400, code: 'invalid_query' },
      { query: 'format=paypal&currency=EUR&part=2', status: 409, code: 'conflict' },
      { query: 'format=sepa&currency=USD', status: 409, code: 'conflict' },
    ]),
  )('$query is refused', { tags: 'sampled' }, async ({ query, status, code }) => {
    const { file } = await createRun()
    expect(await file(query)).toMatchObject({ status, body: errorShape(code) })
  })

  test('gives details to managers only', async () => {
    const { merchant, id } = await createRun()
    const answer = await send(
      `${inject('baseUrl')}/api/workspaces/${merchant.workspace.slug}/payout-runs/${id}/export?format=paypal&currency=EUR`,
      { headers: { Cookie: await merchant.member() } },
    )
    expect(answer).toMatchObject({ status: 403, body: errorShape('manager_required') })
  })

  test('gives details after a recent sign-in only, for which the page asks before it goes on', async () => {
    const { merchant, id } = await createRun()
    const cookie = await merchant.manager()
    const { slug } = merchant.workspace
    const page = `${inject('baseUrl')}/app/${slug}/payouts/runs/${id}/export`
    const wanted = { format: 'paypal', currency: 'EUR', part: '1' }
    const download = () => submit(page, wanted, { Cookie: cookie })
    const file = `${inject('baseUrl')}/api/workspaces/${slug}/payout-runs/${id}/export`
    const query = `?${new URLSearchParams(wanted)}`
    const sent = await download()
    expect([sent.status, sent.headers.get('Location')]).toEqual([
      303,
      `${new URL(file).pathname}${query}`,
    ])
    expect((await send(`${file}${query}`, { headers: { Cookie: cookie } })).status).toBe(200)

    await database.query(
      `update sign_in.sessions set created_at = created_at - interval '13 hours'
       where user_id = (select id from sign_in.users where email = $1)`,
      [`manager@${slug}.example`],
    )
    expect(await send(`${file}${query}`, { headers: { Cookie: cookie } })).toMatchObject({
      status: 403,
      body: errorShape('fresh_sign_in_required'),
    })
    expect((await send(file, { headers: { Cookie: cookie } })).status).toBe(200)
    const asked = await download()
    expect([asked.status, await asked.text()]).toEqual([
      403,
      expect.stringContaining('Confirm it’s you'),
    ])
  })

  test('goes by the details that counted when the run was created, so that no change moves a payout into two files', async () => {
    const { file, workspaceId, as, path } = await createRun()
    const ann = { workspaceId, email: 'ann@partner.example' }
    await giveDetails(
      database.query,
      ann,
      { method: 'iban', ...BANK },
      new Date(Date.now() + 1_000),
    )
    await giveDetails(
      database.query,
      { ...ann, email: 'eve@partner.example' },
      { method: 'iban', ...BANK },
      new Date(Date.now() + 1_000),
    )
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    expect((await file('format=paypal&currency=EUR')).body.text).toContain('ann@paypal.example')
    const { body } = await as.get(`${path}/files`)
    expect(body.files).toContainEqual({
      format: 'sepa',
      currency: 'EUR',
      payouts: 1,
      amountCents: 1_000,
      parts: 1,
    })
  })

  test('has no row for a payout that was canceled', async () => {
    const { file, id } = await createRun()
    await database.query(
      `update payouts set canceled_at = now() where run_id = $1 and currency = 'EUR'
       and partner_id in (select id from partners where slug = 'ann')`,
      [id],
    )
    expect(await file('format=paypal&currency=EUR')).toMatchObject({
      status: 200,
      body: { text: '' },
    })
  })

  test('parts stay as they are when payouts of an earlier part are canceled', async () => {
    const { merchant, as, id, workspaceId } = await createRun()
    await database.query(
      `with partner as (
         insert into partners (id, workspace_id, program_id, email, slug, slug_key)
         select gen_random_uuid(), $1, $2, 'n' || n || '@wise.example', 'n' || n, 'n' || n from generate_series(1, 1001) n
         returning *
       ), details as (
         insert into payment_details (id, workspace_id, email, method, ciphertext, masked, created_at, effective_at)
         select gen_random_uuid(), $1, p.email, 'wise', d.ciphertext, d.masked, d.created_at, d.effective_at
         from partner p, payment_details d where d.workspace_id = $1 and d.method = 'wise'
       )
       insert into payouts (id, workspace_id, run_id, program_id, partner_id, currency, amount_cents, created_at, next_attempt_at)
       select gen_random_uuid(), $1, $3, $2, id, 'GBP', 1234, now(), now() from partner`,
      [workspaceId, merchant.programId, id],
    )
    const references = async (part: number) =>
      String(
        (await as.get(`/payout-runs/${id}/export?format=wise&currency=GBP&part=${part}`)).body.text,
      ).match(/PO-\d+/g)
    const [first, second] = [await references(1), await references(2)]
    expect([first?.length, second?.length]).toEqual([1_000, 1])
    await database.query(
      `update payouts set canceled_at = now() where workspace_id = $1 and reference = $2`,
      [workspaceId, first?.[0]],
    )
    expect(await references(1)).toEqual(first?.slice(1))
    expect(await references(2)).toEqual(second)
  })
})

describe('POST /payout-runs/:id/wise-template', () => {
  test('fills in the merchant’s template, and says who is not in it', async () => {
    const { as, path } = await createRun()
    const answer = await as.post(`${path}/wise-template`, {
      template: 'name,IBAN,BIC,amount,targetCurrency,paymentReference',
      currency: 'EUR',
    })
    expect(answer).toMatchObject({ status: 200, body: { payouts: 2, unfilled: ['BIC'] } })
    expect(answer.body.leftOut).toMatchObject([{ code: 'no_column' }])
    expect(answer.body.text).toContain('Cem,TR330006100519786457841326,,10.00,EUR,PO-0000')
  })

  test('refuses what is no template', async () => {
    const { as, path } = await createRun()
    const answer = await as.post(`${path}/wise-template`, { template: 'hello', currency: 'EUR' })
    expect(answer).toMatchObject({ status: 409, body: errorShape('conflict') })
  })
})

describe('PUT /payer', () => {
  test('stores the IBAN encrypted, keeps it when it is omitted, and writes none into the audit log', async () => {
    const { as, merchant, workspaceId } = await createRun()
    await addPayer(as)
    expect((await as.put('/payer', { name: 'Shop GmbH', vatId: 'DE123' })).body).toEqual({
      name: 'Shop GmbH',
      street: null,
      postalCode: null,
      city: null,
      country: null,
      vatId: 'DE123',
      iban: 'FR••• 2606',
    })
    const stored = await database.query(
      `select y::text as row from payers y where workspace_id = $1`,
      [workspaceId],
    )
    expect(JSON.stringify([stored, await database.audit(merchant)])).not.toContain('0050500013')
    expect((await as.put('/payer', { name: 'Shop GmbH', iban: null })).body.iban).toBeNull()
  })

  test.each(
    everyNth(2, [
      { body: { name: '' }, path: 'name' },
      { body: { name: '王小明' }, path: 'name' },
      { body: { name: 'Shop', country: 'Germany' }, path: 'country' },
      { body: { name: 'Shop', iban: 'DE88370400440532013000' }, path: 'iban' },
      { body: { name: 'Shop', iban: 'TR330006100519786457841326' }, path: 'iban' },
    ]),
  )('refuses $body', { tags: 'sampled' }, async ({ body, path }) => {
    const merchant = await createOwing([])
    const answer = await (await merchant.asManager()).put('/payer', body)
    expect(answer).toMatchObject({ status: 400, body: errorShape('invalid_body') })
    expect(answer.body.error?.details?.[0]?.path).toBe(path)
  })
})

test('payouts are numbered from 1 in each workspace, without gaps or repeats', async () => {
  const { workspaceId } = await createRun()
  const rows = await database.query<{ reference: string }>(
    'select reference from payouts where workspace_id = $1 order by number',
    [workspaceId],
  )
  expect(rows.map(({ reference }) => reference)).toEqual(
    Array.from({ length: 10 }, (_, index) => `PO-${String(index + 1).padStart(6, '0')}`),
  )
})
