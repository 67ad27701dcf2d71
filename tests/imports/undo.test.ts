/** Undoing an import, whole or not at all: what it takes back, and what it depends on. */
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
    {
      subject_id: ours.importId,
      details: { customers: 30, partners: 20, balances: 20, mails: 20 },
    },
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

test('a customer whom three calls of an import have changed returns to what it was before the first', async () => {
  const { merchant, customers, undo } = await createUndoing()
  const row = { customerExternalId: 'cus_1', customerEmail: 'ann@x.example' }
  await customers([{ ...row, partnerEmail: MAYA, startedAt: '2023-01-01' }])
  const before = await present(database, merchant)
  const ours = newImport()
  await customers([{ ...row, partnerEmail: LEO }], ours)
  await customers([{ ...row, partnerEmail: MAYA, startedAt: '2024-01-01' }], ours)
  await customers([{ ...row, customerEmail: 'bob@x.example', partnerEmail: LEO }], ours)
  expect((await undo(ours.importId)).body).toMatchObject({ undone: { customers: 1 } })
  expect(await present(database, merchant)).toEqual(before)
  expect(await database.violations(merchant.workspace.id)).toEqual([])
})

test('the same rows in several calls of an import are taken back once', async () => {
  const { merchant, partners, customers, undo } = await createUndoing()
  const before = await present(database, merchant)
  const ours = newImport()
  await partners(partnerRows(3), ALL, ours)
  await partners([...partnerRows(3), { email: 'more@partner.example' }], ALL, ours)
  await customers(customerRows(2, 'p0@partner.example'), ours)
  await customers(customerRows(3, 'p0@partner.example'), ours)
  expect((await undo(ours.importId)).body).toMatchObject({
    undone: { partners: 4, customers: 3, openingBalances: { count: 3 } },
  })
  expect(await present(database, merchant)).toEqual(before)
})

type Undoing = Awaited<ReturnType<typeof createUndoing>>

/** Undoes an import in vain: the preview says the same, and nothing changes. */
const refused = async ({ merchant, undo }: Undoing, importId: string) => {
  const before = [await present(database, merchant), await database.audit(merchant)]
  const preview = await undo(importId, { dryRun: true })
  const { status, body } = await undo(importId)
  expect([status, preview.status]).toEqual([409, 409])
  expect(body.error?.code).toBe('conflict')
  expect(body.dependents).toEqual(preview.body.dependents)
  expect([await present(database, merchant), await database.audit(merchant)]).toEqual(before)
  expect(await database.violations(merchant.workspace.id)).toEqual([])
  return body.dependents
}
const pay = async (merchant: Merchant) => {
  const { status, body } = await (await merchant.asManager()).post('/payouts/run', {
    method: 'manual',
  })
  expect([status, (body.payouts as unknown[]).length]).toEqual([200, 1])
}

describe('an import is not undone', () => {
  type Case = { case: string; relies: (made: Undoing, id: string) => Promise<unknown> }
  const query = (text: string) => (_made: unknown, id: string) => database.query(text, [id])
  const manage =
    (path: string, body: object, method: 'post' | 'patch' = 'post') =>
    async ({ merchant }: Undoing, id: string) =>
      (await merchant.asManager())[method](`/partners/${id}${path}`, body)
  const CASES: Case[] = [
    {
      case: 'was credited with a sale',
      relies: async ({ merchant }) => merchant.sale({ clickId: await merchant.click('p-0') }),
    },
    {
      case: 'was credited with a lead',
      relies: async ({ merchant }) => merchant.lead({ clickId: await merchant.click('p-0') }),
    },
    {
      case: 'has a customer by another import',
      relies: ({ customers }) =>
        customers([{ customerExternalId: 'c', partnerEmail: 'p0@partner.example' }]),
    },
    {
      case: 'had a customer by another import, whom a third one has moved since',
      relies: async ({ customers }) => {
        await customers([{ customerExternalId: 'c', partnerEmail: 'p0@partner.example' }])
        return customers([{ customerExternalId: 'c', partnerEmail: LEO }])
      },
    },
    {
      case: 'has earnings that a manager has adjusted',
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
      case: 'has an opening balance that a manager holds',
      relies: query(
        `insert into commission_holds (commission_id, workspace_id, reason, note, held_by, created_at)
         select id, workspace_id, 'manual', 'Why?', 'x@x.example', now() from commissions where partner_id = $1`,
      ),
    },
    {
      case: 'has accepted the terms',
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
      case: 'has said how to be paid',
      relies: query(
        `insert into payees (workspace_id, email, name, updated_at) select workspace_id, email, 'P', now() from partners where id = $1`,
      ),
    },
    { case: 'was renamed', relies: manage('', { name: 'New' }, 'patch') },
    { case: 'has another address', relies: manage('', { email: 'new@partner.example' }, 'patch') },
    { case: 'has another slug', relies: manage('', { slug: 'new' }, 'patch') },
    { case: 'was banned', relies: manage('', { status: 'banned' }, 'patch') },
    { case: 'has a further coupon', relies: manage('/coupons', { couponId: 'HAND' }) },
    { case: 'has a further link', relies: manage('/links', { slug: 'hand' }) },
    { case: 'has a note', relies: manage('/notes', { content: 'Called.' }) },
  ]
  test.each(CASES)('once a partner of it $case', async ({ relies }) => {
    const made = await createUndoing()
    const ours = newImport()
    await made.partners(partnerRows(3), { importOpeningBalances: true }, ours)
    await made.customers(customerRows(3, 'p1@partner.example'), ours)
    const id = await idOf(made.merchant, 'p0@partner.example')
    const relied = (await relies(made, id)) as { status?: number } | undefined
    expect(relied?.status ?? 200).toBeLessThan(300)
    expect(await refused(made, ours.importId)).toMatchObject({
      partners: { count: 1, first: [{ id }] },
      customers: { count: 0, first: [] },
    })
  })

  test.each([
    { case: 'whom it has created', exists: false },
    { case: 'who existed', exists: true },
  ])('once the opening balance of a partner $case is in a payout', async ({ exists }) => {
    const made = await createUndoing({ manualPayouts: true })
    const rows = [{ email: 'p0@partner.example', openingBalanceCents: 12_345 }]
    const ours = newImport()
    if (exists) await made.partners(rows)
    await made.partners(rows, { importOpeningBalances: true, completeExisting: exists }, ours)
    await made.partners(partnerRows(2, 'q'), {}, ours)
    await pay(made.merchant)
    expect(await refused(made, ours.importId)).toMatchObject({
      partners: { count: 1, first: [{ email: 'p0@partner.example', name: null }] },
      earned: [{ currency: 'USD', amountCents: 12_345 }],
    })
  })

  const customerCase = async (relies: (made: Undoing) => Promise<unknown>) => {
    const made = await createUndoing({ program: { attribute_known_customers: true } })
    const ours = newImport()
    await made.customers(customerRows(3, MAYA), ours)
    await relies(made)
    return { made, ours }
  }
  test.each<{ case: string; relies: (made: Undoing) => Promise<unknown> }>([
    {
      case: 'has bought, and its partner was credited',
      relies: ({ merchant }) => merchant.sale({ externalId: 'a', customerExternalId: 'cus_0' }),
    },
    {
      case: 'was moved by a click',
      relies: async ({ merchant }) =>
        merchant.sale({
          externalId: 'b',
          customerExternalId: 'cus_0',
          clickId: await merchant.click('leo'),
        }),
    },
    {
      case: 'was changed by a later import',
      relies: ({ customers }) =>
        customers([{ customerExternalId: 'cus_0', partnerEmail: MAYA, startedAt: '2020-01-01' }]),
    },
    {
      case: 'was moved by a later import',
      relies: ({ customers }) => customers([{ customerExternalId: 'cus_0', partnerEmail: LEO }]),
    },
  ])('once a customer of it $case', async ({ relies }) => {
    const { made, ours } = await customerCase(relies)
    expect(await refused(made, ours.importId)).toMatchObject({
      partners: { count: 0 },
      customers: { count: 1, first: [{ externalId: 'cus_0', email: 'ann0@x.example' }] },
    })
  })

  test('while another import has changed a customer between two of its calls', async () => {
    const made = await createUndoing()
    const [ours, other] = [newImport(), newImport()]
    const row = { customerExternalId: 'cus_1', customerEmail: 'ann@x.example' }
    await made.customers([{ ...row, partnerEmail: MAYA }], ours)
    await made.customers([{ ...row, partnerEmail: MAYA, startedAt: '2024-01-01' }], other)
    await made.customers([{ ...row, partnerEmail: LEO }], ours)
    for (const one of [ours, other])
      expect(await refused(made, one.importId)).toMatchObject({ customers: { count: 1 } })
  })
})

test('the answer counts all who depend on the import, names the first 20, and adds up what they have earned', async () => {
  const made = await createUndoing({ program: { attribute_known_customers: true } })
  const { merchant, partners, customers } = made
  const ours = newImport()
  await partners(partnerRows(24), { importOpeningBalances: true }, ours)
  await customers(customerRows(22, 'p0@partner.example'), ours)
  const manager = await merchant.asManager()
  for (let n = 1; n < 23; n++) {
    const id = await idOf(merchant, `p${n}@partner.example`)
    await manager.patch(`/partners/${id}`, { name: `Changed ${n}` })
  }
  for (let n = 0; n < 22; n++)
    await merchant.sale({
      externalId: `in_${n}`,
      customerExternalId: `cus_${n}`,
      amountCents: 1_000,
      currency: n % 2 ? 'EUR' : 'USD',
    })
  const dependents = await refused(made, ours.importId)
  expect(dependents).toMatchObject({ partners: { count: 23 }, customers: { count: 22 } })
  expect(dependents?.partners.first).toHaveLength(20)
  expect(dependents?.partners.first[1]).toEqual({
    id: await idOf(merchant, 'p1@partner.example'),
    email: 'p1@partner.example',
    name: 'Changed 1',
  })
  expect(dependents?.customers.first).toHaveLength(20)
  const sums = await database.query(
    `select currency, sum(amount_cents)::int as "amountCents" from commissions
     where workspace_id = $1 and partner_id <> $2 group by 1 order by 1`,
    [merchant.workspace.id, await idOf(merchant, 'p23@partner.example')],
  )
  expect(dependents?.earned).toEqual(sums)
  expect(sums).toMatchObject([{ currency: 'EUR' }, { currency: 'USD' }])
  const { body } = await made.undo(ours.importId)
  expect(body.error?.message).toContain('23 partners and 22 customers of this import')
})

describe('an import is undone although', () => {
  test('its links were clicked and its mails sent: nobody has earned by them, and no sale is credited by an earlier click', async () => {
    const { merchant, partners, undo } = await createUndoing()
    const ours = newImport()
    await partners(partnerRows(1), { sendWelcomeEmail: true }, ours)
    const clickId = await merchant.click('p-0')
    await database.query(`update mails set sent_at = now() where workspace_id = $1`, [
      merchant.workspace.id,
    ])
    expect((await undo(ours.importId)).body).toMatchObject({ undone: { partners: 1, mails: 0 } })
    const { body } = await merchant.sale({ clickId })
    expect(body).toMatchObject({ attributed: false })
    expect(await database.violations(merchant.workspace.id)).toEqual([])
  })

  test('a partner of it has read the portal', async () => {
    const { merchant, partners, undo } = await createUndoing()
    const ours = newImport()
    await partners(partnerRows(1), {}, ours)
    await database.query(`update partners set language = 'fr' where workspace_id = $1`, [
      merchant.workspace.id,
    ])
    expect((await undo(ours.importId)).body).toMatchObject({ undone: { partners: 1 } })
  })

  test('a customer of it has bought and nobody was credited: a new one stays, nobody’s', async () => {
    const { merchant, customers, undo } = await createUndoing()
    const ours = newImport()
    await customers(customerRows(2, MAYA), ours)
    await merchant.sale({ externalId: 'a', customerExternalId: 'cus_0' })
    expect((await undo(ours.importId)).body).toMatchObject({ undone: { customers: 2 } })
    expect((await present(database, merchant)).customers).toMatchObject([
      { external_id: 'cus_0', partner_id: null, imported_at: null, started_at: null },
    ])
    expect(await database.violations(merchant.workspace.id)).toEqual([])
  })

  test('a customer of it has bought and nobody was credited: the former partner may be', async () => {
    const { merchant, customers, undo } = await createUndoing({
      program: { attribute_known_customers: true },
    })
    await customers(customerRows(2, MAYA))
    const before = await present(database, merchant)
    const ours = newImport()
    await database.query(
      "update partners set status = 'banned' where workspace_id = $1 and slug = 'leo'",
      [merchant.workspace.id],
    )
    await customers(customerRows(2, LEO), ours)
    const { body } = await merchant.sale({ externalId: 'a', customerExternalId: 'cus_0' })
    expect(body).toMatchObject({ attributed: false })
    expect((await undo(ours.importId)).body).toMatchObject({ undone: { customers: 2 } })
    const { customers: after } = await present(database, merchant)
    expect(after).toEqual(before.customers)
    // The cron decides again what was paid since.
    expect(
      await database.query(
        `select c.external_id, c.replan_from = e.occurred_at as "isPlanned" from customers c
         left join events e on e.customer_id = c.id where c.workspace_id = $1 order by 1`,
        [merchant.workspace.id],
      ),
    ).toEqual([
      { external_id: 'cus_0', isPlanned: true },
      { external_id: 'cus_1', isPlanned: null },
    ])
    expect(await database.violations(merchant.workspace.id)).toEqual([])
  })

  test('the same file was imported once more: the second import has made nothing', async () => {
    const { merchant, partners, customers, undo } = await createUndoing()
    const before = await present(database, merchant)
    const [first, second] = [newImport(), newImport()]
    for (const ours of [first, second]) {
      await partners(partnerRows(6), ALL, ours)
      await customers(customerRows(5, 'p0@partner.example'), ours)
    }
    expect((await undo(first.importId)).body).toMatchObject({
      undone: { partners: 6, customers: 5, openingBalances: { count: 6 }, mails: 6 },
    })
    expect(await present(database, merchant)).toEqual(before)
    expect((await undo(second.importId)).body).toMatchObject({
      undone: { partners: 0, customers: 0, openingBalances: { count: 0 } },
    })
    expect(await present(database, merchant)).toEqual(before)
    expect(await database.violations(merchant.workspace.id)).toEqual([])
  })

  test('rows of later imports were refused, or left a customer with its partner', async () => {
    const { partners, customers, undo } = await createUndoing()
    const ours = newImport()
    await partners(partnerRows(1), {}, ours)
    await customers([{ customerExternalId: 'cus_1', partnerEmail: LEO }], ours)
    const answers = [
      await partners([{ email: 'p0@partner.example', slug: 'x'.repeat(300) }]),
      await customers([{ customerExternalId: 'cus_1', partnerEmail: 'nobody@partner.example' }]),
      await partners(partnerRows(1), { dryRun: true }),
      await customers([{ customerExternalId: 'cus_1', partnerEmail: MAYA }], {
        options: { keepOwners: true },
      }),
    ]
    expect(answers.map(({ body }) => body.results[0]?.status)).toEqual([
      'error',
      'partner_not_found',
      'skipped_existing',
      'unchanged',
    ])
    expect((await undo(ours.importId)).body).toMatchObject({
      undone: { partners: 1, customers: 1 },
    })
  })
})

describe('two imports, A and B', () => {
  test('of one customer and its partner: A depends on B, and both go in the order B, A', async () => {
    const made = await createUndoing()
    const { merchant, partners, customers, undo } = made
    const row = { customerExternalId: 'cus_1' }
    await customers([{ ...row, customerEmail: 'first@x.example', partnerEmail: MAYA }])
    const before = await present(database, merchant)
    const [a, b] = [newImport(), newImport()]
    await partners(partnerRows(1), {}, a)
    await customers(
      [{ ...row, customerEmail: 'a@x.example', partnerEmail: 'p0@partner.example' }],
      a,
    )
    const betweenThem = await present(database, merchant)
    await customers(
      [
        { ...row, customerEmail: 'b@x.example', partnerEmail: LEO, startedAt: '2020-01-01' },
        { customerExternalId: 'cus_2', partnerEmail: LEO },
      ],
      b,
    )
    expect(await refused(made, a.importId)).toMatchObject({ customers: { count: 1 } })
    expect((await undo(b.importId)).body).toMatchObject({ undone: { customers: 2 } })
    expect(await present(database, merchant)).toEqual(betweenThem)
    expect((await undo(a.importId)).body).toMatchObject({ undone: { partners: 1, customers: 1 } })
    expect(await present(database, merchant)).toEqual(before)
    expect(await database.violations(merchant.workspace.id)).toEqual([])
  })

  test('of one partner: A depends on the balance that B has completed, until B is undone', async () => {
    const made = await createUndoing()
    const { merchant, partners, undo } = made
    const [a, b] = [newImport(), newImport()]
    await partners(partnerRows(1), {}, a)
    const betweenThem = await present(database, merchant)
    await partners(partnerRows(1), { importOpeningBalances: true, completeExisting: true }, b)
    expect(await refused(made, a.importId)).toMatchObject({
      partners: { count: 1 },
      earned: [{ currency: 'USD', amountCents: 1_000 }],
    })
    expect((await undo(b.importId)).body.undone.openingBalances).toEqual({
      count: 1,
      sums: [{ currency: 'USD', amountCents: 1_000 }],
    })
    expect(await present(database, merchant)).toEqual(betweenThem)
    expect((await undo(a.importId)).body).toMatchObject({ undone: { partners: 1 } })
    expect(await database.violations(merchant.workspace.id)).toEqual([])
  })
})

test('an import depends on no balance that a later call of its own has completed', async () => {
  const { merchant, partners, undo } = await createUndoing()
  const before = await present(database, merchant)
  const ours = newImport()
  await partners(partnerRows(1), {}, ours)
  await partners(partnerRows(1), { importOpeningBalances: true, completeExisting: true }, ours)
  expect((await undo(ours.importId)).body).toMatchObject({
    undone: { partners: 1, openingBalances: { count: 1 } },
  })
  expect(await present(database, merchant)).toEqual(before)
  expect(await database.violations(merchant.workspace.id)).toEqual([])
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
  expect((await undo(ours.importId, { includeChanged: true })).status).toBe(400)
  expect((await undo(ours.importId, { dryrun: true })).status).toBe(400)
  expect((await present(database, merchant)).partners).toHaveLength(3)
})
