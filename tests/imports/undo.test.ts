/** Undoing an import: what it takes back, what stays and why, and what can be imported again. */
import { describe, expect, test } from 'vitest'
import { LEO, MAYA, partnerRows } from '../support/imports.ts'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'
import { createUndoing, newImport, present, undoer } from '../support/undo.ts'

const database = useDatabase()

const ALL = { sendWelcomeEmail: true, importOpeningBalances: true }
const idOf = async ({ workspace }: Merchant, email: string) => {
  const [row] = await database.query<{ id: string }>(
    'select id from partners where workspace_id = $1 and email = $2',
    [workspace.id, email],
  )
  return row?.id ?? ''
}
const customerRows = (count: number, partnerEmail: string) =>
  Array.from({ length: count }, (_, n) => ({
    customerExternalId: `cus_${n}`,
    customerEmail: `ann${n}@x.example`,
    partnerEmail,
    startedAt: '2025-01-31',
  }))
const wholeAnswer = (importId: string, more: object = {}) => ({
  importId,
  undone: { partners: 0, customers: 0, openingBalances: { count: 0, sums: [] }, mails: 0 },
  kept: [],
  rows: [],
  nextCursor: null,
  ...more,
})

test('an import of partners with everything leaves nothing behind but ledger rows that add up to nothing', async () => {
  const { merchant, partners, customers, undo } = await createUndoing()
  await merchant.seed.addMember(merchant.workspace.id, 'other@x.example', 'manager')
  const before = await present(database, merchant)
  const ours = newImport()
  const rows = partnerRows(20).map((row, n) => ({ ...row, slugs: [`more-${n}`] }))
  await partners(rows.slice(0, 12), ALL, ours)
  await partners([...rows.slice(12), { email: LEO, slug: 'leo' }], ALL, ours)
  await customers(customerRows(30, 'p3@partner.example'), ours)

  const cents = rows.reduce((sum, row) => sum + row.openingBalanceCents, 0)
  const undone = {
    partners: 20,
    customers: 30,
    openingBalances: { count: 20, sums: [{ currency: 'USD', amountCents: cents }] },
    mails: 20,
  }
  const preview = await undo(ours.importId, { dryRun: true })
  expect([preview.status, preview.body]).toEqual([200, wholeAnswer(ours.importId, { undone })])
  expect((await present(database, merchant)).partners).toHaveLength(22)

  const { status, body } = await undo(ours.importId)
  expect([status, body]).toEqual([200, wholeAnswer(ours.importId, { undone })])
  expect(await present(database, merchant)).toEqual(before)
  expect(await database.violations(merchant.workspace.id)).toEqual([])

  // A repeat says the same, and does nothing.
  const log = await database.audit(merchant)
  expect((await undo(ours.importId)).body).toEqual(body)
  expect((await undo(ours.importId, { dryRun: true })).body).toEqual(body)
  expect(await database.audit(merchant)).toEqual(log)
  expect(log.filter(({ action }) => action === 'import.undone')).toMatchObject([
    { subject_id: ours.importId, details: { customers: 30, partners: 0 } },
    { details: { partners: 8, balances: 8, mails: 8 } },
    { details: { partners: 12, balances: 12, mails: 12 } },
  ])
})

test('after an undo the same file can be imported again, as a new import; a repeated call of the old one is refused', async () => {
  const { merchant, partners, customers, undo } = await createUndoing()
  const ours = newImport()
  const rows = partnerRows(5)
  const mapped = customerRows(5, 'p1@partner.example')
  await partners(rows, ALL, ours)
  await customers(mapped, ours)
  await undo(ours.importId)

  for (const refused of [await partners(rows, ALL, ours), await customers(mapped, ours)]) {
    expect([refused.status, refused.body.error?.code]).toEqual([409, 'conflict'])
    expect(refused.body.error?.message).toContain('was undone')
  }
  // Neither is a call of it that was not made before.
  expect((await partners([{ email: 'late@partner.example' }], {}, ours)).status).toBe(409)
  expect((await customers(mapped.slice(1), ours)).status).toBe(409)

  const again = newImport()
  expect((await partners(rows, ALL, again)).body.summary).toMatchObject({
    created: 5,
    couponsMapped: 5,
    slugsRenamed: 0,
  })
  expect((await customers(mapped, again)).body.summary).toMatchObject({ created: 5 })
  const { partners: there, owed, customers: mine } = await present(database, merchant)
  expect(there).toHaveLength(7)
  expect(owed).toHaveLength(5)
  expect(mine).toHaveLength(5)
  expect(await database.violations(merchant.workspace.id)).toEqual([])
})

test('calls without a name are imports of their own, and are undone by the ids of their entries in the audit log', async () => {
  const { merchant, partners, undo } = await createUndoing()
  await partners(partnerRows(2))
  await partners(partnerRows(2, 'q'))
  const log = await database.query<{ id: string }>(
    "select id from audit_entries where workspace_id = $1 and action = 'partners.imported' order by id",
    [merchant.workspace.id],
  )
  expect((await undo(log[1]?.id ?? '')).body.undone.partners).toBe(2)
  expect((await present(database, merchant)).partners.map(({ slug }) => slug)).toEqual([
    'maya',
    'leo',
    'p-0',
    'p-1',
  ])
})

test('customers return to the partner, address and start that they had, or to being seen only; new ones are gone', async () => {
  const { merchant, customers, undo } = await createUndoing()
  await customers([
    {
      customerExternalId: 'cus_1',
      customerEmail: 'one@x.example',
      partnerEmail: MAYA,
      startedAt: '2024-01-01',
    },
    { customerExternalId: 'cus_2', partnerEmail: MAYA },
  ])
  await merchant.sale({ externalId: 'seen', customerExternalId: 'cus_4' })
  const before = await present(database, merchant)
  const ours = newImport()
  const { body } = await customers(
    [
      {
        customerExternalId: 'cus_1',
        customerEmail: 'uno@x.example',
        partnerEmail: LEO,
        startedAt: '2025-02-02',
      },
      { customerExternalId: 'cus_2', customerEmail: 'two@x.example', partnerEmail: MAYA },
      { customerExternalId: 'cus_3', partnerEmail: LEO },
      { customerExternalId: 'cus_4', partnerEmail: LEO },
    ],
    ours,
  )
  expect(body.summary).toMatchObject({ created: 2, updated: 2, moved: 1 })

  const undone = await undo(ours.importId)
  expect(undone.body).toEqual(
    wholeAnswer(ours.importId, { undone: { ...wholeAnswer('').undone, customers: 4 } }),
  )
  const after = await present(database, merchant)
  expect(after.customers.filter(({ external_id }) => external_id !== 'cus_4')).toEqual(
    before.customers,
  )
  expect(after.referrals).toEqual(before.referrals)
  expect(after.customers.at(-1)).toMatchObject({
    external_id: 'cus_4',
    partner_id: null,
    imported_at: null,
    started_at: null,
  })
  expect(await database.violations(merchant.workspace.id)).toEqual([])
})

test.each([
  { case: 'goes', customers: 3, kept: [] },
  {
    case: 'stays as another import between them has left it',
    customers: 2,
    kept: [{ kind: 'customer', code: 'changed_since', count: 1 }],
  },
])(
  'a customer whom three calls of an import have changed $case, as the preview says',
  async (expected) => {
    const { merchant, customers, undo } = await createUndoing()
    const row = { customerExternalId: 'cus_1', customerEmail: 'ann@x.example' }
    const ours = newImport()
    await customers([{ ...row, partnerEmail: MAYA }], ours)
    if (expected.customers === 2)
      await customers([{ ...row, partnerEmail: MAYA, startedAt: '2024-01-01' }])
    const before = await present(database, merchant)
    await customers([{ ...row, partnerEmail: LEO }], ours)
    await customers([{ ...row, customerEmail: 'bob@x.example', partnerEmail: MAYA }], ours)
    const preview = await undo(ours.importId, { dryRun: true })
    expect(preview.body).toMatchObject({
      undone: { customers: expected.customers },
      kept: expected.kept,
    })
    expect((await undo(ours.importId)).body).toEqual(preview.body)
    const { customers: left } = await present(database, merchant)
    expect(left).toEqual(expected.customers === 2 ? before.customers : [])
  },
)

describe('what stays', () => {
  type Case = {
    case: string
    code: string
    relies: (made: Awaited<ReturnType<typeof createUndoing>>, id: string) => Promise<unknown>
  }
  const query = (text: string) => (_made: unknown, id: string) => database.query(text, [id])
  const CASES: Case[] = [
    {
      case: 'who was credited with a sale',
      code: 'has_events',
      relies: async ({ merchant }) => merchant.sale({ clickId: await merchant.click('p-0') }),
    },
    {
      case: 'who has a customer by another import',
      code: 'has_customers',
      relies: ({ customers }) =>
        customers([{ customerExternalId: 'c', partnerEmail: 'p0@partner.example' }]),
    },
    {
      case: 'whose earnings a manager has adjusted',
      code: 'has_commissions',
      relies: async ({ merchant }, partnerId) =>
        (await merchant.asManager()).post('/commissions', {
          externalId: 'bonus',
          partnerId,
          amountCents: 500,
          currency: 'USD',
          reason: 'Bonus',
        }),
    },
    {
      case: 'whose opening balance a manager holds',
      code: 'has_commissions',
      relies: query(
        `insert into commission_holds (commission_id, workspace_id, reason, note, held_by, created_at)
         select id, workspace_id, 'manual', 'Why?', 'x@x.example', now() from commissions where partner_id = $1`,
      ),
    },
    {
      case: 'who has accepted the terms',
      code: 'accepted_terms',
      relies: query(
        `with terms as (
           insert into agreements (program_id, version, workspace_id, content, created_by, created_at)
           select program_id, 1, workspace_id, 'Be fair.', 'x@x.example', now() from partners where id = $1
           returning *)
         insert into agreement_acceptances (partner_id, version, program_id, workspace_id, accepted_at)
         select $1::uuid, version, program_id, workspace_id, now() from terms`,
      ),
    },
    {
      case: 'who has said how to be paid',
      code: 'has_payment_details',
      relies: query(
        `insert into payees (workspace_id, email, name, updated_at) select workspace_id, email, 'P', now() from partners where id = $1`,
      ),
    },
    {
      case: 'whom a manager has renamed',
      code: 'changed_since',
      relies: async ({ merchant }, id) =>
        (await merchant.asManager()).patch(`/partners/${id}`, { name: 'New' }),
    },
    {
      case: 'to whom a manager has given a coupon',
      code: 'changed_since',
      relies: async ({ merchant }, id) =>
        (await merchant.asManager()).post(`/partners/${id}/coupons`, { couponId: 'HAND' }),
    },
  ]
  test.each(CASES)('a partner $case stays, the others go', async ({ code, relies }) => {
    const made = await createUndoing()
    const { merchant, partners, undo } = made
    const ours = newImport()
    await partners(partnerRows(3), { importOpeningBalances: true }, ours)
    const id = await idOf(merchant, 'p0@partner.example')
    const relied = (await relies(made, id)) as { status?: number } | undefined
    expect(relied?.status ?? 200).toBeLessThan(300)
    const kept = {
      kept: [{ kind: 'partner', code, count: 1 }],
      rows: [
        { kind: 'partner', code, id, partnerEmail: 'p0@partner.example', customerExternalId: null },
      ],
    }
    const preview = await undo(ours.importId, { dryRun: true })
    expect(preview.body).toMatchObject({
      ...kept,
      undone: { partners: 2, openingBalances: { count: 2 } },
    })
    const { body } = await undo(ours.importId)
    expect(body).toEqual(preview.body)
    expect((await present(database, merchant)).partners.map(({ slug }) => slug)).toEqual([
      'maya',
      'leo',
      'p-0',
    ])
    expect(await database.violations(merchant.workspace.id)).toEqual([])
  })

  test('a partner who was changed goes too if the manager says so, with the former slug and the coupon', async () => {
    const { merchant, partners, undo } = await createUndoing()
    const ours = newImport()
    await partners(partnerRows(2), {}, ours)
    const id = await idOf(merchant, 'p0@partner.example')
    const manager = await merchant.asManager()
    await manager.patch(`/partners/${id}`, { slug: 'renamed', email: 'moved@partner.example' })
    await manager.post(`/partners/${id}/coupons`, { couponId: 'HAND' })
    await manager.post(`/partners/${id}/notes`, { content: 'Called.' })
    expect((await undo(ours.importId)).body.kept).toEqual([
      { kind: 'partner', code: 'changed_since', count: 1 },
    ])
    expect((await undo(ours.importId, { includeChanged: true })).body).toMatchObject({
      undone: { partners: 2 },
      kept: [],
    })
    const { partners: there, links, coupons } = await present(database, merchant)
    expect([there.length, links, coupons]).toEqual([2, [], []])
    const again = await partners([
      { email: 'p0@partner.example', slug: 'p-0', slugs: ['renamed'], couponId: 'HAND' },
      { email: 'moved@partner.example' },
    ])
    expect(again.body.summary).toMatchObject({ created: 2, couponsMapped: 1, slugsRenamed: 0 })
    expect(await database.violations(merchant.workspace.id)).toEqual([])
  })

  test('a customer who bought since, or whom a later click or merge has changed, stays, and so does its partner', async () => {
    const { merchant, partners, customers, undo } = await createUndoing({
      program: { attribute_known_customers: true },
    })
    const ours = newImport()
    await partners(partnerRows(2), {}, ours)
    await customers(
      [
        { customerExternalId: 'bought', partnerEmail: 'p0@partner.example' },
        { customerExternalId: 'clicked', partnerEmail: 'p0@partner.example' },
        { customerExternalId: 'quiet', partnerEmail: 'p0@partner.example' },
        { customerExternalId: 'other', partnerEmail: 'p1@partner.example' },
      ],
      ours,
    )
    await merchant.sale({ externalId: 'a', customerExternalId: 'bought' })
    await merchant.sale({
      externalId: 'b',
      customerExternalId: 'clicked',
      clickId: await merchant.click('leo'),
    })
    const { body } = await undo(ours.importId, { dryRun: true })
    expect(body.undone).toMatchObject({ partners: 1, customers: 2 })
    expect(body.kept).toEqual(
      expect.arrayContaining([
        { kind: 'customer', code: 'has_events', count: 1 },
        { kind: 'customer', code: 'changed_since', count: 1 },
        { kind: 'partner', code: 'has_events', count: 1 },
      ]),
    )
    expect(
      body.rows.find(({ customerExternalId }) => customerExternalId === 'bought'),
    ).toMatchObject({
      partnerEmail: 'p0@partner.example',
      message: 'Sales or leads were credited since.',
    })
    expect((await undo(ours.importId)).body).toEqual(body)
    expect(await database.violations(merchant.workspace.id)).toEqual([])
  })

  test('clicks and sent mails are no reason: nobody has earned by them, and no sale is credited by an earlier click', async () => {
    const { merchant, partners, undo } = await createUndoing()
    const ours = newImport()
    await partners(partnerRows(1), { sendWelcomeEmail: true }, ours)
    const clickId = await merchant.click('p-0')
    await database.query(`update mails set sent_at = now() where workspace_id = $1`, [
      merchant.workspace.id,
    ])
    expect((await undo(ours.importId)).body).toMatchObject({
      undone: { partners: 1, mails: 0 },
      kept: [],
    })
    const { body } = await merchant.sale({ clickId })
    expect(body).toMatchObject({ attributed: false })
    expect(await database.violations(merchant.workspace.id)).toEqual([])
  })
})

describe('two imports, A and B', () => {
  test('of one customer: A stays while B does, and both go in the order B, A', async () => {
    const { merchant, partners, customers, undo } = await createUndoing()
    await customers([
      { customerExternalId: 'cus_1', customerEmail: 'first@x.example', partnerEmail: MAYA },
    ])
    const before = await present(database, merchant)
    const [a, b] = [newImport(), newImport()]
    await partners(partnerRows(1), {}, a)
    await customers(
      [
        {
          customerExternalId: 'cus_1',
          customerEmail: 'a@x.example',
          partnerEmail: 'p0@partner.example',
        },
      ],
      a,
    )
    const betweenThem = await present(database, merchant)
    await customers(
      [{ customerExternalId: 'cus_1', customerEmail: 'b@x.example', partnerEmail: LEO }],
      b,
    )

    const early = await undo(a.importId)
    expect(early.body).toMatchObject({
      undone: { partners: 1, customers: 0 },
      kept: [{ kind: 'customer', code: 'changed_since', count: 1 }],
    })
    expect((await undo(b.importId)).body.undone.customers).toBe(1)
    // The partner of A is gone, so the customer is nobody's but the one before.
    const [customer] = (await present(database, merchant)).customers
    expect(customer).toMatchObject({
      email: 'a@x.example',
      partner_id: before.customers[0]?.partner_id,
    })
    expect((await undo(a.importId)).body).toMatchObject({
      undone: { partners: 1, customers: 1 },
      kept: [],
    })
    expect(await present(database, merchant)).toEqual(before)
    expect(betweenThem.customers).toHaveLength(1)
    expect(await database.violations(merchant.workspace.id)).toEqual([])
  })

  test('of one customer, in the order B, A', async () => {
    const { merchant, customers, undo } = await createUndoing()
    const [a, b] = [newImport(), newImport()]
    await customers(customerRows(2, MAYA), a)
    const betweenThem = await present(database, merchant)
    await customers(
      customerRows(2, LEO).map((row) => ({
        ...row,
        startedAt: '2020-01-01',
        customerEmail: 'z@x.example',
      })),
      b,
    )
    await undo(b.importId)
    expect(await present(database, merchant)).toEqual(betweenThem)
    expect((await undo(a.importId)).body.undone.customers).toBe(2)
    expect((await present(database, merchant)).customers).toEqual([])
    expect(await database.violations(merchant.workspace.id)).toEqual([])
  })

  test('of one partner: the balance that B has completed keeps the partner of A, until B is undone', async () => {
    const { merchant, partners, undo } = await createUndoing()
    const [a, b] = [newImport(), newImport()]
    await partners(partnerRows(1), {}, a)
    const betweenThem = await present(database, merchant)
    await partners(partnerRows(1), { importOpeningBalances: true, completeExisting: true }, b)
    expect((await undo(a.importId)).body.kept).toEqual([
      { kind: 'partner', code: 'has_commissions', count: 1 },
    ])
    expect((await undo(b.importId)).body.undone.openingBalances).toEqual({
      count: 1,
      sums: [{ currency: 'USD', amountCents: 1_000 }],
    })
    expect(await present(database, merchant)).toEqual(betweenThem)
    expect((await undo(a.importId)).body).toMatchObject({ undone: { partners: 1 }, kept: [] })
    expect(await database.violations(merchant.workspace.id)).toEqual([])
  })
})

test('the mail to managers loses the balances that are taken back, or is withdrawn', async () => {
  const { merchant, partners, undo } = await createUndoing()
  await merchant.seed.addMember(merchant.workspace.id, 'other@x.example', 'manager')
  const told = () =>
    database.query<{ details: { balances: number; amountCents: number } }>(
      "select details from mails where workspace_id = $1 and kind = 'opening_balances' and recipient = 'other@x.example'",
      [merchant.workspace.id],
    )
  const [a, b] = [newImport(), newImport()]
  await partners(partnerRows(3), { importOpeningBalances: true }, a)
  await partners(partnerRows(2, 'q'), { importOpeningBalances: true }, b)
  expect(await told()).toMatchObject([{ details: { balances: 5, amountCents: 5_004 } }])
  await undo(a.importId)
  expect(await told()).toMatchObject([{ details: { balances: 2, amountCents: 2_001 } }])
  await undo(b.importId)
  expect(await told()).toEqual([])
})

test('what is left of a partner is in no list, and cannot be changed', async () => {
  const { merchant, partners, undo } = await createUndoing()
  const ours = newImport()
  await partners(partnerRows(1), { importOpeningBalances: true }, ours)
  const id = await idOf(merchant, 'p0@partner.example')
  await undo(ours.importId)
  const manager = await merchant.asManager()
  const { body } = await manager.get('/partners')
  expect((body.data as { id: string }[]).map((row) => row.id)).not.toContain(id)
  const answers = await Promise.all([
    manager.get(`/partners/${id}`),
    manager.patch(`/partners/${id}`, { status: 'approved' }),
    manager.post(`/partners/${id}/coupons`, { couponId: 'X' }),
    manager.post(`/partners/${id}/links`, { slug: 'x' }),
    manager.post(`/partners/${id}/notes`, { content: 'x' }),
    manager.post('/commissions', {
      externalId: 'x',
      partnerId: id,
      amountCents: 5,
      currency: 'USD',
      reason: 'x',
    }),
  ])
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404])
  // The ledger still names it.
  const { body: ledger } = await manager.get(`/commissions?partnerId=${id}`)
  expect(
    (ledger.data as { kind: string; amountCents: number }[]).map(({ kind, amountCents }) => [
      kind,
      amountCents,
    ]),
  ).toEqual([
    ['reversal', -1_000],
    ['opening_balance', 1_000],
  ])
})

test('only managers of the workspace undo, and only its own imports', async () => {
  const { merchant, partners, undo } = await createUndoing()
  const ours = newImport()
  await partners(partnerRows(1), {}, ours)
  const other = await createMerchant()
  const path = `/imports/${ours.importId}/undo`
  expect((await (await undoer(other))(ours.importId)).status).toBe(404)
  expect((await merchant.as(await merchant.member()).post(path, {})).status).toBe(403)
  expect((await merchant.as(await merchant.stranger()).post(path, {})).status).toBe(404)
  expect(
    (await merchant.post(`/api/workspaces/${merchant.workspace.slug}${path}`, {})).status,
  ).toBe(401)
  expect((await undo('not-an-id')).status).toBe(404)
  expect((await undo(ours.importId, { cursor: 'x' })).status).toBe(400)
  expect((await undo(ours.importId, { dryrun: true })).status).toBe(400)
  expect((await present(database, merchant)).partners).toHaveLength(3)
})
