import { expect, test } from 'vitest'
import { type Answer, createMerchant, errorShape, useDatabase } from '../support/merchant.ts'

const database = useDatabase()

/** A merchant with two partners, and its manager. */
const createTeam = async () => {
  const merchant = await createMerchant()
  const add = (slug: string) =>
    merchant.seed.addPartner(merchant.workspace.id, merchant.programId, { slug })
  const manager = await merchant.asManager()
  return { merchant, manager, ann: await add('ann'), ben: await add('ben') }
}

const result = ({ status, body }: Answer) => [status, body.error?.code ?? body.couponId]

test('a coupon is added, listed and removed, with audit entries', async () => {
  const { merchant, manager, ann } = await createTeam()
  const coupon = { couponId: 'promo_1', couponLabel: 'ANN20' }
  const added = await manager.post(`/partners/${ann}/coupons`, coupon)
  expect([added.status, added.body]).toEqual([201, coupon])
  expect((await manager.get(`/partners/${ann}/coupons`)).body).toEqual({
    data: [coupon],
    nextCursor: null,
  })

  expect((await manager.delete(`/partners/${ann}/coupons/promo_1`)).status).toBe(204)
  expect((await manager.get(`/partners/${ann}/coupons`)).body).toEqual({
    data: [],
    nextCursor: null,
  })
  expect(result(await manager.delete(`/partners/${ann}/coupons/promo_1`))).toEqual([
    404,
    'not_found',
  ])

  const actor = `manager@${merchant.workspace.slug}.example`
  const entry = { actor, subject_id: ann, details: { email: 'ann@partner.example', ...coupon } }
  expect(await database.audit(merchant)).toEqual([
    { action: 'coupon.added', ...entry },
    { action: 'coupon.removed', ...entry },
  ])
})

test('adding the same coupon again keeps its first label', async () => {
  const { merchant, manager, ann } = await createTeam()
  await manager.post(`/partners/${ann}/coupons`, { couponId: ' C1 ', couponLabel: 'FIRST' })
  const again = await manager.post(`/partners/${ann}/coupons`, {
    couponId: 'C1',
    couponLabel: 'SECOND',
  })
  expect([again.status, again.body]).toEqual([200, { couponId: 'C1', couponLabel: 'FIRST' }])
  expect(await database.audit(merchant)).toHaveLength(1)
})

test('a coupon belongs to one partner per workspace', async () => {
  const [{ merchant, manager, ann, ben }, theirs] = await Promise.all([createTeam(), createTeam()])
  await manager.post(`/partners/${ann}/coupons`, { couponId: 'C1' })
  const refused = await manager.post(`/partners/${ben}/coupons`, { couponId: 'C1' })
  expect(refused.status).toBe(409)
  expect(refused.body).toEqual(errorShape('coupon_taken'))
  expect(refused.body.error?.message).toContain('"ann"')
  expect(result(await manager.post(`/partners/${ben}/coupons`, { couponId: 'c1' }))).toEqual([
    201,
    'c1',
  ])
  expect(
    result(await theirs.manager.post(`/partners/${theirs.ben}/coupons`, { couponId: 'C1' })),
  ).toEqual([201, 'C1'])
  expect(result(await manager.delete(`/partners/${ben}/coupons/C1`))).toEqual([404, 'not_found'])
  expect(await database.audit(merchant)).toHaveLength(2)
})

test('of eight concurrent requests for a coupon, one succeeds', async () => {
  const { merchant, manager, ann, ben } = await createTeam()
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      manager.post(`/partners/${index % 2 ? ann : ben}/coupons`, { couponId: 'RACE' }),
    ),
  )
  const statuses = answers.map(({ status }) => status).sort()
  expect(statuses).toEqual([200, 200, 200, 201, 409, 409, 409, 409])
  expect(await database.audit(merchant)).toHaveLength(1)
})

test('eight concurrent removals all succeed, with one audit entry', async () => {
  const { merchant, manager, ann } = await createTeam()
  await manager.post(`/partners/${ann}/coupons`, { couponId: 'RACE' })
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => manager.delete(`/partners/${ann}/coupons/RACE`)),
  )
  expect(answers.every(({ status }) => status === 204 || status === 404)).toBe(true)
  expect((await database.audit(merchant)).map(({ action }) => action)).toEqual([
    'coupon.added',
    'coupon.removed',
  ])
})

test.each([
  '50% off',
  'a/b',
  'a%2Fb',
  'ü?#&=+',
  '🦊',
  "'; drop table partners",
  'x'.repeat(255),
  '...',
])('an id may contain any text: %s', async (couponId) => {
  const { manager, ann } = await createTeam()
  expect(result(await manager.post(`/partners/${ann}/coupons`, { couponId }))).toEqual([
    201,
    couponId,
  ])
  const path = `/partners/${ann}/coupons/${encodeURIComponent(couponId)}`
  expect((await manager.delete(path)).status).toBe(204)
})

test.each(['%00', '%ED%A0%80', '%', '%E0%A4%A', 'x'.repeat(3_000)])(
  'a path without a valid coupon id (%s) is not found',
  async (couponId) => {
    const { manager, ann } = await createTeam()
    expect(result(await manager.delete(`/partners/${ann}/coupons/${couponId}`))).toEqual([
      404,
      'not_found',
    ])
  },
)

test.each([
  ['no id', {}],
  ['a blank id', { couponId: '  ' }],
  ['an id that is no text', { couponId: 5 }],
  ['an id that is too long', { couponId: 'x'.repeat(256) }],
  ['an id of two lines', { couponId: 'a\nb' }],
  ['a NUL', { couponId: 'a\0b' }],
  ['a label that is too long', { couponId: 'A', couponLabel: 'x'.repeat(256) }],
  ['a field that it doesn’t know', { couponId: 'A', label: 'B' }],
])('refuses %s', async (_case, body) => {
  const { manager, ann } = await createTeam()
  expect(result(await manager.post(`/partners/${ann}/coupons`, body))).toEqual([
    400,
    'invalid_body',
  ])
})

test('lists coupons with pagination', async () => {
  const { manager, ann } = await createTeam()
  for (const couponId of ['A', 'B', 'C'])
    await manager.post(`/partners/${ann}/coupons`, { couponId })
  const first = (await manager.get(`/partners/${ann}/coupons?limit=2`)).body
  expect(first.data).toMatchObject([{ couponId: 'C' }, { couponId: 'B' }])
  const rest = (await manager.get(`/partners/${ann}/coupons?limit=2&cursor=${first.nextCursor}`))
    .body
  expect(rest).toEqual({ data: [{ couponId: 'A', couponLabel: null }], nextCursor: null })
})
