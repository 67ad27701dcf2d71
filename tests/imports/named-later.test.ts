/** An undo leaves what a later import names, even if that import has changed nothing of it. */
import { describe, expect, test } from 'vitest'
import { LEO, MAYA, partnerRows } from '../support/imports.ts'
import { useDatabase } from '../support/merchant.ts'
import { createUndoing, newImport, present } from '../support/undo.ts'

const database = useDatabase()

const ALL = { sendWelcomeEmail: true, importOpeningBalances: true }
const customerRows = (count: number, partnerEmail: string) =>
  Array.from({ length: count }, (_, n) => ({ customerExternalId: `cus_${n}`, partnerEmail }))
const named = (kind: string, count: number) => ({ kind, code: 'named_later', count })

test('a file that is imported twice: undoing the first takes nothing, and after the second all of it', async () => {
  const { merchant, partners, customers, undo } = await createUndoing()
  const before = await present(database, merchant)
  const rows = partnerRows(6).map((row, n) => ({ ...row, slugs: [`more-${n}`] }))
  const send = async (ours: { importId: string }) => {
    await partners(rows.slice(0, 3), ALL, ours)
    await partners(rows.slice(3), ALL, ours)
    await customers(customerRows(4, 'p0@partner.example'), ours)
    await customers(customerRows(5, 'p0@partner.example').slice(4), ours)
  }
  const [first, second] = [newImport(), newImport()]
  await send(first)
  const made = await present(database, merchant)
  await send(second)

  const preview = await undo(first.importId, { dryRun: true })
  expect(preview.body).toMatchObject({
    undone: { partners: 0, customers: 0, openingBalances: { count: 0 }, mails: 0 },
    kept: expect.arrayContaining([named('partner', 5), named('customer', 5)]),
  })
  // Its customers are seen before what names it.
  expect(preview.body.kept).toContainEqual({ kind: 'partner', code: 'has_customers', count: 1 })
  expect(preview.body.rows.find(({ code }) => code === 'named_later')?.message).toBe(
    'A later import names it. Undo that one first.',
  )
  expect((await undo(first.importId)).body).toEqual(preview.body)
  expect(await present(database, merchant)).toEqual(made)

  expect((await undo(second.importId)).body).toMatchObject({
    undone: { partners: 0, customers: 0, openingBalances: { count: 0 } },
    kept: [],
  })
  expect(await present(database, merchant)).toEqual(made)
  expect((await undo(first.importId)).body).toMatchObject({
    undone: { partners: 6, customers: 5, openingBalances: { count: 6 }, mails: 6 },
    kept: [],
  })
  expect(await present(database, merchant)).toEqual(before)
  expect(await database.violations(merchant.workspace.id)).toEqual([])
})

test('in the order second, first, all goes at once', async () => {
  const { merchant, partners, customers, undo } = await createUndoing()
  const before = await present(database, merchant)
  const [first, second] = [newImport(), newImport()]
  for (const ours of [first, second]) {
    await partners(partnerRows(3), ALL, ours)
    await customers(customerRows(3, 'p0@partner.example'), ours)
  }
  await undo(second.importId)
  expect((await undo(first.importId)).body).toMatchObject({
    undone: { partners: 3, customers: 3 },
    kept: [],
  })
  expect(await present(database, merchant)).toEqual(before)
})

test('of a corrected file, what it names stays, and the rest goes', async () => {
  const { merchant, partners, customers, undo } = await createUndoing()
  const first = newImport()
  await partners(partnerRows(4), ALL, first)
  await customers(customerRows(4, LEO), first)
  // Without an importId, each call is an import of its own.
  await partners([...partnerRows(4).slice(2), { email: 'new@partner.example' }])
  await customers(customerRows(4, LEO).slice(3))
  expect((await undo(first.importId)).body).toMatchObject({
    undone: { partners: 2, customers: 3, openingBalances: { count: 2 } },
    kept: expect.arrayContaining([named('partner', 2), named('customer', 1)]),
  })
  const { partners: there, owed, customers: mine } = await present(database, merchant)
  expect(there.map(({ slug }) => slug)).toEqual(['maya', 'leo', 'p-2', 'p-3', 'new'])
  expect(owed).toMatchObject([{ cents: 1_002 }, { cents: 1_003 }])
  expect(mine.map(({ external_id }) => external_id)).toEqual(['cus_3'])
})

test('calls of one import that name the same rows don’t keep them', async () => {
  const { merchant, partners, customers, undo } = await createUndoing()
  const before = await present(database, merchant)
  const ours = newImport()
  await partners(partnerRows(3), ALL, ours)
  await partners([...partnerRows(3), { email: 'more@partner.example' }], ALL, ours)
  await customers(customerRows(2, 'p0@partner.example'), ours)
  await customers(customerRows(3, 'p0@partner.example'), ours)
  const undone = { partners: 4, customers: 3, openingBalances: { count: 3 } }
  expect((await undo(ours.importId, { dryRun: true })).body).toMatchObject({ undone, kept: [] })
  expect((await undo(ours.importId)).body).toMatchObject({ undone, kept: [] })
  expect(await present(database, merchant)).toEqual(before)
})

test.each([
  {
    case: 'whose row has no change for it',
    email: 'p0@partner.example',
    row: { slug: 'other', couponId: 'OTHER' },
  },
  { case: 'whose row has a former address of it', email: 'old@partner.example', row: {} },
  {
    case: 'that a manager has changed, whatever the option says',
    email: 'p0@partner.example',
    row: {},
  },
])('a later import keeps a partner $case', async ({ email, row }) => {
  const { merchant, partners, undo } = await createUndoing()
  const ours = newImport()
  await partners([{ email: 'old@partner.example', slug: 'p-0' }], {}, ours)
  const id = (await present(database, merchant)).partners.at(-1)?.id
  const manager = await merchant.asManager()
  await manager.patch(`/partners/${id}`, { email: 'p0@partner.example', name: 'New' })
  const { body } = await partners([{ email, ...row }])
  expect(body.summary).toMatchObject({ created: 0, skippedExisting: 1 })
  const { body: undone } = await undo(ours.importId, { includeChanged: true })
  expect(undone).toMatchObject({ undone: { partners: 0 }, kept: [named('partner', 1)] })
})

describe('nothing is kept', () => {
  test('by a row that was refused, or a dry run', async () => {
    const { partners, customers, undo } = await createUndoing()
    const ours = newImport()
    await partners(partnerRows(1), {}, ours)
    await customers([{ customerExternalId: 'cus_1', partnerEmail: LEO }], ours)
    const answers = [
      await partners([{ email: 'p0@partner.example', slug: 'x'.repeat(300) }]),
      await customers([{ customerExternalId: 'cus_1', partnerEmail: 'nobody@partner.example' }]),
      await partners(partnerRows(1), { dryRun: true }),
      await customers([{ customerExternalId: 'cus_1', partnerEmail: LEO }], {
        options: { dryRun: true },
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
      kept: [],
    })
  })

  test('by the slug or coupon of another partner’s row', async () => {
    const { partners, undo } = await createUndoing()
    const ours = newImport()
    await partners(partnerRows(1), {}, ours)
    await partners([{ ...partnerRows(1)[0], email: 'other@partner.example' }])
    expect((await undo(ours.importId)).body).toMatchObject({ undone: { partners: 1 }, kept: [] })
  })

  test('by an import that named a customer before it was changed', async () => {
    const { merchant, customers, undo } = await createUndoing()
    const [first, second, third] = [newImport(), newImport(), newImport()]
    const row = { customerExternalId: 'cus_1', customerEmail: 'a@x.example' }
    await customers([{ ...row, partnerEmail: MAYA }], first)
    const before = await present(database, merchant)
    await customers([{ ...row, partnerEmail: MAYA }], second)
    await customers([{ ...row, partnerEmail: LEO }], third)
    expect((await undo(third.importId)).body).toMatchObject({ undone: { customers: 1 }, kept: [] })
    expect(await present(database, merchant)).toEqual(before)
    expect((await undo(first.importId)).body.kept).toEqual([named('customer', 1)])
  })
})

test('a customer whom a later import names stays with the partner that the earlier one gave it', async () => {
  const { merchant, customers, undo } = await createUndoing()
  const row = { customerExternalId: 'cus_1', customerEmail: 'a@x.example' }
  await customers([{ ...row, partnerEmail: MAYA }])
  const before = await present(database, merchant)
  const [first, second] = [newImport(), newImport()]
  await customers([{ ...row, customerEmail: 'b@x.example', partnerEmail: LEO }], first)
  const moved = await present(database, merchant)
  // It names another partner, and leaves the customer with the one that it has.
  const { body } = await customers([{ ...row, partnerEmail: MAYA }], {
    ...second,
    options: { keepOwners: true },
  })
  expect(body.results).toMatchObject([{ status: 'unchanged', code: 'customer_owned' }])
  expect((await undo(first.importId)).body.kept).toEqual([named('customer', 1)])
  expect(await present(database, merchant)).toEqual(moved)
  await undo(second.importId)
  expect((await undo(first.importId)).body.undone.customers).toBe(1)
  expect(await present(database, merchant)).toEqual(before)
})

test('a partner whom a later import names as that of a customer stays while the customer is its own', async () => {
  const { partners, customers, undo } = await createUndoing()
  const [first, second] = [newImport(), newImport()]
  await customers([{ customerExternalId: 'cus_1', partnerEmail: LEO }])
  await partners(partnerRows(2), {}, first)
  await customers([{ customerExternalId: 'cus_2', partnerEmail: 'p0@partner.example' }], second)
  // This row leaves the customer with Leo, and needs no other partner.
  const row = { customerExternalId: 'cus_1', partnerEmail: 'p1@partner.example' }
  await customers([row], { options: { keepOwners: true } })
  expect((await undo(first.importId)).body).toMatchObject({
    undone: { partners: 1 },
    kept: [{ kind: 'partner', code: 'has_customers', count: 1 }],
  })
  await undo(second.importId)
  expect((await undo(first.importId)).body).toMatchObject({ undone: { partners: 2 }, kept: [] })
})

test.each(['assigns', 'finds'])(
  'a partner stays while a later import %s a customer as its own, also if a third one has moved the customer since',
  async (how) => {
    const { merchant, partners, customers, undo } = await createUndoing()
    const [first, second, third] = [newImport(), newImport(), newImport()]
    const row = { customerExternalId: 'cus_1', partnerEmail: 'p0@partner.example' }
    await partners(partnerRows(1), {}, first)
    if (how === 'finds') await customers([row], first)
    await customers([row], second)
    const before = await present(database, merchant)
    await customers([{ ...row, partnerEmail: LEO }], third)
    expect((await undo(first.importId)).body.kept).toContainEqual(named('partner', 1))
    await undo(third.importId)
    expect(await present(database, merchant)).toEqual(before)
    await undo(second.importId)
    expect((await undo(first.importId)).body).toMatchObject({ undone: { partners: 1 }, kept: [] })
  },
)

test('the opening balance of a partner who existed stays while a later import names one for it', async () => {
  const { merchant, partners, undo } = await createUndoing()
  await partners(partnerRows(2))
  const before = await present(database, merchant)
  const [first, second, third] = [newImport(), newImport(), newImport()]
  await partners(partnerRows(2), { importOpeningBalances: true, completeExisting: true }, first)
  const made = await present(database, merchant)
  await partners([{ email: 'p0@partner.example', openingBalanceCents: 7 }], ALL, second)
  // This one imports no balances.
  await partners(partnerRows(2), {}, third)

  const kept = [named('opening_balance', 1)]
  const preview = await undo(first.importId, { dryRun: true })
  expect(preview.body).toMatchObject({ undone: { openingBalances: { count: 1 } }, kept })
  expect(preview.body.rows).toMatchObject([{ partnerEmail: 'p0@partner.example' }])
  expect((await undo(first.importId)).body).toMatchObject({
    undone: { openingBalances: { count: 1 } },
    kept,
  })
  const { owed } = await present(database, merchant)
  expect(owed).toEqual(made.owed.slice(0, 1))
  await undo(second.importId)
  expect((await undo(first.importId)).body).toMatchObject({
    undone: { openingBalances: { count: 2 } },
    kept: [],
  })
  expect(await present(database, merchant)).toEqual(before)
  expect(await database.violations(merchant.workspace.id)).toEqual([])
})

test('a call that is repeated gets its first answer, and what that one names is there', async () => {
  const { merchant, partners, customers, undo } = await createUndoing()
  const [first, second] = [newImport(), newImport()]
  for (const ours of [first, second]) {
    await partners(partnerRows(2), ALL, ours)
    await customers(customerRows(2, LEO), ours)
  }
  await undo(first.importId)
  const made = await present(database, merchant)
  const repeats = [
    await partners(partnerRows(2), ALL, second),
    await customers(customerRows(2, LEO), second),
  ]
  expect(repeats.map(({ headers }) => headers.get('Idempotent-Replayed'))).toEqual(['true', 'true'])
  expect(repeats[0]?.body.summary).toMatchObject({ skippedExisting: 2 })
  expect(repeats[1]?.body.summary).toMatchObject({ unchanged: 2 })
  expect(made.partners).toHaveLength(4)
  expect(made.customers).toHaveLength(2)
})

test('what is later is what was saved later, whatever the clock of a Worker says', async () => {
  const { merchant, customers, undo } = await createUndoing()
  const ours = newImport()
  await customers(customerRows(1, LEO), ours)
  const [customer] = (await present(database, merchant)).customers
  const id = '018f0000-0000-7000-8000-'.concat(crypto.randomUUID().slice(-12))
  await database.query(
    `with entry as (
       insert into audit_entries (id, workspace_id, actor, action, details, created_at)
       values ($1, $2, 'x@x.example', 'customers.imported', '{"rows": 1, "unchanged": 1, "errors": 0}', now() - interval '1 day'))
     insert into import_calls (audit_id, workspace_id, import_id, hash, answer, named)
     values ($1, $2, $1, '', '{"results": []}', array[$3::uuid])`,
    [id, merchant.workspace.id, customer?.id],
  )
  expect((await undo(ours.importId)).body.kept).toEqual([named('customer', 1)])
})
