/**
 * What a row of an import brings along beside its partner: a mail, a balance, a coupon. Spec,
 * section 4.3.
 */
import { describe, expect, inject, test } from 'vitest'
import { importCounts, importer } from '../support/imports.ts'
import { createMerchant, useDatabase } from '../support/merchant.ts'

const database = useDatabase()

test.each([
  {
    case: 'is true, each partner gets a "we’ve moved" email with their link and the portal address',
    on: true,
  },
  { case: 'is left out, nobody is mailed', on: undefined },
  { case: 'is null, nobody is mailed', on: null },
])('rule 4: when sendWelcomeEmail $case', async ({ on }) => {
  const merchant = await createMerchant({ program: { site_url: 'https://shop.example/?plan=pro' } })
  const { partners } = await importer(merchant)
  await partners([{ email: 'ann@partner.example', name: 'Ann', slug: 'ann b' }], {
    sendWelcomeEmail: on,
  })
  const mails = await database.query(
    `select m.kind, m.recipient, m.details, m.attempts, m.next_attempt_at = m.created_at as due, p.email
     from mails m join partners p on p.id = m.partner_id where m.workspace_id = $1`,
    [merchant.workspace.id],
  )
  const mail = {
    kind: 'moved',
    recipient: 'ann@partner.example',
    email: 'ann@partner.example',
    due: true,
    details: {
      partnerName: 'Ann',
      programName: 'A program',
      link: 'https://shop.example/?plan=pro&via=ann+b',
      portalUrl: `${inject('baseUrl')}/portal`,
    },
  }
  expect(mails).toMatchObject(on ? [mail] : [])
  expect(mails).toHaveLength(on ? 1 : 0)
})

test('rule 5: when importOpeningBalances is true, each row’s openingBalanceCents becomes an immediately-payable commission in USD', async () => {
  const merchant = await createMerchant()
  const { partners } = await importer(merchant)
  const rows = [
    { email: 'a@partner.example', openingBalanceCents: 812_000 },
    { email: 'b@partner.example', openingBalanceCents: 0 },
    { email: 'c@partner.example' },
    { email: 'd@partner.example', openingBalanceCents: 99_999_999_999_999 },
  ]
  const { body } = await partners(rows, { importOpeningBalances: true })
  expect(body.summary.created).toBe(4)
  const commissions = await database.query(
    `select p.email, c.kind, c.amount_cents::text as cents, c.currency, c.customer_id, c.event_id,
            c.reward_id, c.program_id, c.payable_at = c.created_at as "payableAtOnce", c.payable_at <= now() as payable
     from commissions c join partners p on p.id = c.partner_id where c.workspace_id = $1 order by p.email`,
    [merchant.workspace.id],
  )
  const balance = {
    kind: 'opening_balance',
    currency: 'USD',
    customer_id: null,
    event_id: null,
    reward_id: null,
    program_id: merchant.programId,
    payableAtOnce: true,
    payable: true,
  }
  expect(commissions).toEqual([
    { ...balance, email: 'a@partner.example', cents: '812000' },
    { ...balance, email: 'd@partner.example', cents: '99999999999999' },
  ])
})

test('rule 5: without importOpeningBalances, balances are ignored, even invalid ones', async () => {
  const merchant = await createMerchant()
  const { partners } = await importer(merchant)
  const { body } = await partners([
    { email: 'a@partner.example', openingBalanceCents: 500 },
    { email: 'b@partner.example', openingBalanceCents: 'a lot' },
  ])
  expect(body.summary.created).toBe(2)
  expect(await importCounts(database, merchant)).toMatchObject({ balances: 0 })
})

test.each([undefined, null, {}, { sendWelcomeEmail: null, importOpeningBalances: null }])(
  'rule 7: options default to false: %j sends no mail and creates no balance',
  async (options) => {
    const merchant = await createMerchant()
    const { partners } = await importer(merchant)
    const row = { email: 'a@partner.example', openingBalanceCents: 500 }
    const { body } = await partners([row], {}, { options })
    expect(body.summary.created).toBe(1)
    expect(await importCounts(database, merchant)).toMatchObject({
      partners: 1,
      mails: 0,
      balances: 0,
    })
  },
)

test('a later file’s coupon of a partner who exists is not added, and named', async () => {
  const { partners } = await importer(await createMerchant())
  await partners([
    { email: 'a@partner.example', couponId: 'OWN' },
    { email: 'b@partner.example', couponId: 'THEIRS' },
  ])
  const { body } = await partners([
    { email: 'a@partner.example', couponId: 'OWN' },
    { email: 'a@partner.example', couponId: 'NEW' },
    { email: 'a@partner.example', couponId: 'THEIRS' },
    { email: 'c@partner.example' },
  ])
  expect(body.results.map(({ status, code }) => [status, code])).toEqual([
    ['skipped_existing', undefined],
    ['skipped_existing', 'coupon_not_added'],
    ['skipped_existing', 'coupon_taken'],
    ['created', undefined],
  ])
})

test('section 2: couponId is aliased to the partner, and never moves from one to another', async () => {
  const merchant = await createMerchant()
  const { partners } = await importer(merchant)
  await partners([{ email: 'a@partner.example', couponId: 'TAKEN' }])
  const { body } = await partners([
    { email: 'b@partner.example', couponId: 'TAKEN' },
    { email: 'c@partner.example', couponId: 'TWICE', couponLabel: 'Twice' },
    { email: 'd@partner.example', couponId: 'TWICE' },
    { email: 'e@partner.example', couponLabel: 'A label alone' },
  ])
  expect(body.summary).toMatchObject({ created: 4, couponsMapped: 1 })
  expect(body.results).toMatchObject([
    { status: 'created', couponMapped: false, code: 'coupon_taken', message: expect.any(String) },
    { status: 'created', couponMapped: true },
    { status: 'created', couponMapped: false, code: 'coupon_taken' },
    { status: 'created', couponMapped: false },
  ])
  const aliases = await database.query(
    `select p.email, c.coupon_id, c.label from coupon_aliases c join partners p on p.id = c.partner_id
     where c.workspace_id = $1 order by 1`,
    [merchant.workspace.id],
  )
  expect(aliases).toEqual([
    { email: 'a@partner.example', coupon_id: 'TAKEN', label: null },
    { email: 'c@partner.example', coupon_id: 'TWICE', label: 'Twice' },
  ])
})

describe('opening balances imported into the wrong program, then into the right one, are owed twice', () => {
  const rows = [
    { email: 'ann@partner.example', openingBalanceCents: 120_000 },
    { email: 'Bob@Partner.example', openingBalanceCents: 50 },
    { email: 'new@partner.example', openingBalanceCents: 7 },
    { email: 'none@partner.example' },
  ]
  const options = { importOpeningBalances: true }
  const warning = {
    code: 'balance_in_another_program',
    count: 2,
    amountCents: 120_050,
    currency: 'USD',
    message: expect.stringContaining(
      '2 partners have opening balances in other programs of this workspace too',
    ),
  }

  /** A merchant who imported two of the rows into the wrong program. */
  const createMistaken = async () => {
    const merchant = await createMerchant()
    const wrong = await merchant.seed.addProgram(merchant.workspace.id)
    const { partners } = await importer(merchant)
    const first = await partners([...rows.slice(0, 2), rows[3]], options, { programId: wrong })
    expect(first.body).not.toHaveProperty('warnings')
    return { merchant, wrong, partners }
  }

  test('the dry run, the import and its repeat warn with their number and sum, and block nothing', async () => {
    const { merchant, partners } = await createMistaken()
    for (const [dryRun, created] of [
      [true, 4],
      [false, 4],
      [false, 0],
    ] as const) {
      const { status, body } = await partners(rows, { ...options, dryRun })
      expect({ status, ...body }).toMatchObject({
        status: 200,
        summary: { created },
        warnings: [warning],
      })
    }
    expect(await importCounts(database, merchant)).toMatchObject({ balances: 5 })
  })

  test('several other programs count together', async () => {
    const { merchant, partners } = await createMistaken()
    await partners(rows, options, {
      programId: await merchant.seed.addProgram(merchant.workspace.id),
    })
    const { body } = await partners(rows, { ...options, dryRun: true })
    expect(body.warnings).toMatchObject([{ count: 3, amountCents: 2 * 120_050 + 7 }])
  })

  test.each([
    { case: 'balances are not imported', options: {} },
    { case: 'the rows have none', changes: { openingBalanceCents: 0 } },
  ])('no warning if $case', async ({ options: chosen = options, changes = {} }) => {
    const { partners } = await createMistaken()
    const { body } = await partners(
      rows.map((row) => ({ ...row, ...changes })),
      { ...chosen, dryRun: true },
    )
    expect(body).not.toHaveProperty('warnings')
  })

  test('no warning for a partner who exists without a balance, and so gets none', async () => {
    const { partners } = await createMistaken()
    await partners([{ email: 'ann@partner.example' }])
    const { body } = await partners(rows, { ...options, dryRun: true })
    expect(body.warnings).toMatchObject([{ count: 1, amountCents: 50 }])
  })

  test('no warning for a balance in another workspace', async () => {
    await createMistaken()
    const { partners } = await importer(await createMerchant())
    expect((await partners(rows, options)).body).not.toHaveProperty('warnings')
  })
})
