/** A second import gives partners who exist the opening balance that the first one left out. */
import { expect, test } from 'vitest'
import { createWithLeo, importCounts, importer, LEO } from '../support/imports.ts'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'

const database = useDatabase()

const COMPLETE = { importOpeningBalances: true, completeExisting: true }
const ANN = 'ann@partner.example'

/** The opening balances of a merchant's partners, by address. */
const balancesOf = async ({ workspace }: Merchant) => {
  const rows = await database.query<{ email: string; cents: number }>(
    `select p.email, c.amount_cents::int as cents from commissions c join partners p on p.id = c.partner_id
     where c.workspace_id = $1 and c.kind = 'opening_balance' order by p.email`,
    [workspace.id],
  )
  return Object.fromEntries(rows.map(({ email, cents }) => [email, cents]))
}

test('who exists and never had an opening balance gets it, once, beside new partners', async () => {
  const { merchant, partners } = await createWithLeo()
  await partners([{ email: ANN, openingBalanceCents: 700 }], { importOpeningBalances: true })
  const rows = [
    { email: LEO, openingBalanceCents: 500 },
    { email: ANN, openingBalanceCents: 900 },
    { email: 'new@partner.example', openingBalanceCents: 300 },
    { email: 'maya@partner.example' },
  ]
  const dry = await partners(rows, { ...COMPLETE, dryRun: true })
  expect(await balancesOf(merchant)).toEqual({ [ANN]: 700 })
  const { body } = await partners(rows, COMPLETE)
  expect(body.results.map(({ status }) => status)).toEqual([
    'completed',
    'skipped_existing',
    'created',
    'skipped_existing',
  ])
  expect(dry.body).toEqual(body)
  expect(body.summary).toMatchObject({ created: 1, completed: 1, skippedExisting: 2 })
  const balances = { [ANN]: 700, [LEO]: 500, 'new@partner.example': 300 }
  expect(await balancesOf(merchant)).toEqual(balances)

  const again = await partners(rows, COMPLETE)
  expect(again.body.summary).toMatchObject({ created: 0, completed: 0, skippedExisting: 4 })
  expect(await balancesOf(merchant)).toEqual(balances)
})

test.each([
  { case: 'by default', options: { importOpeningBalances: true } },
  { case: 'without balances', options: { completeExisting: true } },
])('$case, who exists is left alone', async ({ options }) => {
  const { merchant, partners } = await createWithLeo()
  const { body } = await partners([{ email: LEO, openingBalanceCents: 500 }], options)
  expect(body.results).toMatchObject([{ status: 'skipped_existing' }])
  expect(await balancesOf(merchant)).toEqual({})
})

test('a balance goes to the partner of its address, whose slug became another partner’s since the read', async () => {
  const { merchant, partners } = await createWithLeo()
  await partners([{ email: ANN, slug: 'ann' }])
  const moved = `
    select pg_advisory_xact_lock(hashtextextended('partners.import ${merchant.workspace.id}', 0));
    update partners set slug = 'lion', slug_key = 'lion' where program_id = '${merchant.programId}' and slug_key = 'leo';
    update partners set slug = 'leo', slug_key = 'leo' where program_id = '${merchant.programId}' and slug_key = 'ann'`
  const { body } = await database.whileUncommitted(moved, [], () =>
    partners([{ email: LEO, openingBalanceCents: 500 }], COMPLETE),
  )
  expect(body.results).toMatchObject([{ status: 'completed', slug: 'lion' }])
  expect(await balancesOf(merchant)).toEqual({ [LEO]: 500 })
})

test('a banned partner gets nothing', async () => {
  const { merchant, partners } = await createWithLeo()
  await database.query(
    "update partners set status = 'banned' where workspace_id = $1 and email = $2",
    [merchant.workspace.id, LEO],
  )
  const { body } = await partners([{ email: LEO, openingBalanceCents: 500 }], COMPLETE)
  expect(body.results).toMatchObject([{ status: 'skipped_existing' }])
  expect(await balancesOf(merchant)).toEqual({})
})

test('a partner is found by the address that it had, and two rows of it give it one balance', async () => {
  const { merchant, partners } = await createWithLeo()
  const [leo] = await database.query<{ id: string }>(
    'select id from partners where workspace_id = $1 and email = $2',
    [merchant.workspace.id, LEO],
  )
  const manager = await merchant.asManager()
  const changed = await manager.patch(`/partners/${leo?.id}`, { email: 'leo-new@partner.example' })
  expect(changed.status).toBe(200)
  const { body } = await partners(
    [
      { email: LEO, openingBalanceCents: 500 },
      { email: 'leo-new@partner.example', openingBalanceCents: 600 },
    ],
    COMPLETE,
  )
  expect(body.results.map(({ status }) => status)).toEqual(['completed', 'skipped_existing'])
  expect(await balancesOf(merchant)).toEqual({ 'leo-new@partner.example': 500 })
})

test('copies at once give one balance, and one of them says that it did', async () => {
  const { merchant, partners } = await createWithLeo()
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => partners([{ email: LEO, openingBalanceCents: 500 }], COMPLETE)),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200))
  expect(answers.filter(({ body }) => body.summary.completed === 1)).toHaveLength(1)
  expect(await balancesOf(merchant)).toEqual({ [LEO]: 500 })
})

test('a repeated call gets the first answer', async () => {
  const { merchant, partners } = await createWithLeo()
  const ours = { importId: crypto.randomUUID() }
  const row = { email: LEO, openingBalanceCents: 500 }
  const first = await partners([row], COMPLETE, ours)
  expect((await partners([row], COMPLETE, ours)).body).toEqual(first.body)
  expect(await importCounts(database, merchant)).toMatchObject({ balances: 1 })
})

test('what another program owes too is warned about, and the audit log and the other managers learn the sum', async () => {
  const merchant = await createMerchant()
  const second = await merchant.seed.addProgram(merchant.workspace.id)
  await merchant.seed.addMember(merchant.workspace.id, 'other@shop.example', 'manager')
  const { partners } = await importer(merchant)
  const row = { email: ANN, openingBalanceCents: 700 }
  await partners([row], { importOpeningBalances: true }, { programId: second })
  await partners([row])
  expect((await partners([row], { importOpeningBalances: true })).body.warnings).toBe(undefined)
  const { body } = await partners([{ ...row, openingBalanceCents: 900 }], COMPLETE)
  expect(body.warnings).toMatchObject([
    { code: 'balance_in_another_program', count: 1, amountCents: 700 },
  ])
  const [entry] = await database.query(
    `select details #> '{openingBalances,sums}' as sums, (details ->> 'completed')::int as completed from audit_entries
     where workspace_id = $1 and action = 'partners.imported' order by id desc limit 1`,
    [merchant.workspace.id],
  )
  expect(entry).toEqual({ sums: [{ currency: 'USD', amountCents: 900 }], completed: 1 })
  const mails = await database.query(
    `select (details ->> 'amountCents')::int as cents from mails
     where workspace_id = $1 and kind = 'opening_balances' order by details ->> 'programName', id`,
    [merchant.workspace.id],
  )
  expect(mails).toContainEqual({ cents: 900 })
})
