/** Bonuses by hand for many partners: by API, and on their page. */
import { describe, expect, test } from 'vitest'
import { newId } from '../../lib/db/ids.ts'
import { createMerchant, useDatabase } from '../support/merchant.ts'
import { openPages } from '../support/pages.ts'

const database = useDatabase()

const createShop = async () => {
  const merchant = await createMerchant()
  const { seed, workspace, programId, partnerId } = merchant
  const groupId = await seed.addGroup(workspace.id, programId, { name: 'Gold' })
  const add = (slug: string, more: { status?: 'banned' } = {}) =>
    seed.addPartner(workspace.id, programId, { slug, groupId, ...more })
  const [leo, ida] = [await add('leo'), await add('ida')]
  const api = await merchant.asManager()
  const give = (fields: Record<string, unknown> = {}) =>
    api.post('/commissions/bulk', {
      externalId: 'spring',
      partnerIds: [partnerId, leo, ida],
      amountCents: 2_500,
      currency: 'USD',
      reason: 'Spring contest',
      ...fields,
    })
  const rows = () =>
    database.query(
      `select p.slug, c.kind, c.amount_cents::int as cents, a.external_id as id, a.reason
       from commissions c join partners p on p.id = c.partner_id join adjustments a on a.commission_id = c.id
       where c.workspace_id = $1 order by a.external_id`,
      [workspace.id],
    )
  const entries = async () =>
    (await database.audit(merchant)).filter(({ action }) => action === 'partners.adjusted')
  return { ...merchant, add, api, give, rows, entries, leo, ida }
}

describe('POST /commissions/bulk', () => {
  test('adjusts the earnings of each partner once, with one audit entry and one mail', async () => {
    const shop = await createShop()
    const { status, body } = await shop.give()
    expect({ status, body }).toEqual({ status: 201, body: { externalId: 'spring', partners: 3 } })
    const row = { kind: 'adjustment', cents: 2_500, reason: 'Spring contest' }
    expect(await shop.rows()).toEqual([
      { slug: 'maya', id: 'spring', ...row },
      { slug: 'leo', id: 'spring:2', ...row },
      { slug: 'ida', id: 'spring:3', ...row },
    ])
    expect(await shop.entries()).toMatchObject([
      {
        actor: `manager@${shop.workspace.slug}.example`,
        details: {
          amountCents: 2_500,
          currency: 'USD',
          partners: 3,
          totalCents: 7_500,
          reason: 'Spring contest',
          externalId: 'spring',
        },
      },
    ])
    const [workspace] = await database.query(
      'select manual_earnings_cents::int as cents from workspaces where id = $1',
      [shop.workspace.id],
    )
    expect(workspace).toEqual({ cents: 7_500 })
    expect(await database.violations(shop.workspace.id)).toEqual([])
  })

  test('a repeat changes nothing, however many arrive at once and whomever they name', async () => {
    const shop = await createShop()
    const answers = await Promise.all([
      shop.give(),
      shop.give({ currency: 'usd', payableAt: null }),
      shop.give({ partnerIds: [shop.leo] }),
      shop.give(),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 201])
    expect(new Set(answers.map(({ body }) => body.partners)).size).toBe(1)
    expect(await shop.entries()).toHaveLength(1)
    const other = await shop.give({ amountCents: 1 })
    expect([other.status, other.headers.get('Idempotency-Mismatch')]).toEqual([200, 'true'])
    expect(new Set((await shop.rows()).map(({ cents }) => cents))).toEqual(new Set([2_500]))
  })

  test('names no partner of nobody, or of another workspace, and then saves nothing', async () => {
    const [shop, stranger] = await Promise.all([createShop(), createMerchant()])
    const nobody = newId()
    const { status, body } = await shop.give({
      partnerIds: [shop.leo, nobody, stranger.partnerId],
    })
    expect([status, body.error?.code, body.error?.details]).toEqual([
      400,
      'invalid_body',
      [
        { path: 'partnerIds.1', message: `No partner has the id ${nobody}.` },
        { path: 'partnerIds.2', message: `No partner has the id ${stranger.partnerId}.` },
      ],
    ])
    expect(await shop.rows()).toEqual([])
    expect(await shop.entries()).toEqual([])
  })

  test('a partner who is named twice earns once, and an id of another adjustment is taken', async () => {
    const shop = await createShop()
    await shop.give({ partnerIds: [shop.leo, shop.leo.toUpperCase()] })
    expect(await shop.rows()).toHaveLength(1)
    await shop.api.post('/commissions', {
      ...{ externalId: 'one', partnerId: shop.ida, amountCents: -5, currency: 'USD', reason: 'x' },
    })
    const taken = await shop.give({ externalId: 'one' })
    expect([taken.status, taken.headers.get('Idempotency-Mismatch'), taken.body.partners]).toEqual([
      200,
      'true',
      1,
    ])
    const second = { externalId: 'two:2', partnerId: shop.ida, amountCents: 5, reason: 'x' }
    await shop.api.post('/commissions', { ...second, currency: 'USD' })
    expect((await shop.give({ externalId: 'two' })).status).toBe(409)
    expect(await shop.rows()).toHaveLength(3)
  })

  test.each([
    { field: 'amountCents', value: -1 },
    { field: 'amountCents', value: 0 },
    { field: 'partnerIds', value: [] },
    { field: 'partnerIds', value: ['maya'] },
    { field: 'partnerIds', value: Array.from({ length: 1_001 }, newId) },
    { field: 'reason', value: ' ' },
    { field: 'currency', value: 'DOLLAR' },
  ])('refuses the $field $value', async ({ field, value }) => {
    const merchant = await createMerchant()
    const api = await merchant.asManager()
    const sent = { externalId: 'x', partnerIds: [merchant.partnerId], amountCents: 1 }
    const body = { ...sent, currency: 'USD', reason: 'x', [field]: value }
    expect((await api.post('/commissions/bulk', body)).status).toBe(400)
  })

  test('a thousand partners are one request', async () => {
    const shop = await createShop()
    await database.query(
      `insert into partners (id, workspace_id, program_id, email, slug, slug_key)
       select gen_random_uuid(), $1, $2, 'p' || n || '@partner.example', 'p' || n, 'p' || n from generate_series(1, 1000) n`,
      [shop.workspace.id, shop.programId],
    )
    const partners = await database.query<{ id: string }>(
      `select id from partners where workspace_id = $1 and slug like 'p%'`,
      [shop.workspace.id],
    )
    const partnerIds = partners.map(({ id }) => id)
    expect((await shop.give({ partnerIds })).body).toMatchObject({ partners: 1_000 })
    expect((await shop.give({ partnerIds })).body).toMatchObject({ partners: 1_000 })
    expect(await shop.rows()).toHaveLength(1_000)
  })

  test('is refused in shadow mode, and to other members', async () => {
    const shop = await createShop()
    const program = `/programs/${shop.programId}`
    expect((await shop.api.patch(program, { mode: 'shadow' })).status).toBe(200)
    expect((await shop.give()).status).toBe(409)
    const pages = await openPages(shop, 'member')
    expect((await pages.get('/partners/bonus')).status).toBe(403)
    expect((await pages.post('/partners/bonus/confirm', {})).status).toBe(403)
  })
})

describe('the page', () => {
  const bonus = { externalId: 'form-1', amount: '25', currency: 'USD', reason: 'Contest' }

  test('previews a bonus for a group, and gives it once', async () => {
    const shop = await createShop()
    await shop.add('out', { status: 'banned' })
    const pages = await openPages(shop)
    const group = await database.query<{ id: string }>(
      'select id from groups where workspace_id = $1',
      [shop.workspace.id],
    )
    const fields = { ...bonus, groupId: group[0]?.id ?? '' }
    const preview = await pages.post('/partners/bonus', fields)
    expect(preview.status).toBe(200)
    expect(preview.html).toContain('Give a bonus to 2 partners?')
    expect(preview.html).toContain('$50.00')
    expect(await shop.rows()).toEqual([])

    const chosen = { [`choice-${shop.leo}`]: 'on', [`choice-${shop.ida}`]: 'on' }
    for (const _ of ['once', 'again']) {
      const given = await pages.post('/partners/bonus/confirm', { ...bonus, ...chosen })
      expect([given.status, given.location]).toEqual([
        303,
        `/app/${shop.workspace.slug}/partners?done=bonus`,
      ])
    }
    expect((await shop.rows()).map(({ slug }) => slug).sort()).toEqual(['ida', 'leo'])
  })

  test('finds partners by slugs and addresses, and names those of nobody', async () => {
    const shop = await createShop()
    const pages = await openPages(shop)
    const fields = { ...bonus, programId: shop.programId }
    const names = 'Maya, leo@partner.example\nmaya'
    const preview = await pages.post('/partners/bonus', { ...fields, names })
    expect(preview.html).toContain('Give a bonus to 2 partners?')
    const wrong = await pages.post('/partners/bonus', { ...fields, names: 'maya who?' })
    expect(wrong.status).toBe(400)
    expect(wrong.html).toContain('The program has no partner with these slugs or addresses: who?.')
    const none = await pages.post('/partners/bonus', fields)
    expect(none.html).toContain('Choose a group, or enter partners, but not both.')
    const noAmount = await pages.post('/partners/bonus', { ...fields, names, amount: 'much' })
    expect(noAmount.html).toContain('Enter an amount, such as 25.00.')
    expect(noAmount.html.match(/href="#amount"/g)).toHaveLength(1)
  })

  test('finds no group and no partner of another workspace', async () => {
    const [shop, other] = [await createShop(), await createShop()]
    const pages = await openPages(shop)
    const [group] = await database.query<{ id: string }>(
      'select id from groups where workspace_id = $1',
      [other.workspace.id],
    )
    const ofGroup = await pages.post('/partners/bonus', { ...bonus, groupId: group?.id ?? '' })
    expect(ofGroup.status).toBe(400)
    expect(ofGroup.html).toContain('This group has no approved partners.')
    const named = { ...bonus, programId: other.programId, names: 'leo' }
    expect((await pages.post('/partners/bonus', named)).status).toBe(400)
    const chosen = { [`choice-${shop.leo}`]: 'on', [`choice-${other.leo}`]: 'on' }
    const given = await pages.post('/partners/bonus/confirm', { ...bonus, ...chosen })
    expect(given.status).toBe(409)
    expect([...(await shop.rows()), ...(await other.rows())]).toEqual([])
  })
})
