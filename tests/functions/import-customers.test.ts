import { describe, expect, test } from 'vitest'
import {
  createWithLeo,
  customersOf as customersIn,
  everything,
  LEO,
  MAYA,
} from '../support/imports.ts'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'

const database = useDatabase()
const customersOf = (merchant: Merchant) => customersIn(database, merchant)

describe('spec 4.4: POST /api/workspaces/<workspace>/customers/import', () => {
  test('imports customer-to-partner mappings, by payment-processor id and by email address', async () => {
    const { merchant, customers } = await createWithLeo()
    const { status, body } = await customers([
      {
        customerExternalId: 'cus_1',
        customerEmail: ' Ann@X.example',
        partnerEmail: ' Maya@Partner.example ',
      },
      {
        customerExternalId: ' Bob@X.example ',
        partnerEmail: LEO,
        unknown: 'ignored',
        customerEmail: null,
      },
      {
        customerExternalId: 'cus_3',
        customerEmail: '',
        partnerEmail: LEO,
        startedAt: '',
        programId: null,
      },
    ])
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        summary: { created: 3, updated: 0, moved: 0, unchanged: 0, errors: 0 },
        results: [
          { customerExternalId: 'cus_1', partnerEmail: MAYA, status: 'created' },
          { customerExternalId: 'Bob@X.example', partnerEmail: LEO, status: 'created' },
          { customerExternalId: 'cus_3', partnerEmail: LEO, status: 'created' },
        ],
      },
    })
    expect(await customersOf(merchant)).toMatchObject([
      { id: 'Bob@X.example', email: 'bob@x.example', partner: LEO, imported: true },
      { id: 'cus_1', email: 'ann@x.example', partner: MAYA, imported: true },
      { id: 'cus_3', email: null, partner: LEO, imported: true },
    ])
  })

  test('rule 1: mappings are upserts: re-running updates the partner in place', async () => {
    const { merchant, customers } = await createWithLeo()
    const row = { customerExternalId: 'cus_1', customerEmail: 'ann@x.example', partnerEmail: MAYA }
    await customers([row])
    const before = await everything(database, merchant)

    const same = await customers([row, { ...row, customerEmail: undefined }])
    expect(same.body.summary).toEqual({ created: 0, updated: 0, moved: 0, unchanged: 2, errors: 0 })
    expect((await everything(database, merchant)).customers).toEqual(before.customers)

    const moved = await customers([{ customerExternalId: 'cus_1', partnerEmail: LEO }])
    expect(moved.body.results).toEqual([
      { customerExternalId: 'cus_1', partnerEmail: LEO, status: 'updated', ownerEmail: MAYA },
    ])
    expect(await customersOf(merchant)).toMatchObject([
      { id: 'cus_1', email: 'ann@x.example', partner: LEO },
    ])
  })

  test('rule 1: a mapping overrides a referral by click, also under first-touch attribution', async () => {
    const { merchant, customers } = await createWithLeo({
      program: { attribution: 'first', attribute_known_customers: true },
    })
    await merchant.lead({ externalId: 'user_1', clickId: await merchant.click('maya') })
    const { body } = await customers([{ customerExternalId: 'user_1', partnerEmail: LEO }])
    expect(body.summary.moved).toBe(1)
    const renewal = await merchant.sale({ externalId: 'renewal' })
    expect(await merchant.explain(renewal.body.eventId)).toMatchObject({ partner: { slug: 'leo' } })
  })

  test('rule 1: of several rows for a customer, the last one wins', async () => {
    const { merchant, customers } = await createWithLeo()
    const { body } = await customers([
      { customerExternalId: 'cus_1', partnerEmail: MAYA, customerEmail: 'ann@x.example' },
      { customerExternalId: 'cus_1', partnerEmail: LEO },
      { customerExternalId: 'cus_1', partnerEmail: LEO },
    ])
    expect(body.results.map(({ status }) => status)).toEqual(['created', 'updated', 'unchanged'])
    expect(await customersOf(merchant)).toMatchObject([{ email: 'ann@x.example', partner: LEO }])
  })

  test('rule 2: a row whose partnerEmail matches no partner in the workspace returns partner_not_found', async () => {
    const { merchant, customers } = await createWithLeo()
    const stranger = await createMerchant()
    await stranger.seed.addPartner(stranger.workspace.id, stranger.programId, { slug: 'theirs' })
    const row = { customerExternalId: 'cus_1', partnerEmail: 'theirs@partner.example' }
    const { status, body } = await customers([
      row,
      { customerExternalId: 'cus_2', partnerEmail: MAYA },
    ])
    expect(status).toBe(200)
    expect(body.summary).toEqual({ created: 1, updated: 0, moved: 0, unchanged: 0, errors: 1 })
    expect(body.results[0]).toEqual({
      ...row,
      status: 'partner_not_found',
      code: 'partner_not_found',
      message: expect.any(String),
    })
    expect(await customersOf(merchant)).toMatchObject([{ id: 'cus_2' }])
  })

  test('rule 2: partners are imported first, and then found', async () => {
    const { partners, customers } = await createWithLeo()
    await partners([{ email: 'new@partner.example' }])
    const { body } = await customers([
      { customerExternalId: 'cus_1', partnerEmail: 'New@Partner.example' },
    ])
    expect(body.summary.created).toBe(1)
  })

  test('rule 3: mappings affect only future renewals and create no commissions for past invoices', async () => {
    const { merchant, customers } = await createWithLeo({
      program: { attribute_known_customers: true },
    })
    await merchant.sale({ externalId: 'past', clickId: await merchant.click('maya') })
    const before = await everything(database, merchant)
    await customers([{ customerExternalId: 'user_1', partnerEmail: LEO, startedAt: '2024-01-31' }])
    expect((await everything(database, merchant)).commissions).toEqual(before.commissions)
    expect(await merchant.explainReport('sale', 'past')).toMatchObject({
      partner: { slug: 'maya' },
    })

    const renewal = await merchant.sale({ externalId: 'renewal' })
    expect(await merchant.explain(renewal.body.eventId)).toMatchObject({
      partner: { slug: 'leo' },
      commission: { amountCents: 980 },
    })
  })

  test.each(['cus_1', 'Bob@X.example'])(
    'rule 4: a renewal is matched by the customer’s id at the payment processor, to the letter: %s',
    async (customerExternalId) => {
      const { merchant, customers } = await createWithLeo({
        program: { attribute_known_customers: true },
      })
      await customers([{ customerExternalId, partnerEmail: LEO }])
      const renewal = await merchant.sale({ externalId: 'renewal', customerExternalId })
      expect(await merchant.explain(renewal.body.eventId)).toMatchObject({
        partner: { slug: 'leo' },
      })
      const other = await merchant.sale({
        externalId: 'other',
        customerExternalId: `${customerExternalId}0`,
      })
      expect(other.body.attributed).toBe(false)

      // Whoever is known by a report is moved, and not made twice.
      await merchant.lead({ externalId: 'user_1', clickId: await merchant.click('maya') })
      const { body } = await customers([{ customerExternalId: 'user_1', partnerEmail: LEO }])
      expect(body.summary).toMatchObject({ created: 0, updated: 1, moved: 1 })
    },
  )

  test('an email address of two programs’ partners needs programId, of the call or of the row', async () => {
    const { merchant, customers } = await createWithLeo()
    const second = await merchant.seed.addProgram(merchant.workspace.id)
    await merchant.seed.addPartner(merchant.workspace.id, second, { slug: 'leo' })
    const other = await createMerchant()
    const rows = [
      { customerExternalId: 'cus_1', partnerEmail: LEO },
      { customerExternalId: 'cus_2', partnerEmail: LEO, programId: second.toUpperCase() },
      { customerExternalId: 'cus_3', partnerEmail: MAYA, programId: second },
      { customerExternalId: 'cus_4', partnerEmail: LEO, programId: other.programId },
      { customerExternalId: 'cus_5', partnerEmail: LEO, programId: 'x' },
    ]
    const codesOf = ({ body }: Awaited<ReturnType<typeof customers>>) =>
      body.results.map(({ status, code }) => code ?? status)
    const rest = ['created', 'partner_not_found', 'program_not_found', 'program_not_found']
    expect(codesOf(await customers(rows))).toEqual(['partner_ambiguous', ...rest])
    const more = { programId: merchant.programId }
    expect(codesOf(await customers(rows, more))).toEqual(['created', 'unchanged', ...rest.slice(1)])
    expect(await customersOf(merchant)).toHaveLength(2)
  })

  test('an invalid row returns an error; the others are imported', async () => {
    const { merchant, customers } = await createWithLeo()
    const { status, body } = await customers([
      { partnerEmail: MAYA },
      { customerExternalId: 'a', partnerEmail: MAYA },
      'cus_1',
      { customerExternalId: 'b', partnerEmail: MAYA, startedAt: '9999-12-31' },
    ])
    expect(status).toBe(200)
    expect(body.summary).toEqual({ created: 1, updated: 0, moved: 0, unchanged: 0, errors: 3 })
    const bad = (customerExternalId: string, partnerEmail: string, code: string) => ({
      customerExternalId,
      partnerEmail,
      status: 'error',
      code,
      message: expect.any(String),
    })
    expect(body.results).toEqual([
      bad('', MAYA, 'customer_id_invalid'),
      { customerExternalId: 'a', partnerEmail: MAYA, status: 'created' },
      bad('', '', 'customer_id_invalid'),
      bad('b', MAYA, 'started_at_invalid'),
    ])
    expect(await customersOf(merchant)).toMatchObject([{ id: 'a' }])
  })

  test('dryRun returns the same response and changes nothing', async () => {
    const { merchant, customers } = await createWithLeo()
    await customers([{ customerExternalId: 'old', partnerEmail: MAYA }])
    const rows = [
      { customerExternalId: 'new', partnerEmail: MAYA },
      { customerExternalId: 'old', partnerEmail: LEO },
      { customerExternalId: 'old', partnerEmail: LEO },
      { customerExternalId: 'x', partnerEmail: 'nobody@partner.example' },
      { customerExternalId: '' },
    ]
    const before = await everything(database, merchant)
    const dry = await customers(rows, { options: { dryRun: true } })
    expect(await everything(database, merchant)).toEqual(before)
    expect(dry.body).toEqual((await customers(rows, { options: null })).body)
    expect(dry.body.summary).toEqual({ created: 1, updated: 1, moved: 1, unchanged: 1, errors: 2 })
  })

  test('a customer who changes partners is updated, also from another program, and says from whom', async () => {
    const { merchant, customers } = await createWithLeo()
    const second = await merchant.seed.addProgram(merchant.workspace.id)
    await merchant.seed.addPartner(merchant.workspace.id, second, { slug: 'zoe' })
    const zoe = 'zoe@partner.example'
    await merchant.lead({ externalId: 'user_1', clickId: await merchant.click('maya') })
    await customers([{ customerExternalId: 'cus_2', partnerEmail: LEO }])
    const rows = [
      { customerExternalId: 'user_1', partnerEmail: MAYA },
      { customerExternalId: 'cus_2', partnerEmail: zoe },
      { customerExternalId: 'cus_2', partnerEmail: LEO },
      { customerExternalId: 'cus_2', partnerEmail: 'nobody@partner.example' },
    ]
    const { body } = await customers(rows)
    expect(body.summary).toEqual({ created: 0, updated: 3, moved: 2, unchanged: 0, errors: 1 })
    expect(body.results).toMatchObject([
      // Whose the customer is was known by a click, and is now known by the import.
      { status: 'updated' },
      { status: 'updated', ownerEmail: LEO },
      { status: 'updated', ownerEmail: zoe },
      // The partner may be created by the same file: then it is moved, too.
      { status: 'partner_not_found', ownerEmail: LEO },
    ])
    expect(body.results[0]).not.toHaveProperty('ownerEmail')
    expect(await customersOf(merchant)).toMatchObject([
      { id: 'cus_2', partner: LEO },
      { id: 'user_1', partner: MAYA },
    ])
  })

  test('keepOwners leaves a customer with its partner, and imports the others', async () => {
    const { merchant, customers } = await createWithLeo()
    await customers([{ customerExternalId: 'cus_1', partnerEmail: MAYA }])
    const rows = [
      { customerExternalId: 'cus_1', partnerEmail: LEO, customerEmail: 'new@x.example' },
      { customerExternalId: 'cus_1', partnerEmail: MAYA, startedAt: '2025-01-31' },
      { customerExternalId: 'cus_2', partnerEmail: LEO },
      { customerExternalId: 'cus_2', partnerEmail: MAYA },
    ]
    for (const dryRun of [true, false]) {
      const { body } = await customers(rows, { options: { keepOwners: true, dryRun } })
      expect(body.summary).toEqual({ created: 1, updated: 1, moved: 0, unchanged: 2, errors: 0 })
      expect(body.results).toMatchObject([
        { status: 'unchanged', code: 'customer_owned', ownerEmail: MAYA },
        { status: 'updated' },
        { status: 'created' },
        { status: 'unchanged', code: 'customer_owned', ownerEmail: LEO },
      ])
    }
    expect(await customersOf(merchant)).toMatchObject([
      { id: 'cus_1', email: null, partner: MAYA },
      { id: 'cus_2', partner: LEO },
    ])
  })

  test('a customer of a banned partner is imported, with the code partner_banned', async () => {
    const { merchant, customers } = await createWithLeo()
    await database.query(
      "update partners set status = 'banned' where workspace_id = $1 and slug = 'leo'",
      [merchant.workspace.id],
    )
    const row = { customerExternalId: 'cus_1', partnerEmail: LEO }
    expect((await customers([row])).body.results).toMatchObject([
      { status: 'created', code: 'partner_banned' },
    ])
    expect((await customers([row])).body.results).toMatchObject([
      { status: 'unchanged', code: 'partner_banned' },
    ])
    expect(await customersOf(merchant)).toMatchObject([{ id: 'cus_1', partner: LEO }])
  })

  test('the audit log records the import', async () => {
    const { merchant, customers } = await createWithLeo()
    await customers([{ customerExternalId: 'a', partnerEmail: MAYA }, {}], {
      programId: merchant.programId,
    })
    expect(await database.audit(merchant)).toEqual([
      {
        actor: `manager@${merchant.workspace.slug}.example`,
        action: 'customers.imported',
        subject_id: merchant.programId,
        details: { rows: 2, created: 1, updated: 0, moved: 0, unchanged: 0, errors: 1 },
      },
    ])
  })
})
