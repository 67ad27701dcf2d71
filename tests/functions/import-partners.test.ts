import { describe, expect, inject, test } from 'vitest'
import {
  everything,
  importCounts,
  importedPartners,
  importer,
  partnerRows,
} from '../support/imports.ts'
import { createMerchant, send, useDatabase } from '../support/merchant.ts'

const database = useDatabase()

describe('spec 4.3: POST /api/workspaces/<workspace>/partners/import', () => {
  test('bulk-imports partners: summary, and one result per row with email, status (rule 6), slug and couponMapped', async () => {
    const merchant = await createMerchant()
    const { partners } = await importer(merchant)
    const { status, body } = await partners([
      {
        email: ' Ann@Partner.example ',
        name: 'Ann',
        slug: 'Ann_B',
        couponId: 'FRIENDS',
        couponLabel: 'Friends',
      },
      { email: 'bob@partner.example', unknown: 'ignored', name: null, slug: null, couponId: null },
    ])
    expect(status).toBe(200)
    expect(body).toEqual({
      summary: { created: 2, skippedExisting: 0, errors: 0, slugsRenamed: 0, couponsMapped: 1 },
      results: [
        { email: 'ann@partner.example', status: 'created', slug: 'Ann_B', couponMapped: true },
        { email: 'bob@partner.example', status: 'created', slug: 'bob', couponMapped: false },
      ],
    })
    expect(await importedPartners(database, merchant)).toEqual([
      {
        email: 'ann@partner.example',
        name: 'Ann',
        slug: 'Ann_B',
        status: 'approved',
        coupon: 'FRIENDS',
      },
      { email: 'bob@partner.example', name: null, slug: 'bob', status: 'approved', coupon: null },
    ])
  })

  test('rule 1: partners are created pre-approved, and a link with an imported slug attributes at once', async () => {
    const merchant = await createMerchant()
    const { partners } = await importer(merchant)
    await partners([{ email: 'ann@partner.example', slug: 'Ann_B' }])
    const { body } = await merchant.sale({ clickId: await merchant.click('ann_b') })
    expect(await merchant.explain(body.eventId)).toMatchObject({
      attributed: true,
      partner: { slug: 'Ann_B', email: 'ann@partner.example' },
      commission: { amountCents: 980 },
    })
  })

  test('rule 2: re-running skips partners that already exist, and changes nothing of them', async () => {
    const merchant = await createMerchant()
    const { partners } = await importer(merchant)
    const options = { sendWelcomeEmail: true, importOpeningBalances: true }
    const rows = [
      ...partnerRows(3),
      { email: 'maya@partner.example', slug: 'other', couponId: 'C', name: 'M' },
    ]
    const first = await partners(rows, options)
    expect(first.body.summary).toMatchObject({ created: 3, skippedExisting: 1 })
    const before = await everything(database, merchant)

    const again = await partners(rows, options)
    expect(again.body.summary).toEqual({
      created: 0,
      skippedExisting: 4,
      errors: 0,
      slugsRenamed: 0,
      couponsMapped: 0,
    })
    expect(again.body.results).toEqual(
      first.body.results.map(({ email, slug }) => ({
        email,
        status: 'skipped_existing',
        slug,
        couponMapped: false,
        // What the row has and the partner has not.
        ...(slug === 'maya' && {
          slugsNotKept: ['other'],
          code: 'coupon_not_added',
          message: expect.any(String),
        }),
      })),
    )
    expect(again.body.results.at(-1)?.slug).toBe('maya')
    const { audit_entries: _, ...after } = await everything(database, merchant)
    expect({ ...before, audit_entries: undefined }).toEqual({ ...after, audit_entries: undefined })
  })

  test('rule 2: a banned partner stays banned, gets no mail, no balance and no coupon', async () => {
    const merchant = await createMerchant()
    await merchant.seed.addPartner(merchant.workspace.id, merchant.programId, {
      slug: 'leo',
      status: 'banned',
    })
    const { partners } = await importer(merchant)
    const { body } = await partners(
      [{ email: 'LEO@partner.example', slug: 'leo', couponId: 'C', openingBalanceCents: 500 }],
      { sendWelcomeEmail: true, importOpeningBalances: true },
    )
    expect(body.results).toEqual([
      {
        email: 'leo@partner.example',
        status: 'skipped_existing',
        slug: 'leo',
        couponMapped: false,
        code: 'coupon_not_added',
        message: expect.any(String),
      },
    ])
    expect(await importCounts(database, merchant)).toEqual({
      partners: 1,
      coupons: 0,
      balances: 0,
      mails: 0,
    })
    expect(await importedPartners(database, merchant)).toMatchObject([{ status: 'banned' }])
  })

  test('rule 2: per program, by email: another program of the workspace takes the same partner with the same slug', async () => {
    const merchant = await createMerchant()
    const second = await merchant.seed.addProgram(merchant.workspace.id)
    const { partners } = await importer(merchant)
    const rows = [{ email: 'ann@partner.example', slug: 'ann', couponId: 'C' }]
    expect((await partners(rows)).body.results).toMatchObject([{ status: 'created', slug: 'ann' }])
    const { body } = await partners(rows, {}, { programId: second.toUpperCase() })
    expect(body.summary.slugsRenamed).toBe(0)
    // A coupon is unique in the workspace, whichever program its partner is in.
    expect(body.results).toMatchObject([
      { status: 'created', slug: 'ann', couponMapped: false, code: 'coupon_taken' },
    ])
  })

  test('rule 2: a repeated email in one call makes one partner', async () => {
    const merchant = await createMerchant()
    const { partners } = await importer(merchant)
    const { body } = await partners([
      { email: 'ann@partner.example', slug: 'ann' },
      { email: 'Ann@Partner.Example', slug: 'other' },
    ])
    expect(body.results).toMatchObject([
      { status: 'created', slug: 'ann' },
      { status: 'skipped_existing', slug: 'ann' },
    ])
    expect(await importCounts(database, merchant)).toMatchObject({ partners: 1 })
  })

  test('rule 3: when a slug collides with an existing one, a random suffix is appended and the row counts in slugsRenamed', async () => {
    const merchant = await createMerchant()
    const { partners } = await importer(merchant)
    const { body } = await partners([
      { email: 'a@partner.example', slug: 'Maya' },
      { email: 'b@partner.example', slug: 'leo' },
      { email: 'c@partner.example', slug: 'LEO' },
      { email: 'd@partner.example', name: 'Maya' },
      { email: 'e@partner.example', slug: 'x'.repeat(255) },
      { email: 'f@partner.example', slug: 'x'.repeat(255) },
    ])
    expect(body.summary).toMatchObject({ created: 6, slugsRenamed: 3 })
    expect(body.results).toMatchObject([
      { slug: expect.stringMatching(/^Maya-[2-9a-z]{4}$/), requestedSlug: 'Maya' },
      { slug: 'leo' },
      { slug: expect.stringMatching(/^LEO-[2-9a-z]{4}$/), requestedSlug: 'LEO' },
      { slug: expect.stringMatching(/^maya-[2-9a-z]{4}$/) },
      { slug: 'x'.repeat(255) },
      { slug: expect.stringMatching(/^x{250}-[2-9a-z]{4}$/), requestedSlug: 'x'.repeat(255) },
    ])
    expect(body.results[3]).not.toHaveProperty('requestedSlug')
    const slugs = (await importedPartners(database, merchant)).map(({ slug }) => slug)
    expect(slugs).toEqual(body.results.map(({ slug }) => slug))
    // Those partners get a new link, and it works.
    expect(await merchant.click(body.results[0]?.slug)).toMatch(/^clk_/)
  })

  test('an invalid row returns an error; the others are imported', async () => {
    const merchant = await createMerchant()
    const { partners } = await importer(merchant)
    const rows = [
      { name: 'Nobody' },
      { email: 'a@partner.example' },
      null,
      { email: 'B@partner.example', slug: 5 },
      { email: 'b@partner.example', slug: 'bee' },
      { email: 'c@partner.example', openingBalanceCents: -1, slug: 'bee' },
    ]
    const { status, body } = await partners(rows, { importOpeningBalances: true })
    expect(status).toBe(200)
    expect(body.summary).toMatchObject({
      created: 2,
      skippedExisting: 0,
      errors: 4,
      slugsRenamed: 0,
    })
    const bad = (email: string, code: string) => ({
      email,
      status: 'error',
      slug: '',
      couponMapped: false,
      code,
      message: expect.any(String),
    })
    expect(body.results).toEqual([
      bad('', 'email_invalid'),
      { email: 'a@partner.example', status: 'created', slug: 'a', couponMapped: false },
      bad('', 'email_invalid'),
      bad('b@partner.example', 'slug_invalid'),
      { email: 'b@partner.example', status: 'created', slug: 'bee', couponMapped: false },
      bad('c@partner.example', 'opening_balance_invalid'),
    ])
    expect(await importCounts(database, merchant)).toMatchObject({ partners: 2, balances: 0 })
  })

  test('dryRun returns the same response but for random suffixes, and changes nothing', async () => {
    const merchant = await createMerchant()
    const { partners } = await importer(merchant)
    const rows = [
      ...partnerRows(5),
      { email: 'maya@partner.example' },
      { email: 'x@partner.example', slug: 'maya', couponId: 'P-1' },
      { email: 'nobody' },
    ]
    const options = { sendWelcomeEmail: true, importOpeningBalances: true }
    const before = await everything(database, merchant)
    const dry = await partners(rows, { ...options, dryRun: true })
    expect(await everything(database, merchant)).toEqual(before)

    const real = await partners(rows, { ...options, dryRun: false })
    const unsuffixed = ({ body }: typeof real) =>
      JSON.parse(JSON.stringify(body).replace(/"maya-[2-9a-z]{4}"/, '"maya-xxxx"'))
    expect(dry.status).toBe(200)
    expect(unsuffixed(dry)).toEqual(unsuffixed(real))
    expect(await importCounts(database, merchant)).toEqual({
      partners: 6,
      coupons: 5,
      balances: 5,
      mails: 6,
    })
  })

  test('the audit log records the import', async () => {
    const merchant = await createMerchant()
    const { partners } = await importer(merchant)
    await partners([...partnerRows(2), { email: 'maya@partner.example' }, {}], {
      sendWelcomeEmail: true,
    })
    expect(await database.audit(merchant)).toEqual([
      {
        actor: `manager@${merchant.workspace.slug}.example`,
        action: 'partners.imported',
        subject_id: merchant.programId,
        details: {
          rows: 4,
          created: 2,
          skippedExisting: 1,
          errors: 1,
          slugsRenamed: 0,
          couponsMapped: 2,
          sendWelcomeEmail: true,
          importOpeningBalances: false,
        },
      },
    ])
  })

  test('the URL may contain the workspace’s id instead of its slug', async () => {
    const merchant = await createMerchant()
    const { status } = await send(
      `${inject('baseUrl')}/api/workspaces/${merchant.workspace.id}/partners/import`,
      {
        body: { programId: merchant.programId, rows: partnerRows(1) },
        headers: { Cookie: await merchant.manager() },
      },
    )
    expect(status).toBe(200)
    expect(await importCounts(database, merchant)).toMatchObject({ partners: 1 })
  })
})
