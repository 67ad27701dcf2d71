/**
 * A repeated call of an import gets the first answer, so the caller learns which rows this call has
 * made.
 */
import { describe, expect, test } from 'vitest'
import {
  createWithLeo,
  customersOf,
  everything,
  importCounts,
  importer,
  LEO,
  MAYA,
  partnerRows,
} from '../support/imports.ts'
import { createMerchant, useDatabase } from '../support/merchant.ts'

const database = useDatabase()

const newImport = () => ({ importId: crypto.randomUUID() })
const replayed = ({ headers }: { headers: Headers }) => headers.get('Idempotent-Replayed')

describe('partners', () => {
  test.each([
    { case: 'plain', options: {} },
    {
      case: 'with balances and mails',
      options: { importOpeningBalances: true, sendWelcomeEmail: true },
    },
  ])('$case: a repeat gets the first answer and changes nothing', async ({ options }) => {
    const { merchant, partners } = await createWithLeo()
    const rows = [
      { email: 'first@partner.example', slug: 'First' },
      ...partnerRows(3),
      { email: LEO },
      { email: 'second@partner.example' },
      { email: 'taken@partner.example', slug: 'maya' },
      { email: 'x' },
      { email: 'third@partner.example', slugs: ['Third', 'third-2'] },
    ]
    const ours = newImport()
    const first = await partners(rows, options, ours)
    expect(first.body.summary).toMatchObject({
      created: 7,
      skippedExisting: 1,
      errors: 1,
      slugsRenamed: 1,
    })
    expect(replayed(first)).toBe(null)

    const before = await everything(database, merchant)
    const again = await partners(rows, options, ours)
    expect([again.status, again.body, replayed(again)]).toEqual([200, first.body, 'true'])
    expect(await everything(database, merchant)).toEqual(before)

    // Another call of the import, and another import.
    const longer = await partners([...rows, { email: 'more@partner.example' }], options, ours)
    expect(longer.body.summary).toMatchObject({ created: 1, skippedExisting: 8 })
    expect((await partners(rows, options, newImport())).body.summary).toMatchObject({
      created: 0,
      skippedExisting: 8,
    })
    // Without a name, a call is an import of its own.
    expect((await partners(rows, options)).body.summary).toMatchObject({
      created: 0,
      skippedExisting: 8,
    })
  })

  test('copies sent at once create the partners once, and get one answer', async () => {
    const { merchant, partners } = await createWithLeo()
    const ours = newImport()
    const answers = await Promise.all(
      Array.from({ length: 6 }, () =>
        partners([...partnerRows(20), { email: 'y@partner.example', slug: 'maya' }], {}, ours),
      ),
    )
    for (const { body } of answers) expect(body).toEqual(answers[0]?.body)
    expect(answers[0]?.body.summary).toMatchObject({ created: 21, skippedExisting: 0 })
    expect(answers.map(replayed).filter((header) => header === null)).toHaveLength(1)
    expect(await importCounts(database, merchant)).toMatchObject({ partners: 22 })
  })

  test('two managers at once, one with balances: each learns which partners are theirs', async () => {
    const { merchant, partners } = await createWithLeo()
    const rows = partnerRows(50)
    const [without, withBalances] = await Promise.all([
      partners(rows, {}, newImport()),
      partners(rows, { importOpeningBalances: true }, newImport()),
    ])
    const made = withBalances.body.summary.created
    expect([made, without.body.summary.created].sort()).toEqual([0, 50])
    expect(await importCounts(database, merchant)).toMatchObject({ partners: 51, balances: made })
  })

  test('a dry run is answered anew', async () => {
    const { partners } = await createWithLeo()
    const ours = newImport()
    await partners([{ email: 'new@partner.example' }], {}, ours)
    const dry = await partners([{ email: 'new@partner.example' }], { dryRun: true }, ours)
    expect([dry.body.summary.skippedExisting, replayed(dry)]).toEqual([1, null])
  })

  test('an answer is for managers of the workspace alone, and another workspace may use the same id', async () => {
    const { merchant, partners } = await createWithLeo()
    const other = await createMerchant()
    const ours = newImport()
    const rows = [{ email: 'new@partner.example' }]
    await partners(rows, {}, ours)
    const body = { programId: merchant.programId, options: {}, rows, ...ours }
    const path = '/partners/import'
    const member = await merchant.as(await merchant.member()).post(path, body)
    expect(member.status).toBe(403)
    const stranger = await merchant.as(await other.manager()).post(path, body)
    expect(stranger.status).toBe(404)
    const theirs = await (await importer(other)).partners(rows, {}, ours)
    expect([theirs.body.summary.created, replayed(theirs)]).toEqual([1, null])
  })

  test('an importId that is no UUID is refused', async () => {
    const { partners, customers } = await createWithLeo()
    expect((await partners([], {}, { importId: 'friday' })).status).toBe(400)
    expect((await customers([], { importId: 'friday' })).status).toBe(400)
  })
})

describe('customers', () => {
  test('a repeat gets the first answer and changes nothing, also after the customer has moved on', async () => {
    const { merchant, customers } = await createWithLeo()
    await customers([{ customerExternalId: 'cus_1', partnerEmail: MAYA }])
    const rows = [
      { customerExternalId: 'cus_1', partnerEmail: LEO },
      { customerExternalId: 'cus_2', partnerEmail: LEO },
      { customerExternalId: 'cus_3', partnerEmail: 'nobody@partner.example' },
    ]
    const ours = newImport()
    const first = await customers(rows, ours)
    expect(first.body.summary).toEqual({
      created: 1,
      updated: 1,
      moved: 1,
      unchanged: 0,
      errors: 1,
    })
    await customers([{ customerExternalId: 'cus_2', partnerEmail: MAYA }])

    const before = await everything(database, merchant)
    const again = await customers(rows, ours)
    expect([again.status, again.body, replayed(again)]).toEqual([200, first.body, 'true'])
    expect(await everything(database, merchant)).toEqual(before)
    expect(await customersOf(database, merchant)).toMatchObject([
      { partner: LEO },
      { partner: MAYA },
    ])
  })

  test('copies sent at once get one answer', async () => {
    const { merchant, customers } = await createWithLeo()
    const rows = Array.from({ length: 40 }, (_, n) => ({
      customerExternalId: `cus_${n}`,
      partnerEmail: LEO,
    }))
    const ours = newImport()
    const answers = await Promise.all(Array.from({ length: 5 }, () => customers(rows, ours)))
    expect(answers.map(({ body }) => body.summary.created)).toEqual([40, 40, 40, 40, 40])
    expect(await customersOf(database, merchant)).toHaveLength(40)
  })

  test('two imports at once: a customer is created by one of them', async () => {
    const { customers } = await createWithLeo()
    const rows = Array.from({ length: 40 }, (_, n) => ({
      customerExternalId: `cus_${n}`,
      partnerEmail: LEO,
    }))
    const answers = await Promise.all([customers(rows, newImport()), customers(rows, newImport())])
    expect(answers.map(({ body }) => body.summary.created).sort()).toEqual([0, 40])

    const others = rows.map(({ customerExternalId }) => ({
      customerExternalId: `x${customerExternalId}`,
    }))
    const [maya, leo] = await Promise.all(
      [MAYA, LEO].map((partnerEmail) =>
        customers(
          others.map((row) => ({ ...row, partnerEmail })),
          newImport(),
        ),
      ),
    )
    // Whoever comes second moves them, and says so.
    expect([maya, leo].map((answer) => answer?.body.summary.created).sort()).toEqual([0, 40])
    expect([maya, leo].map((answer) => answer?.body.summary.moved).sort()).toEqual([0, 40])
    const second = maya?.body.summary.moved ? maya : leo
    expect(second?.body.results[0]?.ownerEmail).toBe(second === maya ? LEO : MAYA)
  })
})

test('an erased partner’s address is in no answer any more', async () => {
  const { merchant, partners, customers } = await createWithLeo()
  const email = 'gone@partner.example'
  const [ours, theirs] = [newImport(), newImport()]
  const row = { customerExternalId: 'cus_1', partnerEmail: email }
  const rows = [{ email }, { email: 'stays@partner.example' }]
  await partners(rows, {}, ours)
  await customers([row], theirs)
  await customers([{ ...row, partnerEmail: LEO }])
  const manager = await merchant.asManager()
  const { body } = await manager.get('/partners?email=gone@partner.example')
  const [partner] = body.data as { id: string }[]
  expect((await manager.post(`/partners/${partner?.id}/erase`)).status).toBe(200)
  const answers = await database.query(
    'select i::text from import_calls i where workspace_id = $1',
    [merchant.workspace.id],
  )
  expect(answers).toHaveLength(3)
  expect(JSON.stringify(answers)).not.toContain(email)
  const { results } = (await partners(rows, {}, ours)).body
  expect(results.map((result) => result.email)).toEqual([
    expect.stringMatching(/^erased-/),
    'stays@partner.example',
  ])
})
