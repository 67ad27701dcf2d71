/**
 * The other platform's commissions beside ours: uploaded, compared step by step, listed and sent as
 * a file.
 */
import { expect, inject, test } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { newId } from '../../lib/db/ids.ts'
import { compareRun } from '../../lib/shadow/comparison/comparison.service.ts'
import { createMerchant, errorShape, useDatabase } from '../support/merchant.ts'
import { createShadowed, type Listed, type Result, row, sell } from '../support/shadow.ts'

const database = useDatabase()

test('uploads are kept by the platform’s id: new, changed or as before, and a bad row does not stop the others', async () => {
  const { api, path, upload, workspace, programId, member, stranger, as, withHeaders, seed } =
    await createShadowed()
  const soldAt = new Date().toISOString()
  const same = (of: object = {}) => row({ soldAt, ...of })
  const bad = [
    row({ id: 'b1', amountCents: 1.5 }),
    row({ id: 'b2', currency: 'ZZZ' }),
    row({ id: 'b3', soldAt: '01/02/2026' }),
    row({ id: 'b4', saleIds: ['a', 'b', 'c', 'd', 'e', 'f'] }),
    row({ id: 'b5', partnerEmail: 'nobody' }),
    row({ id: 'b6', customerExternalId: 'a\u0001b' }),
    'text',
    null,
  ]
  const first = await upload([
    same(),
    same({ id: null }),
    same({ id: null }),
    same({ id: '' }),
    ...bad,
  ])
  expect(first.body).toMatchObject({ summary: { created: 4, updated: 0, unchanged: 0, errors: 8 } })
  expect((await upload([same(), same({ id: null }), same({ id: null })])).body).toMatchObject({
    summary: { unchanged: 3 },
  })
  expect((await upload([same({ state: 'paid' })])).body).toMatchObject({ summary: { updated: 1 } })
  const many = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      upload([row({ id: 'x', amountCents: n }), row({ id: 'y' })]),
    ),
  )
  expect(many.map(({ status }) => status)).toEqual(Array(8).fill(200))

  const post = (cookie: string) => as(cookie).post(`${path}/commissions`, { rows: [row()] })
  expect((await post(await member())).status).toBe(403)
  expect((await post(await stranger())).status).toBe(404)
  const other = await (await createMerchant()).asManager()
  expect((await other.post(`${path}/commissions`, { rows: [row()] })).status).toBe(404)
  expect((await api.get(`/programs/${newId()}/shadow`)).status).toBe(404)
  const key = await seed.addApiKey(workspace.id, { scopes: ['write'] })
  expect(
    (
      await withHeaders({ Authorization: `Bearer ${key}` }).post(`${path}/commissions`, {
        rows: [row()],
      })
    ).status,
  ).toBe(200)
  expect(await api.post(`${path}/commissions`, { rows: Array(1_001).fill(row()) })).toMatchObject({
    status: 400,
    body: errorShape('too_many_rows'),
  })
  const live = await seed.addProgram(workspace.id)
  expect((await api.post(`/programs/${live}/shadow/commissions`, { rows: [row()] })).status).toBe(
    409,
  )
  expect((await api.post(`/programs/${live}/shadow/compare`, {})).status).toBe(409)
  expect((await api.get(`/programs/${live}/shadow`)).status).toBe(409)
  const [kept] = await database.query(
    'select count(*)::int as rows from platform_commissions where program_id = $1',
    [programId],
  )
  expect(kept).toEqual({ rows: 6 })

  // The platform is read by its API by now.
  await database.query('update shadow_runs set api_since = now() where program_id = $1', [
    programId,
  ])
  expect(await upload([same({ amountCents: 1 }), same({ id: '' })])).toMatchObject({
    status: 409,
    body: errorShape('commission_id_required'),
  })
  expect((await upload([same({ amountCents: 1 })])).body).toMatchObject({ summary: { updated: 1 } })
})

test('sales are found by their ids, by their customers, or not at all, whatever comes first, and each change is seen', async () => {
  const merchant = await createShadowed()
  const { api, path, maya, upload, compare, results, workspace } = merchant
  const there = (name: string, of: object = {}) =>
    row({
      id: `cm_${name}`,
      saleIds: [],
      customerExternalId: `user_${name}`,
      partnerEmail: maya,
      ...of,
    })
  await upload([
    there('late', { saleIds: ['late'] }),
    there('mail', { customerExternalId: null, customerEmail: 'Jo@buyer.example' }),
    there('unknown'),
    there('gone', { state: 'voided' }),
    there('other', { partnerEmail: 'leo@partner.example' }),
    there('old', { soldAt: '2020-01-01' }),
  ])
  await compare()
  const named = async () =>
    Object.fromEntries(
      (await results()).data.map(({ outcome, reason, here, there }) => [
        here?.saleExternalId ?? there?.id,
        [outcome, reason],
      ]),
    )
  expect(await named()).toEqual({
    cm_late: ['only_there', 'customer_not_imported'],
    cm_mail: ['only_there', 'customer_not_imported'],
    cm_unknown: ['only_there', 'customer_not_imported'],
    cm_other: ['only_there', 'customer_not_imported'],
  })

  // The sales come after what was uploaded.
  await merchant.lead({
    externalId: 'user_mail',
    clickId: await merchant.click(),
    customerEmail: 'jo@buyer.example',
  })
  for (const name of ['late', 'mail', 'gone', 'other']) await sell(merchant, name)
  await merchant.sale({
    externalId: 'unknown',
    customerExternalId: 'user_unknown',
    clickId: 'clk_none',
  })
  await sell(merchant, 'newer')
  await compare()
  expect(await named()).toEqual({
    late: ['same', null],
    mail: ['same', null],
    unknown: ['only_there', 'unknown_click'],
    gone: ['only_here', 'refund_not_seen_here'],
    other: ['different', 'other_partner'],
    newer: ['only_here', 'not_uploaded_yet'],
  })

  // A refund here, a correction there, and a newer upload.
  await merchant.refund({ externalId: 'r1', saleExternalId: 'late' })
  await upload([
    there('other', { amountCents: 979 }),
    there('more', { soldAt: new Date(Date.now() + 1_000).toISOString() }),
  ])
  await compare()
  expect(await named()).toMatchObject({
    late: ['only_there', 'refund_not_seen_there'],
    other: ['different', 'rounding'],
    newer: ['only_here', 'not_reported_there'],
  })
  const { body } = await api.get(path)
  expect(body).toMatchObject({ uploaded: 7, waiting: 0, endedAt: null })
  const sums = body.sums as {
    outcome: string
    sales: number
    hereCents: number
    thereCents: number
  }[]
  expect(sums.find(({ outcome }) => outcome === 'only_there')).toEqual({
    outcome: 'only_there',
    currency: 'USD',
    sales: 3,
    hereCents: 0,
    thereCents: 2_940,
  })

  // Compared again from nothing, it is the same.
  const before = (await results()).data
  await database.query(
    'update platform_commissions set compared_at = null, bucket = null, event_id = null where workspace_id = $1',
    [workspace.id],
  )
  await database.query('delete from shadow_comparisons where workspace_id = $1', [workspace.id])
  await database.query('update shadow_runs set compared_after = null where workspace_id = $1', [
    workspace.id,
  ])
  await compare()
  expect((await results()).data).toEqual(before)

  // Filters, pages, and the file.
  expect((await results('?outcome=only_there')).data).toHaveLength(3)
  expect((await results('?reason=rounding')).data).toHaveLength(1)
  expect((await results('?from=2019-01-01&to=2019-12-31')).data).toEqual([])
  const pages: Result[] = []
  let cursor: string | null = null
  do {
    const next: Listed = await results(`?limit=2${cursor ? `&cursor=${cursor}` : ''}`)
    pages.push(...next.data)
    cursor = next.nextCursor
  } while (cursor)
  expect(pages).toEqual(before)
})

test('a sale whose partner was not named there is compared again once another commission names the partner', async () => {
  const merchant = await createShadowed()
  const { maya, upload, compare, results } = merchant
  const reasons = async () =>
    (await results()).data.flatMap(({ here, reason }) =>
      here ? [`${here.saleExternalId} ${reason}`] : [],
    )
  for (const name of ['a', 'b']) await sell(merchant, name)
  const newest = { soldAt: new Date(Date.now() + 1_000).toISOString() }
  const other = { saleIds: [], customerExternalId: 'user_x', ...newest }
  await upload([row({ id: 'cm_x', partnerEmail: 'leo@partner.example', ...other })])
  await compare()
  expect((await reasons()).sort()).toEqual(['a partner_not_there', 'b partner_not_there'])
  // As if the sales were of more than a minute ago: until then, they are compared again anyway.
  await database.query('update shadow_runs set compared_after = uuidv7() where program_id = $1', [
    merchant.programId,
  ])
  await upload([row({ id: 'cm_y', partnerEmail: maya, ...other })])
  await compare()
  expect((await reasons()).sort()).toEqual(['a not_reported_there', 'b not_reported_there'])
})

test('a sale that was not reported there is compared again once no commission names its partner any more', async () => {
  const merchant = await createShadowed()
  const { maya, upload, compare, results } = merchant
  const reasons = async () =>
    (await results()).data.flatMap(({ here, reason }) =>
      here ? [`${here.saleExternalId} ${reason}`] : [],
    )
  for (const name of ['a', 'b']) await sell(merchant, name)
  const other = {
    saleIds: [],
    customerExternalId: 'user_x',
    soldAt: new Date(Date.now() + 1_000).toISOString(),
  }
  await upload([row({ id: 'cm_x', partnerEmail: maya, ...other })])
  await compare()
  expect((await reasons()).sort()).toEqual(['a not_reported_there', 'b not_reported_there'])
  await database.query('update shadow_runs set compared_after = uuidv7() where program_id = $1', [
    merchant.programId,
  ])
  await upload([row({ id: 'cm_x', partnerEmail: 'leo@partner.example', ...other })])
  await compare()
  expect((await reasons()).sort()).toEqual(['a partner_not_there', 'b partner_not_there'])
})

test('of comparisons at once one works, and each sees all that was uploaded in the end', async () => {
  const merchant = await createShadowed()
  const { workspace, programId, upload, results } = merchant
  await upload(
    Array.from({ length: 700 }, (_, n) =>
      row({ id: `cm_${n}`, saleIds: [`s${n}`], customerExternalId: `c${n % 50}` }),
    ),
  )
  const db = connect(inject('database'))
  const run = { workspaceId: workspace.id, programId, now: new Date() }
  const one = () => compareRun(db, run, newId(), () => true)
  await Promise.all([one(), one(), one(), one()])
  while (await one());
  expect((await merchant.api.get(merchant.path)).body).toMatchObject({ uploaded: 700, waiting: 0 })
  expect((await results('?limit=200')).data).toHaveLength(200)
  // One that was killed lets others go on once its time is over.
  await database.query(
    "update shadow_runs set compare_owner = uuidv7(), compare_until = now() - interval '1 second' where program_id = $1",
    [programId],
  )
  expect(await one()).toBe(false)
})
