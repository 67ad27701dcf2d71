import { describe, expect, test } from 'vitest'
import { newId } from '../../lib/db/ids.ts'
import type { Fault } from '../support/faulty-database.ts'
import { useFaultyManage } from '../support/faulty-manage.ts'
import { importer } from '../support/imports.ts'
import { createMerchant, errorShape, type Merchant, useDatabase } from '../support/merchant.ts'

const database = useDatabase()
const faulty = useFaultyManage()

/** A merchant with the partner "ann", who has the coupon HERS. */
const createTeam = async () => {
  const merchant = await createMerchant({ group: { name: 'Gold' } })
  const { workspace, programId } = merchant
  const ann = await merchant.seed.addPartner(workspace.id, programId, {
    slug: 'ann',
    email: 'ann@partner.example',
  })
  const manager = await merchant.asManager()
  await manager.post(`/partners/${ann}/coupons`, { couponId: 'HERS' })
  const post = (body: object) =>
    manager.post('/partners', { programId, email: 'new@partner.example', ...body })
  return { merchant, manager, ann, post }
}

/** What there is of the workspace's partners with the address new@partner.example. */
const made = async ({ workspace }: Pick<Merchant, 'workspace'>) => {
  const [row] = await database.query(
    `select (select array_agg(slug) from partners where workspace_id = $1 and email = 'new@partner.example') as slugs,
            (select array_agg(coupon_id) from coupon_aliases a join partners p on p.id = a.partner_id
             where a.workspace_id = $1 and p.email = 'new@partner.example') as coupons,
            (select count(*)::int from mails where workspace_id = $1 and kind = 'welcome') as mails,
            (select count(*)::int from audit_entries where workspace_id = $1 and action = 'partner.created') as entries`,
    [workspace.id],
  )
  return row
}
const NOTHING = { slugs: null, coupons: null, mails: 0, entries: 0 }
const ALL = { slug: 'Neo', couponId: 'NEO', sendWelcomeEmail: true }
const ONCE = { slugs: ['Neo'], coupons: ['NEO'], mails: 1, entries: 1 }

test('creates a partner with a group, a coupon and a welcome mail, whose link works at once', async () => {
  const { merchant, manager, post } = await createTeam()
  const [group] = await database.query<{ id: string }>(
    'select id from groups where workspace_id = $1',
    [merchant.workspace.id],
  )
  const { status, body } = await post({ ...ALL, name: 'Neo', groupId: group?.id.toUpperCase() })
  expect(status).toBe(201)
  expect(body).toMatchObject({
    email: 'new@partner.example',
    name: 'Neo',
    slug: 'Neo',
    groupId: group?.id,
    status: 'approved',
    link: 'https://shop.example/?via=Neo',
    coupons: [{ couponId: 'NEO', couponLabel: null }],
  })
  expect((await manager.get(`/partners/${body.id}`)).body).toEqual(body)
  expect(await made(merchant)).toEqual(ONCE)
  expect((await database.audit(merchant)).at(-1)).toMatchObject({
    action: 'partner.created',
    subject_id: body.id,
  })
})

test('an address that is a partner already is answered 200, and changes nothing, banned or not', async () => {
  const { merchant, manager, ann, post } = await createTeam()
  await manager.patch(`/partners/${ann}`, { status: 'banned' })
  const again = await post({
    email: ' ANN@partner.example ',
    name: 'Else',
    slug: 'else',
    sendWelcomeEmail: true,
  })
  expect(again.status).toBe(200)
  expect(again.body).toMatchObject({ id: ann, slug: 'ann', status: 'banned' })
  expect(await made(merchant)).toEqual(NOTHING)
})

test('an address that a partner has left is still the partner’s', async () => {
  const { merchant, ann, post } = await createTeam()
  await database.query(
    `insert into former_partner_addresses (program_id, email, partner_id, until) values ($1, 'old@partner.example', $2, now())`,
    [merchant.programId, ann],
  )
  const { status, body } = await post({ email: 'old@partner.example' })
  expect([status, body.id, body.email]).toEqual([200, ann, 'ann@partner.example'])
})

test('a slug that is taken is refused with one that is free, or gets a suffix if that is asked for', async () => {
  const { merchant, post } = await createTeam()
  const refused = await post({ slug: 'ANN' })
  expect(refused.status).toBe(409)
  expect(refused.body).toEqual({
    ...errorShape('slug_taken'),
    suggestion: expect.stringMatching(/^ANN-[a-z0-9]{4}$/),
  })
  expect(await made(merchant)).toEqual(NOTHING)
  const { status, body } = await post({ slug: 'ANN', onSlugTaken: 'suffix' })
  expect([status, body.slug]).toEqual([201, expect.stringMatching(/^ANN-[a-z0-9]{4}$/)])
  const generated = await post({ email: 'ann@other.example' })
  expect([generated.status, generated.body.slug]).toEqual([
    201,
    expect.stringMatching(/^ann-[a-z0-9]{4}$/),
  ])
})

test('a coupon of another partner, and ids of another workspace, are refused, and create nobody', async () => {
  const [{ merchant, post }, theirs] = await Promise.all([createTeam(), createTeam()])
  const [group] = await database.query<{ id: string }>(
    'select id from groups where workspace_id = $1',
    [theirs.merchant.workspace.id],
  )
  const results = [
    await post({ couponId: 'HERS' }),
    await post({ groupId: group?.id }),
    await post({ groupId: newId() }),
    await post({ programId: theirs.merchant.programId }),
    await post({ programId: theirs.merchant.programId, email: 'ann@partner.example' }),
  ]
  expect(results.map(({ status, body }) => [status, body.error?.code])).toEqual([
    [409, 'coupon_taken'],
    ...Array.from({ length: 4 }, () => [404, 'not_found']),
  ])
  expect(await made(merchant)).toEqual(NOTHING)
  expect(await made(theirs.merchant)).toEqual(NOTHING)
})

test('a key with the scope write creates partners, and the mail names no person as its sender', async () => {
  const { merchant, manager } = await createTeam()
  const { body: key } = await manager.post('/api-keys', { name: 'CRM', scopes: ['write'] })
  const headers = { Authorization: `Bearer ${key.key}` }
  const body = { programId: merchant.programId, email: 'new@partner.example', ...ALL }
  const api = merchant.withHeaders(headers)
  expect((await api.post('/partners', body)).status).toBe(201)
  expect((await database.audit(merchant)).at(-1)).toMatchObject({ actor: 'API key "CRM"' })
  const mails = await database.query(
    `select details ->> 'sentBy' as sender from mails where workspace_id = $1 and kind = 'welcome'`,
    [merchant.workspace.id],
  )
  expect(mails).toEqual([{ sender: null }])
})

test('of eight equal requests at once, one creates the partner', async () => {
  const { merchant, post } = await createTeam()
  const answers = await Promise.all(Array.from({ length: 8 }, () => post(ALL)))
  expect(answers.map(({ status }) => status).sort()).toEqual([
    200, 200, 200, 200, 200, 200, 200, 201,
  ])
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
  expect(await made(merchant)).toEqual(ONCE)
})

test('of requests and imports at once that want one slug, one gets it', async () => {
  const { merchant, post } = await createTeam()
  const { partners } = await importer(merchant)
  const emails = Array.from({ length: 4 }, (_, index) => `p${index}@partner.example`)
  const [posted, imported] = await Promise.all([
    Promise.all(emails.map((email) => post({ email, slug: 'Neo' }))),
    Promise.all(emails.map((email) => partners([{ email: `i${email}`, slug: 'neo' }], {}))),
  ])
  expect(imported.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  for (const { status } of posted) expect([201, 409]).toContain(status)
  const [row] = await database.query(
    `select count(*)::int as holders from partners where workspace_id = $1 and slug_key = 'neo'`,
    [merchant.workspace.id],
  )
  expect(row).toEqual({ holders: 1 })
})

const LOSING: Fault[] = ['cut_before', 'cut_after', 'half', 'empty', 'shutdown_57P01', 'own_twin']

describe('a new partner whose response was lost is created, mailed and logged once', () => {
  const createWatched = async () => {
    const merchant = await faulty.createMerchant()
    const { id, slug } = merchant.workspace
    const email = `manager@${slug}.example`
    await merchant.seed.addMember(id, email)
    const watched = faulty.watch([id, slug], email)
    const body = { programId: merchant.programId, email: 'new@partner.example', ...ALL }
    return { ...watched, merchant, post: () => watched.call('POST', `/${slug}/partners`, body) }
  }

  test.concurrent.each(LOSING)('%s', async (fault) => {
    const { merchant, plan, left, post } = await createWatched()
    plan(null, null, fault)
    expect((await post()).status).toBe(201)
    expect(left()).toBe(0)
    expect(await made(merchant)).toEqual(ONCE)
  })

  test.concurrent('503 if it is not confirmed, and the repeat finds it', async () => {
    const { merchant, plan, post } = await createWatched()
    plan(null, null, 'cut_after', 'cut_after', 'cut_after')
    expect((await post()).status).toBe(503)
    expect((await post()).status).toBe(200)
    expect(await made(merchant)).toEqual(ONCE)
  })
})
